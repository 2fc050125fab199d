"""How small a channel network can be, how far unseen primes go, and why it falls off.

    python -m findings.huge.train

``train_channels`` trains networks of several widths to add modulo the 16 primes from 3 to 59, as
``pfe demo huge`` does. All p² pairs of residues of each prime are checked, 16 752 in total, and for
the network of the demonstration also those of primes that it never saw (at most 100 000 of them).
Writes huge.json.

Written down before the first run. Hypothesis: what a network learns is one map of two angles, whose
error e(θa, θb) knows nothing of primes; a prime p fails where |e| exceeds π/p, half the distance of
its points. So the share of right pairs of p should be P(|e| < π/p) for angles drawn uniformly from
all real ones. Predictions:

1. For every unseen prime, measured and predicted share differ by less than 0.005.
2. Seen residues are nothing special: the root mean square of e is the same, within 5 %, on the
   residues of the 16 primes and on random angles.
3. For every width, the number of wrong pairs among the 16 752 is the predicted one within a factor
   of 1.5, wherever 100 or more are predicted.

They would fail if networks remembered the 423 angles that they were trained on, or if the grids of
small primes were too coarse for a smooth average.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from primefourier import PAPER_BASIS, PrimeBasis, lab
from primefourier.analysis import certify
from primefourier.arithmetic import is_prime
from primefourier.nn import ChannelNetwork

TARGET = Path(__file__).with_name("huge.json")
SEEN = PrimeBasis(PAPER_BASIS.primes, 1)
HIDDEN = (
    *((width, width) for width in (4, 8, 16, 24, 32, 48, 64, 96, 128)),
    *((width,) for width in (64, 96, 128, 192, 256)),
)
"""The widths of the hidden layers: two layers, then one. The first run had 64, 256 and 1024 for one
layer; 1024 was stopped during its first training, and the others added, when 256 was proved."""
CASES = sum(p**2 for p in SEEN.primes)
LARGEST = (128, 128)
SEEDS = (0, 1, 2)
UNSEEN = [p for p in range(61, 100) if is_prime(p)] + [
    *(127, 157, 191, 223, 257, 307, 353, 401, 449, 499, 599, 701, 797, 907, 1009),
]
MOST_PAIRS, ANGLES = 100_000, 1_000_000


@torch.no_grad()
def errors(network: ChannelNetwork, turns: Tensor) -> Tensor:
    """Return the angles between the points of a network and the right ones.

    Args:
        network: A network of depth 1, whose weights all primes share.
        turns: Pairs of angles in turns, (n, 2), float64.

    Returns:
        The angles in radians, from 0 to π, (n,).
    """
    # Weights are shared by all primes, so one circle is read at any angle, of no prime.
    one = network.for_basis(PrimeBasis((3,), 1))  # one circle; which prime does not matter
    found = []
    for some in turns.split(50_000):
        points = torch.view_as_real(torch.polar(torch.ones_like(some), 2 * math.pi * some))
        answer = torch.view_as_complex(one(points.float()).double())
        right = torch.polar(torch.ones_like(some[:, 0]), 2 * math.pi * some.sum(1))
        found.append((answer / right).angle().abs())
    return torch.cat(found)


def residue_turns(prime: int, generator: torch.Generator) -> Tensor:
    """Return pairs of residues in turns: all of them, or a sample if there are too many."""
    if prime**2 <= MOST_PAIRS:
        pairs = torch.cartesian_prod(torch.arange(prime), torch.arange(prime))
    else:
        pairs = torch.randint(prime, (MOST_PAIRS, 2), generator=generator)
    return pairs.double() / prime


def predict(found: Tensor, prime: int) -> float:
    """Return the share of right pairs that errors on random angles predict for a prime."""
    return (found < math.pi / prime).double().mean().item()


def study_network(hidden: tuple[int, ...], seed: int) -> dict[str, Any]:
    """Train one network, check all pairs of residues, and compare with the prediction."""
    start = time.perf_counter()
    network = lab.train_channels(SEEN, hidden=hidden, seed=seed)
    seconds = time.perf_counter() - start
    certificate = certify(network, SEEN, lambda integers: integers.sum(1))
    generator = torch.Generator().manual_seed(seed)
    # In float64, so that the angles themselves add no error to what is measured.
    drawn = errors(network, torch.rand(ANGLES, 2, generator=generator, dtype=torch.float64))
    seen = torch.cat([errors(network, residue_turns(p, generator)) for p in SEEN.primes])
    result = {
        "hidden": list(hidden),
        "seed": seed,
        "parameters": sum(weight.numel() for weight in network.parameters()),
        "seconds": round(seconds, 1),
        "wrong": certificate.wrong,
        "predicted wrong": sum(p**2 * (1 - predict(drawn, p)) for p in SEEN.primes),
        "margin": certificate.margin,
        "status": certificate.status,
        "bound": certificate.bound,
        "radius": certificate.radius,
        "rms on random angles": drawn.square().mean().sqrt().item(),
        "rms on seen residues": seen.square().mean().sqrt().item(),
        "largest on random angles": drawn.max().item(),
    }
    if hidden == LARGEST:
        result["primes"] = {
            str(prime): {
                "pairs": min(prime**2, MOST_PAIRS),
                "right": predict(errors(network, residue_turns(prime, generator)), prime),
                "predicted": predict(drawn, prime),
            }
            for prime in (*SEEN.primes, *UNSEEN)
        }
    return result


def main() -> None:
    """Write what all networks do; a stopped run continues where it was."""
    torch.set_num_threads(1)
    found: list[dict[str, Any]] = []
    if TARGET.exists():
        found = json.loads(TARGET.read_text())["networks"]
    done = {(tuple(one["hidden"]), one["seed"]) for one in found}
    for seed in SEEDS:
        for hidden in HIDDEN:
            if (hidden, seed) in done:
                continue
            found.append(study_network(hidden, seed))
            print({name: value for name, value in found[-1].items() if name != "primes"})
            sys.stdout.flush()
            TARGET.write_text(json.dumps({"cases": CASES, "networks": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
