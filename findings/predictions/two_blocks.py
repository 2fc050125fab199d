"""Do two blocks stand in for a harmonic together? python -m findings.predictions.two_blocks.

1/7 + 1/37 is near 9/53. If a network trained modulo 53 multiplies these two circles, then turning
one by some angle and the other by its opposite leaves the product, hence its answers, as they are;
turning both the same way does not. Trains |P| = 16 at r = 2000 with several seeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from findings.predictions.study import model
from primefourier import PrimeBasis, lab
from primefourier.nn import PrimeFourierEmbedding

MODULUS, FIRST, SECOND = 53, 7, 37
SEEDS = (42, 43, 44)


def turn(codes: Tensor, basis: PrimeBasis, angles: Mapping[int, Tensor]) -> Tensor:
    """Turn circles of period p of the first operand, each by an angle per pair.

    Args:
        codes: The codes of pairs, (n, 2, dim).
        basis: The basis of the codes.
        angles: Angles (n,) by prime.
    """
    turned = codes.unflatten(-1, (len(basis.primes), basis.depth, 2)).clone()
    for prime, angle in angles.items():
        circle = turned[:, 0, basis.primes.index(prime), 0]
        point = torch.view_as_complex(circle.contiguous())
        circle[:] = torch.view_as_real(point * torch.polar(torch.ones_like(angle), angle))
    flat: Tensor = turned.flatten(-3)
    return flat


def turned_drops(config: lab.ModelConfig, first: int, second: int) -> dict[str, float]:
    """Train a network, turn two of its circles by random angles, and return what that costs."""
    network, test = lab.train(config), config.task.draw(config.seed).test
    (embedding,) = (m for m in network.modules() if isinstance(m, PrimeFourierEmbedding))
    pairs, labels = torch.as_tensor(test.inputs), torch.as_tensor(test.labels)
    angles = 2 * math.pi * torch.rand(len(labels), generator=torch.Generator().manual_seed(0))

    def accuracy(turns: Mapping[int, Tensor]) -> float:
        def replace(_module: nn.Module, _given: object, codes: Tensor) -> Tensor:
            return turn(codes, embedding.basis, turns)

        with torch.inference_mode(), embedding.register_forward_hook(replace):
            return float((network(pairs).argmax(1) == labels).double().mean())

    before = accuracy({})
    turns = {
        f"{first} alone": {first: angles},
        f"{second} alone": {second: angles},
        "same way": {first: angles, second: angles},
        "opposite ways": {first: angles, second: -angles},
    }
    return {"accuracy": before, **{name: before - accuracy(some) for name, some in turns.items()}}


def main() -> None:
    """Train the networks and print a row for each seed."""
    torch.set_num_threads(1)
    print(f"N = {MODULUS}, r = 2000, |P| = 16: drop when the circles of {FIRST} and {SECOND} turn")
    for seed in SEEDS:
        found = turned_drops(model(16, MODULUS, 2000, seed), FIRST, SECOND)
        values = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
        print(f"seed {seed}: {values}", flush=True)


if __name__ == "__main__":
    main()
