"""One model of a sweep: everything that decides its numbers, frozen and hashed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Literal, Self, get_args

from primefourier.analysis.choices import require_choice
from primefourier.analysis.noise_floor import noise_floor
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.lab.keys import refuse_unknown

Operation = Literal["add", "subtract", "multiply"]
Embedding = Literal["pfe", "shuffled-column", "shuffled-pair", "shuffled-block"]
Trainer = Literal["fast", "plain"]

LARGEST_RANGE = 2**31
"""Pairs are drawn by their index a·r + b, and a·b has to fit an int64."""
LARGEST_MODULUS = 10**6
"""The network has one logit for each residue."""
_LIMITS = {
    "input_range": LARGEST_RANGE,
    "modulus": LARGEST_MODULUS,
    "depth": 64,
    "pairs": 10**7,  # features are held in memory
    "seed": 2**63 - 1,  # as torch has it
}


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The whole recipe of one model; two equal recipes give the same numbers.

    Args:
        experiment: The experiment it belongs to.
        modulus: N; the network has one logit for each residue.
        input_range: r; the operands are 0 … r - 1.
        primes: One row of the network for each.
        depth: How many powers of each prime.
        operation: What is done to the operands modulo N.
        embedding: PFE itself, or its control with features shuffled between rows.
        seed: Decides pairs, split, initial weights, batches and the shuffle.
        epochs: Passes over the training pairs.
        batch_size: Pairs in a step; a last partial batch is kept.
        learning_rate: Of Adam.
        pairs: How many distinct pairs are drawn, at most all r².
        trainer: ``fast``, or ``plain``, the readable loop; they agree up to rounding.

    >>> config = ModelConfig(experiment="exp1", modulus=7, input_range=100, primes=(3, 5, 7))
    >>> config.key[:8], config.relevant
    ('c904517c', (7,))
    """

    experiment: str
    modulus: int
    input_range: int
    primes: tuple[int, ...]
    depth: int = 6
    operation: Operation = "add"
    embedding: Embedding = "pfe"
    seed: int = 42
    epochs: int = 25
    batch_size: int = 1024
    learning_rate: float = 3e-3
    pairs: int = 80_000
    trainer: Trainer = "fast"

    def __post_init__(self) -> None:
        if not isinstance(self.experiment, str) or not self.experiment:
            raise ValueError(f"experiment must be a name, got {self.experiment!r}")
        least = {"modulus": 2, "input_range": 2, "seed": 0, "pairs": 2}
        for name in (*_LIMITS, "epochs", "batch_size"):
            value = as_integer(getattr(self, name), name, at_least=least.get(name, 1))
            object.__setattr__(self, name, value)
        for name, limit in _LIMITS.items():
            if getattr(self, name) > limit:
                raise ValueError(f"{name} must be at most {limit}, got {getattr(self, name)}")
        require_choice(self.operation, get_args(Operation), "operation")
        require_choice(self.embedding, get_args(Embedding), "embedding")
        require_choice(self.trainer, get_args(Trainer), "trainer")
        rate = self.learning_rate
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < math.inf:
            raise ValueError(f"learning_rate must be a positive number, got {rate!r}")
        object.__setattr__(self, "learning_rate", float(rate))
        object.__setattr__(self, "primes", self.basis.primes)

    @cached_property
    def basis(self) -> PrimeBasis:
        """The primes and the depth as a basis."""
        return PrimeBasis(tuple(self.primes), self.depth)

    @cached_property
    def key(self) -> str:
        """Return the hash that names this model in a store."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def relevant(self) -> tuple[int, ...]:
        """The primes of the basis that divide N: the rows that should matter."""
        return tuple(p for p in self.primes if self.modulus % p == 0)

    @property
    def degenerate(self) -> bool:
        """Whether no answer ever wraps around, so that the task is not modular at all."""
        top = self.input_range - 1
        largest = {"add": 2 * top, "multiply": top * top}.get(self.operation, self.modulus)
        return largest < self.modulus  # differences are negative half of the time: they wrap

    @property
    def split(self) -> tuple[int, int]:
        """How many pairs the network is trained on, and how many it is tested on: 80/20."""
        drawn = min(self.pairs, self.input_range**2)
        train = drawn * 4 // 5
        return train, drawn - train

    @property
    def noise_floor(self) -> float:
        """The noise floor of its drops, known before anything is measured."""
        return noise_floor(self.split[1])

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data."""
        return {**asdict(self), "primes": list(self.primes)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a recipe back; unknown keys are refused.

        >>> ModelConfig.from_dict({"modulos": 7})
        Traceback (most recent call last):
        ValueError: unknown key 'modulos' in a model's config; did you mean 'modulus'?
        """
        refuse_unknown(data, [field.name for field in fields(cls)], "a model's config")
        return cls(**{**data, "primes": tuple(data.get("primes", ()))})

    def describe(self) -> str:
        """Name the model in one short line.

        >>> ModelConfig(
        ...     experiment="exp1", modulus=7, input_range=100, primes=(3, 5, 7)
        ... ).describe()
        'exp1 N=7 r=100 |P|=3 seed=42'
        """
        size = len(self.primes)
        return (
            f"{self.experiment} N={self.modulus} r={self.input_range} |P|={size} seed={self.seed}"
        )
