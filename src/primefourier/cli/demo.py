"""Demonstrations: ``pfe demo cheat`` and ``pfe demo huge``."""

from __future__ import annotations

import math
import random
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number

from primefourier.cli.options import PICTURES, Integer, Json, check_output
from primefourier.cli.output import (
    ProgressBar,
    print_error,
    print_json,
    print_prose,
    print_table,
    save_figure,
)

if TYPE_CHECKING:
    from torch import Tensor

    from primefourier import PrimeBasis
    from primefourier.analysis import Diagnosis
    from primefourier.lab import ModelConfig
    from primefourier.nn import ChannelNetwork

demo = App(
    name="demo",
    help="Train small networks in a minute, and see what they do.",
    group="The laboratory",
)
_PRIMES, _EPOCHS = 8, 40
_UNSEEN = (61, 67, 71, 73, 79, 83, 89, 97, 127, 257)
_DIGITS = 100
Seed = Annotated[Integer, Parameter(validator=Number(gte=0, lt=2**63))]


@demo.command
def cheat(
    *,
    modulus: Integer = 33,
    input_range: Annotated[Integer, Parameter(name="--range", validator=Number(gte=2))] = 100,
    seed: Seed = 42,
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Train a network that cheats and one that cannot; prove the second, and repair the first.

    Both learn (a + b) mod N on the same pairs below r. The first reads six powers of eight primes,
    as in the paper; the second only the circles that N needs.

    Example: `pfe demo cheat --modulus 35`

    Args:
        modulus: N, a product of different primes from 3 to 23.
        input_range: r; both are trained on integers below r.
        seed: The seed of pairs, weights and batches.
        out: Also draw a picture: .png, .svg or .pdf.
    """
    if out is not None:
        check_output(out, PICTURES)
    import primefourier as pf
    from primefourier import lab
    from primefourier.analysis import certify, diagnose, repair
    from primefourier.analysis.certification import MOST_CASES

    many = pf.PrimeBasis(pf.PAPER_BASIS.primes[:_PRIMES], pf.PAPER_BASIS.depth)
    plan = pf.plan(modulus, many, input_range=input_range)
    if not plan.complete or any(d for _, d in plan.relevant):
        raise ValueError(
            f"--modulus must be a product of different primes from 3 to 23, got {modulus}"
        )
    if modulus > (most := math.isqrt(MOST_CASES)):
        raise ValueError(f"--modulus must be at most {most}, to be proved, got {modulus}")
    own = pf.PrimeBasis(tuple(p for p, _ in plan.relevant), 1)
    configs = [_model(basis, modulus, input_range, seed) for basis in (many, own)]
    if not json:
        print_prose(
            f"The task: (a + b) mod {modulus}, learned from integers below {input_range}. "
            f"Chance is 1/{modulus} = {1 / modulus:.1g}."
        )
        nearest = [f"{a.equation} (drift {a.drift:.2f} turns)" for a in plan.aliases[:3]]
        if nearest:
            print_prose(f"Look-alike circles, known before training: {'; '.join(nearest)}.")
    epochs = count(1)
    with ProgressBar() as bar:

        def show(_network: object) -> None:
            bar.show(0.8 * next(epochs) / (2 * (_EPOCHS + 1)), "training two networks")

        networks = [lab.train(config, observe=show) for config in configs]
        bar.show(0.8, "testing both beyond the range, and moving hands")
        cheater, honest = (
            diagnose(network, modulus=modulus, input_range=input_range, kinds=("permute",))
            for network in networks
        )
        repaired = repair(networks[0], many, modulus, input_range)
        certificate = certify(networks[1], own, lambda x: x.sum(1) % modulus)
    if json:
        found = [_as_data(diagnosis) for diagnosis in (cheater, honest)]
        data = {"modulus": modulus, "range": input_range, "networks": found}
        moved = {**asdict(repaired), "slow": sorted(repaired.slow), "cause": repaired.cause}
        print_json({**data, "repair": moved, "certificate": asdict(certificate)})
    else:
        _print_results(cheater, honest)
        print_prose(certificate.explain())
        print_prose(f"\nThe first again, with other hands. {repaired.explain()}")
    if out is not None:
        _draw(cheater, honest, out)
        print_error(f"Wrote {out}.")


def _model(basis: PrimeBasis, modulus: int, input_range: int, seed: int) -> ModelConfig:
    from primefourier import lab

    return lab.ModelConfig(
        embedding=lab.PrimeFourier(basis.primes, basis.depth),
        task=lab.ModularArithmetic("add", modulus=modulus, input_range=input_range),
        training=lab.Training(epochs=_EPOCHS),
        seed=seed,
    )


def _as_data(found: Diagnosis) -> dict[str, Any]:
    return {
        "primes": [*found.rows],
        "accuracy": found.accuracy,
        "beyond": {str(end): accuracy for end, accuracy in found.beyond.items()},
        "drops": {str(prime): drop for prime, drop in found.rows.items()},
        "unneeded": found.unneeded,
        "verdict": found.verdict,
    }


def _print_results(cheater: Diagnosis, honest: Diagnosis) -> None:
    first, second = _names(cheater, honest)
    rows = [[f"below {cheater.input_range}", *_pair(cheater.accuracy, honest.accuracy)]]
    rows += [
        [f"{_short(end // 2)} to {_short(end)}", *_pair(accuracy, honest.beyond[end])]
        for end, accuracy in cheater.beyond.items()
    ]
    print_table(["accuracy on integers", first, second], rows, left=["accuracy on integers"])
    for name, found in ((first, cheater), (second, honest)):
        print_prose(f"\n{name}: {found.verdict}")


def _names(cheater: Diagnosis, honest: Diagnosis) -> tuple[str, str]:
    *first, last = map(str, honest.rows)
    primes = f"{', '.join(first)} and {last}" if first else last
    return f"{len(cheater.rows)} primes, 6 powers", f"{primes} alone"


def _pair(*accuracies: float) -> list[str]:
    return [f"{accuracy:.4f}" for accuracy in accuracies]


def _short(number: int) -> str:
    """Write a number with few digits, if that keeps its value.

    >>> _short(200), _short(500_000), _short(10**18), _short(123456)
    ('200', '5·10^5', '10^18', '123456')
    """
    zeros = len(str(number)) - 1
    if number < 10**4 or number % 10**zeros:
        return str(number)
    return f"{number // 10**zeros}·10^{zeros}".removeprefix("1·")


def _draw(cheater: Diagnosis, honest: Diagnosis, out: Path) -> None:
    from primefourier.analysis.diagnosis import CLIFF_CAPTION, RIGHT
    from primefourier.figures import draw_cliffs

    names = _names(cheater, honest)
    networks = [found.cliff(name) for name, found in zip(names, (cheater, honest), strict=True)]
    n, r = cheater.modulus, cheater.input_range
    title = f"(a + b) mod {n}, trained on integers below {r}"
    if cheater.accuracy >= RIGHT > min(cheater.beyond.values()):
        title = f"Perfect in range, wrong beyond: {title}"
    figure = draw_cliffs(networks, title=title, caption=CLIFF_CAPTION)
    save_figure(figure, out)


@demo.command
def huge(
    *,
    width: Annotated[Integer, Parameter(validator=Number(gte=1, lte=4096))] = 128,
    steps: Annotated[Integer, Parameter(validator=Number(gte=1, lte=10**6))] = 1000,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Train a small network to add modulo a number of 21 digits, and prove it for all integers.

    The network reads one prime at a time: the circles of a and b modulo p. The same weights serve
    the 16 primes from 3 to 59, and then primes that it never saw.

    Example: `pfe demo huge --steps 2000`

    Args:
        width: The width of its two hidden layers.
        steps: The number of batches of 512 pairs.
        seed: The seed of weights, pairs and the integers shown.
    """
    import primefourier as pf
    from primefourier.analysis import certify
    from primefourier.lab.channel_training import train_channels

    basis = pf.PrimeBasis(pf.PAPER_BASIS.primes, 1)
    if not json:
        print_prose(
            f"The task: (a + b) mod {basis.range}, the product of the primes 3 … 59. Given: the "
            "residues of a and b, as points on circles. Learned: to add angles. The network sees "
            "one prime at a time, with the same weights for all."
        )
    with ProgressBar() as bar:
        network = train_channels(
            basis,
            hidden=(width, width),
            steps=steps,
            seed=seed,
            observe=lambda done: bar.show(done / steps, "training"),
        )
    certificate = certify(network, basis, _add)
    numbers, low = random.Random(f"huge {seed}"), 10 ** (_DIGITS - 1)
    pairs = [[numbers.randrange(low, 10 * low) for _ in "ab"] for _ in range(1000)]
    sums = _add_huge(network, pairs)
    # the weights do not depend on the prime, so they serve a basis of any other
    unseen = {
        prime: certify(network.for_basis(own), own, _add)
        for prime in _UNSEEN
        for own in [pf.PrimeBasis((prime,), 1)]
    }
    parameters = sum(weight.numel() for weight in network.parameters())
    if json:
        print_json(
            {
                "parameters": parameters,
                "certificate": asdict(certificate),
                "sums": [{key: str(value) for key, value in one.items()} for one in sums],
                "unseen": {str(prime): asdict(found) for prime, found in unseen.items()},
            }
        )
        return
    print_prose(f"{parameters} parameters. {certificate.explain()}")
    correct = sum(one["answer"] == one["expected"] for one in sums)
    print_prose(
        f"\n{correct} of {len(sums)} sums of integers of {_DIGITS} digits are right. The last:"
    )
    for name, value in sums[-1].items():
        print_prose(f"{name:<8} = {value:,}".replace(",", " "), hang=11)  # lines break at spaces
    print_prose("\nPrimes that it never saw:")
    rows = []
    for prime, found in unseen.items():
        right = f"{1 - found.wrong / found.cases:.4f}"
        rows.append([f"{prime}", f"{found.cases}", f"{found.wrong}", right, f"{found.margin:.2f}"])
    print_table(["prime", "pairs of residues", "wrong", "right", "smallest margin"], rows)
    print_prose(
        "A margin below 0 is a wrong answer: the error of angles is the same for every prime, and "
        "the points of a large prime are closer to each other."
    )


def _add(integers: Tensor) -> Tensor:
    return integers.sum(1)


def _add_huge(network: ChannelNetwork, pairs: list[list[int]]) -> list[dict[str, int]]:
    """Add pairs of integers of any size with a network, and beside it exactly."""
    import torch

    import primefourier as pf

    # (pairs, 2, primes · 2): the integers themselves are too long for torch
    codes = torch.from_numpy(pf.encode(pairs, network.basis)).flatten(2)
    answers = pf.decode(network(codes).detach(), network.basis, min_margin=0).value
    return [
        {"a": a, "b": b, "answer": answer, "expected": (a + b) % network.basis.range}
        for (a, b), answer in zip(pairs, answers.tolist(), strict=True)
    ]
