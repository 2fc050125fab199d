"""Experiment 1: does a network trained modulo p use the row of p, and no other?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from primefourier.arithmetic.integers import as_integer
from primefourier.lab.config import Embedding, ModelConfig
from primefourier.lab.experiments.experiment import Experiment

PAPER_SIZES = (4, 6, 8, 10, 12, 14, 16)


@dataclass(frozen=True, kw_only=True)
class SinglePrime(Experiment):
    """One model for each task prime p among the first |P| primes, trained on (a + b) mod p.

    Args:
        sizes: |P|, how many of the primes have a row; for other primes than the paper's, by default
            all of them.

    >>> len(SinglePrime().configs())
    350
    """

    name: ClassVar[str] = "exp1"
    threshold: ClassVar[float] = 0.85

    sizes: tuple[int, ...] = PAPER_SIZES

    def __post_init__(self) -> None:
        few = isinstance(self.primes, Sequence) and len(self.primes) < max(PAPER_SIZES)
        if self.sizes == PAPER_SIZES and few:
            object.__setattr__(self, "sizes", (len(self.primes),))
        super().__post_init__()

    @property
    def _embedding(self) -> Embedding:
        return "pfe"

    def configs(self) -> list[ModelConfig]:
        """Return the models, by size, range, seed and task prime."""
        for size in self.sizes:
            if as_integer(size, "sizes", at_least=1) > len(self.primes):
                raise ValueError(
                    f"sizes must be at most the number of primes, {len(self.primes)}, got {size}; "
                    "name more primes with --primes"
                )
        return [
            self._config(
                modulus=prime,
                input_range=input_range,
                primes=self.primes[:size],
                embedding=self._embedding,
                seed=seed,
            )
            for size in self.sizes
            for input_range in self.ranges
            for seed in self.seeds
            for prime in self.primes[:size]
        ]
