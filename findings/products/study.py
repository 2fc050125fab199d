"""Products modulo N from characters, and where fixed primes stop helping: N as an input.

    pfe run findings/products/study.py --out findings/products

Every network is tested in range (r = 500), from r to 2r, and on integers of up to 4, 6, 9 and 18
digits. The embeddings: the characters of N's primes, which products rotate; the circles of N's
primes, which determine a mod N but which products do not rotate; the paper's eight primes at depth
6; and the characters of the same eight primes, of which most are not needed. (Where N has a prime
above 23, it is added to the eight.) Training takes 10 epochs, and 25 with the paper's powers, as
there. With 80 000 examples nearly every pair of residues is seen, so a table will do; the study of
few examples asks how many are needed, at equal numbers of steps.

The last study learns a mod m with m as the second input. It tests every m by itself, on integers
below 10^6: those whose primes the basis has, those whose primes it lacks, and one that no training
example had, although the basis has its primes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from primefourier import PAPER_BASIS, lab
from primefourier.arithmetic import factorize

MODULI = (7, 13, 23, 35, 59, 77, 143)
RANGE = 500
ENDS = (2 * RANGE, 10**4, 10**6, 10**9, 10**18)
SEEDS = range(42, 45)
EIGHT = PAPER_BASIS.primes[:8]
FEW = (1000, 2000, 4000, 8000)
STEPS = 800_000
"""Examples times epochs, with few examples."""
BASES = ("characters", "circles", "paper", "eight characters")


def embedding(base: str, modulus: int) -> lab.Characters | lab.PrimeFourier:
    """Return one of the four embeddings for a modulus."""
    own = tuple(p for p, _ in factorize(modulus))
    if base == "characters":
        return lab.Characters(own)
    if base == "circles":
        return lab.PrimeFourier(own, 1)
    primes = tuple(sorted({*own, *EIGHT}))
    return lab.PrimeFourier(primes) if base == "paper" else lab.Characters(primes)


def model(
    base: str, modulus: int, seed: int, *, samples: int = 80_000, epochs: int = 10
) -> lab.ModelConfig:
    """Return a model that multiplies modulo N."""
    return lab.ModelConfig(
        embedding=embedding(base, modulus),
        task=lab.ModularArithmetic(
            "multiply", modulus=modulus, input_range=RANGE, beyond=ENDS, samples=samples
        ),
        training=lab.Training(epochs=epochs),
        seed=seed,
        ablations=("zero", "permute"),
    )


@lab.register
@dataclass(frozen=True)
class Remainder:
    """The remainder a mod m, where a and m are both inputs.

    Args:
        moduli: The values of m in training and test; every pair with a below r is drawn.
        unseen: Further values of m, in test sets of their own only.
        input_range: r.
        beyond: The end of the test sets: integers a from half of it on.
    """

    name: ClassVar[str] = "remainder"
    version: ClassVar[int] = 1
    operands: ClassVar[int] = 2

    moduli: tuple[int, ...]
    unseen: tuple[int, ...] = ()
    input_range: int = 5000
    beyond: int = 10**6

    @property
    def classes(self) -> int:
        """The largest m."""
        return max(*self.moduli, *self.unseen)

    def sizes(self) -> tuple[int, int]:
        """Return four fifths and one fifth of all pairs."""
        pairs = self.input_range * len(self.moduli)
        return pairs - pairs // 5, pairs // 5

    def beyond_sizes(self) -> dict[str, int]:
        """Return the sizes of the test sets: each m beyond the range, unseen ones also in it."""
        names = [f"{m} beyond" for m in (*self.moduli, *self.unseen)]
        return dict.fromkeys([*names, *(f"{m} in range" for m in self.unseen)], 1000)

    def draw(self, seed: int) -> lab.Samples:
        """Draw the examples."""
        generator = np.random.default_rng(seed)
        pairs = np.stack(np.meshgrid(np.arange(self.input_range), self.moduli), axis=-1)
        inputs = generator.permutation(pairs.reshape(-1, 2))
        # Permuted once and cut, so that no pair is in both sets.
        cut = self.sizes()[0]

        def examples(some: Any) -> lab.Examples:
            return lab.Examples(some, some[:, 0] % some[:, 1])

        def further(name: str, size: int) -> lab.Examples:
            m, place = name.split(" ", 1)
            ends = (self.beyond // 2, self.beyond) if place == "beyond" else (0, self.input_range)
            drawn = generator.integers(*ends, size=size)
            return examples(np.stack([drawn, np.full(size, int(m))], axis=1))

        return lab.Samples(
            examples(inputs[:cut]),
            examples(inputs[cut:]),
            {name: further(name, size) for name, size in self.beyond_sizes().items()},
        )


def remainder_model(moduli: Sequence[int], seed: int) -> lab.ModelConfig:
    """Return a model that learns a mod m for some m; it never sees 35 = 5 · 7."""
    return lab.ModelConfig(
        embedding=lab.PrimeFourier(EIGHT, 2),
        task=Remainder(tuple(moduli), unseen=(35,)),
        training=lab.Training(epochs=40),
        seed=seed,
        ablations=("zero", "permute"),
    )


studies = [
    lab.Study(
        base,
        [
            model(base, modulus, seed, epochs=25 if base == "paper" else 10)
            for seed in SEEDS
            for modulus in MODULI
        ],
        title=f"Products modulo N, {base}",
        axes=[lab.Axis("task.modulus", "N", "modulus N")],
    )
    for base in BASES
]
studies += [
    lab.Study(
        f"few examples {base}",
        [
            model(base, modulus, seed, samples=samples, epochs=STEPS // samples)
            for seed in SEEDS
            for modulus in (59, 143)
            for samples in FEW
        ],
        title=f"Products modulo N from few examples, {base}",
        axes=[
            lab.Axis("task.modulus", "N", "modulus N"),
            lab.Axis("task.samples", "examples"),
        ],
    )
    for base in ("characters", "circles")
]
studies.append(
    lab.Study(
        "modulus as input",
        [remainder_model((5, 7, 9, 11, 15, 21, 23, 33, 29, 31, 37, 62), seed) for seed in SEEDS],
        title="a mod m with m as an input; the primes are 3 … 23",
        axes=[lab.Axis("task.unseen", "unseen m")],
    )
)
