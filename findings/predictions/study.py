"""Experiment 1 of the paper with fresh seeds, predicted before the networks were trained.

    pfe run findings/predictions/study.py --out findings/predictions

The rules are in rules.py, and what came of them in README.md.
"""

from __future__ import annotations

from primefourier import PAPER_BASIS, lab

SIZES = (10, 12, 14, 16)
RANGES = (100, 500, 1000, 2000, 4000)
SEEDS = (43, 44, 45, 46)
NEAR, FAR = 2, 10**6
"""Test sets: inputs from r to 2r, and from half a million to a million."""


def model(size: int, modulus: int, input_range: int, seed: int) -> lab.ModelConfig:
    """Return a model of the paper's experiment 1, with tests beyond the range."""
    ends = (NEAR * input_range, 10**4, FAR, 10**9, 10**18)
    return lab.ModelConfig(
        embedding=lab.PrimeFourier(primes=PAPER_BASIS.primes[:size]),
        task=lab.ModularArithmetic("add", modulus=modulus, input_range=input_range, beyond=ends),
        seed=seed,
        ablations=("zero", "permute"),
    )


study = lab.Study(
    "predictions",
    [
        model(size, modulus, input_range, seed)
        for seed in SEEDS
        for size in SIZES
        for input_range in RANGES
        for modulus in PAPER_BASIS.primes[:size]
    ],
    title="Experiment 1 with fresh seeds, predicted beforehand",
    axes=[
        lab.Axis("embedding.primes", "|P|", "number of primes |P|", length=True),
        lab.Axis("task.input_range", "r", "input range r"),
    ],
)
