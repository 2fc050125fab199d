"""Experiment 2: does a network trained modulo a composite N use the rows of N's prime factors?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments.experiment import Experiment

PAPER_MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)


@dataclass(frozen=True, kw_only=True)
class CompositeModuli(Experiment):
    """One model for each modulus N, trained on (a + b) mod N with one fixed set of primes.

    Args:
        moduli: N; any integers from 2 on.

    >>> len(CompositeModuli().configs())
    50
    """

    name: ClassVar[str] = "exp2"
    threshold: ClassVar[float] = 0.70

    primes: tuple[int, ...] = PAPER_BASIS.primes[:8]
    epochs: int = 40
    moduli: tuple[int, ...] = PAPER_MODULI

    def configs(self) -> list[ModelConfig]:
        """Return the models, by modulus, range and seed."""
        return [
            self._config(modulus=modulus, input_range=input_range, primes=self.primes, seed=seed)
            for modulus in self.moduli
            for input_range in self.ranges
            for seed in self.seeds
        ]
