"""The control: experiment 1 with the features shuffled between the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, get_args

from primefourier.analysis.choices import require_choice
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
            raise ValueError("embedding 'pfe' is that of exp1; the control needs a shuffled one")
        require_choice(self.embedding, get_args(Embedding)[1:], "embedding")
        return self.embedding
