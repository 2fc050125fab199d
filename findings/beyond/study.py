"""Perfect in range, wrong beyond: the paper's networks tested on inputs they never saw.

    pfe run findings/beyond/study.py --out findings/beyond

Experiment 2 with five seeds, and experiment 1 with |P| ≤ 8 and three seeds, each with four bases:
the six powers of every prime as in the paper; depth 1; only the channels that ``plan`` names; and
the paper's without the primes of N. Every network is tested in range, from r to 2r, and on integers
of up to 4, 6, 9 and 18 digits.
"""

from __future__ import annotations

from collections.abc import Iterable

from primefourier import PAPER_BASIS, lab

MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
RANGES = (100, 500, 1000, 2000, 4000)
BASES = ("paper", "depth 1", "plan", "without N")


def embedding(base: str, modulus: int, primes: tuple[int, ...]) -> lab.PrimeFourier:
    """Return one of the four bases for a modulus."""
    own = tuple(p for p in primes if modulus % p == 0)
    others = tuple(p for p in primes if modulus % p)
    if base == "plan":
        return lab.PrimeFourier(own, 1)
    if base == "depth 1":
        return lab.PrimeFourier(primes, 1)
    return lab.PrimeFourier(primes if base == "paper" else others, PAPER_BASIS.depth)


def model(base: str, modulus: int, size: int, input_range: int, seed: int) -> lab.ModelConfig:
    """Return a model of the paper with one of the four bases and tests beyond the range."""
    ends = (2 * input_range, 10**4, 10**6, 10**9, 10**18)
    primes = PAPER_BASIS.primes[:size]
    return lab.ModelConfig(
        embedding=embedding(base, modulus, primes),
        task=lab.ModularArithmetic("add", modulus=modulus, input_range=input_range, beyond=ends),
        training=lab.Training(epochs=25 if modulus in primes else 40),
        seed=seed,
        ablations=("zero", "permute"),
    )


def make_study(name: str, title: str, models: Iterable[lab.ModelConfig]) -> lab.Study:
    """Return a study with a heatmap of N against r."""
    axes = [lab.Axis("task.modulus", "N", "modulus N"), lab.Axis("task.input_range", "r")]
    return lab.Study(name, list(models), title=title, axes=axes)


studies = [
    make_study(
        f"composite {base}",
        f"Experiment 2, basis: {base}",
        (
            model(base, modulus, 8, input_range, seed)
            for seed in range(42, 47)
            for input_range in RANGES
            for modulus in MODULI
        ),
    )
    for base in BASES
] + [
    make_study(
        f"prime {base}",
        f"Experiment 1, basis: {base}",
        (
            model(base, modulus, size, input_range, seed)
            for seed in range(42, 45)
            for size in (4, 6, 8)
            for input_range in RANGES
            for modulus in PAPER_BASIS.primes[:size]
        ),
    )
    for base in BASES
]
