"""The control: experiment 1 with the features shuffled between the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from primefourier.lab.config import Embedding
from primefourier.lab.experiments.single_prime import SinglePrime


@dataclass(frozen=True, kw_only=True)
class ShuffledControl(SinglePrime):
    """Experiment 1 on PFE-Shuffled: every feature is there, but rows no longer belong to primes.

    Args:
        embedding: What is shuffled: shuffled-column (single numbers), shuffled-pair or
            shuffled-block.

    >>> {config.embedding for config in ShuffledControl().configs()}
    {'shuffled-column'}
    """

    name: ClassVar[str] = "control"

    embedding: Embedding = "shuffled-column"

    @property
    def _embedding(self) -> Embedding:
        if self.embedding == "pfe":
            raise ValueError(
                "embedding of the control must be 'shuffled-column', 'shuffled-pair' or "
                "'shuffled-block', got 'pfe'; experiment exp1 is the one with PFE itself"
            )
        return self.embedding
