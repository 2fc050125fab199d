"""Do two blocks stand in for a harmonic together? python -m studies.two_blocks.

1/7 + 1/37 is near 9/53. If a network trained modulo 53 multiplies these two circles, then turning
one by some angle and the other by its opposite leaves the product, hence its answers, as they are;
turning both the same way does not. Trains |P| = 16 at r = 2000 with several seeds.
"""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor, nn

from primefourier.lab.config import ModelConfig, prime_parts
from primefourier.lab.fast_training import applies_to, train_fast
from primefourier.lab.training import make_data, train_plain
from primefourier_paper import SinglePrime

MODULUS, FIRST, SECOND = 53, 7, 37
SEEDS = (42, 43, 44)


def turn(rows: Tensor, config: ModelConfig, prime: int, angles: Tensor) -> Tensor:
    """Turn the circle of a prime, depth 0, first operand, by an angle for each pair.

    Shape:
        (n, P, 4D) and (n,) → (n, P, 4D).
    """
    turned = rows.clone()
    embedding, task = prime_parts(config)
    shape = (len(rows), len(embedding.primes), embedding.depth, task.operands, 2)
    circle = turned.view(shape)[:, embedding.primes.index(prime), 0, 0]
    cos, sin = circle.clone().unbind(1)
    circle[:, 0] = cos * angles.cos() - sin * angles.sin()
    circle[:, 1] = cos * angles.sin() + sin * angles.cos()
    return turned


def accuracy(model: nn.Module, rows: Tensor, labels: Tensor) -> float:
    """Return the share of right answers."""
    with torch.inference_mode():
        return int((model(rows).argmax(1) == labels).sum()) / len(labels)


def turned_drops(config: ModelConfig, first: int, second: int) -> dict[str, float]:
    """Train a network, turn two of its circles by random angles, and return what that costs."""
    data = make_data(config)
    trained = (train_fast if applies_to(config) else train_plain)(config, data)
    rows, labels = data.test.values, data.test.labels
    angles = 2 * math.pi * torch.rand(len(labels), generator=torch.Generator().manual_seed(0))
    one = turn(rows, config, first, angles)
    before = accuracy(trained.model, rows, labels)
    changed = {
        f"{first} alone": one,
        f"{second} alone": turn(rows, config, second, angles),
        "same way": turn(one, config, second, angles),
        "opposite ways": turn(one, config, second, -angles),
    }
    drops = {
        name: before - accuracy(trained.model, turned, labels) for name, turned in changed.items()
    }
    return {"accuracy": before, **drops}


def main() -> None:
    """Train the networks and print a row for each seed."""
    torch.set_num_threads(1)
    configs = SinglePrime(sizes=(16,), ranges=(2000,)).configs
    (config,) = (config for config in configs if prime_parts(config)[1].modulus == MODULUS)
    print(f"N = {MODULUS}, r = 2000, |P| = 16: drop when the circles of {FIRST} and {SECOND} turn")
    for seed in SEEDS:
        found = turned_drops(replace(config, seed=seed), FIRST, SECOND)
        values = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
        print(f"seed {seed}: {values}", flush=True)


if __name__ == "__main__":
    main()
