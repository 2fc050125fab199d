"""Repair every network of the paper's kind that is right in range. Appends to networks.jsonl.

    python -m findings.repair.measure

Each network of ``findings/beyond`` with the paper's basis is trained again, and measured with some
of its circles moved, put back or exchanged; README.md says which, and what counts as repaired. One
line per network, synced; the same command continues where it stopped. The networks stand in rounds:
every (N, r) of experiment 2 once and a fifth of experiment 1, in an order drawn once, so that the
networks measured so far are a fair sample.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from findings.runs import HOME, run_of
from primefourier import PrimeBasis, lab
from primefourier.analysis import ablate, feature_groups
from primefourier.analysis.repairs import answers_of, common_error, misread_circles, moved_hands
from primefourier.nn import PrimeFourierEmbedding

Channel = tuple[int, int]
"""A circle: its prime p and its depth d."""
RESULTS = HOME / "repair" / "networks.jsonl"
SIZE, FEW = 4000, 1000
"""Pairs of each test set, and those of the search for a wrong harmonic."""
OFFSETS = 12
ROUNDS = 5


def networks() -> list[tuple[str, lab.Record]]:
    """Return the experiment and record of each network that is right in range, in order."""
    run, numbers = run_of("beyond"), np.random.default_rng(0)
    records = {record.config.key: record for record in run.records if record.error is None}
    rounds: list[list[tuple[str, lab.Record]]] = [[] for _ in range(ROUNDS)]
    for study in run.studies:
        experiment, _, basis = study.name.partition(" ")
        if basis != "paper":
            continue
        configs = [c for c in study.configs if c.key in records]
        configs = [c for c in configs if experiment == "composite" or c.seed == 42]
        places = numbers.permutation(len(configs)) if experiment == "prime" else range(len(configs))
        for place, config in zip(places, configs, strict=True):
            # composite: a round is a seed, and so has every (N, r)
            at = place % ROUNDS if experiment == "prime" else config.seed - 42
            if records[config.key].measured.accuracy >= 0.99:
                rounds[at].append((experiment, records[config.key]))
    return [some[i] for some in rounds for i in numbers.permutation(len(some))]


def measure(experiment: str, record: lab.Record) -> dict[str, Any]:
    """Train one network again, and count its right answers with other hands."""
    start, config = time.process_time(), record.config
    network, task = lab.train(config), config.task
    n, r = task.modulus, task.input_range
    (at,) = (m for m in network.modules() if isinstance(m, PrimeFourierEmbedding))
    basis, numbers = at.basis, np.random.default_rng(0)
    sets = {
        name: torch.from_numpy(numbers.integers(low, high, size=(SIZE, 2)))
        for name, (low, high) in (
            ("inside", (0, r)),
            ("next", (r, 2 * r)),
            ("far", (500_000, 10**6)),
        )
    }
    labels = {name: inputs.sum(1) % n for name, inputs in sets.items()}

    needless = needless_circles(n, basis, r)
    masks = feature_groups(basis, "channel")
    inside = (sets["inside"], labels["inside"])
    every = {channel: masks[channel] for channel in needless["fast"]}
    drops = {one.label: one.drop for one in ablate(network, *inside, every, at=at, kind="permute")}
    moved = misread_circles(network, at, basis, n, r, *inside)
    groups = groups_of(n, needless, [circle.channel for circle in moved])

    def count(name: str, size: int = SIZE, **changes: Any) -> int:
        with moved_hands(at, basis, n, **changes):
            answers = answers_of(network, at, sets[name][:size], size)
        return int((answers == labels[name][:size]).sum())

    ways: dict[str, dict[str, Any]] = {"trained": {}}
    ways |= {name: {"exchanged": circles} for name, circles in groups.items()}
    ways["every needless"] = {"moved": moved, "exchanged": groups["slow"] | groups["fast"]}
    if moved:
        slow = {"exchanged": groups["slow"]}
        ways |= {"alias": {"moved": moved}, "both": {"moved": moved, **slow}}
        ways["both, no offset"] = {"moved": [c._replace(degrees=0.0) for c in moved], **slow}
    right = {
        name: {way: count(name, ends=(0, r), **changes) for way, changes in ways.items()}
        for name in sets
    }
    far = {way: count("inside", exchanged=some, ends=(500_000, 10**6)) for way, some in
           groups.items()}  # fmt: skip
    wrong: list[Channel] = []
    if moved:
        first, *rest = moved
        for k in tried_harmonics(n, first.harmonic):
            counts = [
                count(
                    "far",
                    FEW,
                    moved=[*rest, first._replace(harmonic=k, degrees=360 * i / OFFSETS)],
                    exchanged=groups["slow"],
                    ends=(0, r),
                )
                for i in range(OFFSETS)
            ]
            wrong.append((k, max(counts)))
    answers = {name: answers_of(network, at, sets[name], SIZE) for name in sets}
    return {
        "key": config.key,
        "experiment": experiment,
        "N": n,
        "r": r,
        "primes": len(basis.primes),
        "seed": config.seed,
        "size": SIZE,
        "published": counts_of(record),
        "again": count_again(network, config),
        "drops": [[*c, round(drop * SIZE)] for c, drop in sorted(drops.items()) if drop],
        "moved": [[*c.channel, c.harmonic, c.degrees / 360] for c in moved],
        "right": right,
        "in range, from far": far,
        "harmonics": wrong,
        "errors": {name: errors(found, labels[name], n) for name, found in answers.items()},
        "seconds": round(time.process_time() - start, 1),
    }


def needless_circles(modulus: int, basis: PrimeBasis, input_range: int) -> dict[str, set[Channel]]:
    """Return the circles whose period does not divide N: slow ones, with T > r, and fast ones."""
    periods = {(p, d): p ** (d + 1) for p, d in basis.channels}
    needless = {channel for channel, t in periods.items() if modulus % t}
    slow = {channel for channel in needless if periods[channel] > input_range}
    return {"slow": slow, "fast": needless - slow}


def groups_of(
    modulus: int, needless: dict[str, set[Channel]], moved: list[Channel]
) -> dict[str, set[Channel]]:
    """Return the groups of circles that are put back."""
    own = {(p, d) for p, d in needless["slow"] if modulus % p == 0}
    groups = {
        "slow": needless["slow"],
        "slow, own primes": own,
        "slow, other primes": needless["slow"] - own,
        "fast": needless["fast"] - set(moved),
    }
    return groups | ({"alias put back": set(moved)} if moved else {})


def tried_harmonics(modulus: int, right: int) -> list[int]:
    """Return the right harmonic and then wrong ones: its neighbours, its mirror, none, and two."""
    near = [right, right - 1, right + 1, right - 2, right + 2, -right, 0]
    drawn = np.random.default_rng(modulus).integers(1, modulus, size=2).tolist()
    return list(dict.fromkeys(k % modulus for k in near + drawn))


def errors(answers: Tensor, labels: Tensor, modulus: int) -> list[Any]:
    """Return the most common error and its count, and the count of wrong answers."""
    wrong = int((answers != labels).sum())
    error, share = common_error(answers, labels, modulus)
    return [None if error is None else [error, round(share * wrong)], wrong]


def counts_of(record: lab.Record) -> dict[str, list[int]]:
    """Return the published right answers and sizes by test set."""
    found = record.measured
    return {"test": [found.correct, found.test_size]} | {
        end: list(counts) for end, counts in found.beyond.items()
    }


def count_again(network: nn.Module, config: lab.ModelConfig) -> dict[str, int]:
    """Return the right answers of the network trained again on the same test sets."""
    samples = config.task.draw(config.seed)
    found = {}
    with torch.no_grad():
        for name, some in [("test", samples.test), *samples.beyond.items()]:
            answers: Tensor = network(torch.from_numpy(some.inputs)).argmax(1)
            found[name] = int((answers == torch.from_numpy(some.labels)).sum())
    return found


def read() -> Iterator[dict[str, Any]]:
    """Yield the networks measured so far; a line that was cut off is none."""
    for line in RESULTS.read_text().splitlines(keepends=True) if RESULTS.exists() else ():
        if line.endswith("\n"):
            yield json.loads(line)


def main() -> None:
    """Measure the networks that are missing."""
    torch.set_num_threads(1)
    done = {one["key"] for one in read()}
    if RESULTS.exists():  # drop what a stop in the middle of a line left
        RESULTS.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in read()))
    every = networks()
    for number, (experiment, record) in enumerate(every, start=1):
        if record.config.key in done:
            continue
        found = measure(experiment, record)
        with RESULTS.open("a") as file:
            file.write(json.dumps(found, separators=(",", ":")) + "\n")
            file.flush()
            os.fsync(file.fileno())
        far = {way: count / SIZE for way, count in found["right"]["far"].items()}
        print(f"{number}/{len(every)} N={found['N']} r={found['r']} {found['seconds']} s", far,
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
