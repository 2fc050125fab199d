"""What all experiments share: which models to train, from a few lists."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PAPER_BASIS, Plan, PrimeBasis, plan
from primefourier.lab.config import ModelConfig, Operation, Trainer
from primefourier.lab.keys import refuse_unknown

PAPER_RANGES = (100, 500, 1000, 2000, 4000)


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """A list of models, described by the values that vary; defaults are the paper's.

    Args:
        ranges: Input ranges r; operands are 0 … r - 1.
        seeds: One model for each seed.
        primes: The primes to take rows from.
        depth: Powers of each prime.
        operation: add, subtract or multiply.
        epochs: Passes over the training pairs.
        batch_size: Pairs in a step.
        learning_rate: Of Adam.
        pairs: Distinct pairs to draw, at most all r².
        trainer: fast, or plain, the readable loop.
    """

    name: ClassVar[str]
    threshold: ClassVar[float]
    """A model has converged if its test accuracy exceeds this after any epoch."""

    ranges: tuple[int, ...] = PAPER_RANGES
    seeds: tuple[int, ...] = (42,)
    primes: tuple[int, ...] = PAPER_BASIS.primes
    depth: int = PAPER_BASIS.depth
    operation: Operation = ModelConfig.operation
    epochs: int = ModelConfig.epochs
    batch_size: int = ModelConfig.batch_size
    learning_rate: float = ModelConfig.learning_rate
    pairs: int = ModelConfig.pairs
    trainer: Trainer = ModelConfig.trainer

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, tuple):
                if isinstance(value, str | bytes) or not isinstance(value, Iterable):
                    raise ValueError(f"{field.name} must be a list of integers, got {value!r}")
                values = tuple(as_integer(item, field.name) for item in value)
                if not values:
                    raise ValueError(f"{field.name} must name at least one value, got none")
                if len(set(values)) < len(values):
                    raise ValueError(f"{field.name} must be distinct, got {list(values)}")
                object.__setattr__(self, field.name, values)
        object.__setattr__(self, "primes", PrimeBasis(self.primes, self.depth).primes)
        self.configs()  # which refuses what a model cannot be

    @abstractmethod
    def configs(self) -> list[ModelConfig]:
        """Return the models."""

    def invisible(self) -> list[Plan]:
        """Return the plan of each modulus that its basis cannot see whole.

        The paper calls primes without a row invisible: the answer cannot follow from the features.
        """
        tasks = {(config.modulus, config.basis) for config in self.configs()}
        plans = (plan(modulus, basis) for modulus, basis in sorted(tasks, key=lambda t: t[0]))
        return [found for found in plans if not found.complete]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "the settings") -> Self:
        """Make an experiment from plain data; unknown keys are refused."""
        refuse_unknown(data, [field.name for field in fields(cls)], where)
        return cls(**data)

    def _config(self, **values: Any) -> ModelConfig:
        return ModelConfig(
            experiment=self.name,
            depth=self.depth,
            operation=self.operation,
            epochs=self.epochs,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            pairs=self.pairs,
            trainer=self.trainer,
            **values,
        )
