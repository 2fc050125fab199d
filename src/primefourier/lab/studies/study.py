"""A study: which models to train, from a few lists, and what the axes of its results are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice, pairwise
from typing import Any, ClassVar, Self

from primefourier._checks import refuse_unknown
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PAPER_BASIS, Plan, plan
from primefourier.lab.config import (
    ModelConfig,
    Operation,
    Trainer,
    model_basis,
    require_bounds,
)

PAPER_RANGES = (100, 500, 1000, 2000, 4000)
MOST_MODELS = 100_000
_NUMBERS = {"ranges": "input_range", "seeds": "seed", "moduli": "modulus"}
"""Lists of a study, and the field of a model that each of their values becomes."""


@dataclass(frozen=True, kw_only=True)
class Study(ABC):
    """A list of models, described by the values that vary; defaults are the paper's.

    Results of a study are arranged in cells, one for each row and input range. The class
    attributes and the methods ``row_of`` and ``tasks`` say what a row is.

    Args:
        ranges: Input ranges r; operands are 0 … r - 1.
        seeds: One model for each seed.
        primes: The pool of primes that models take their rows from.
        depth: Powers of each prime.
        operation: add, subtract or multiply.
        epochs: Passes over the training pairs.
        batch_size: Pairs in a step.
        learning_rate: Of Adam.
        pairs: Distinct pairs to draw, at most all r².
        trainer: fast, or plain, the readable loop.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    threshold: ClassVar[float]
    """A model has converged if its test accuracy exceeds this after any epoch."""
    row_name: ClassVar[str]
    row_label: ClassVar[str]
    row_option: ClassVar[str]
    """The option of ``pfe run`` that lists the rows."""
    one_model_per_cell: ClassVar[bool]
    """Whether a cell has one model per seed, rather than one for each task prime."""

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
                values = tuple(_read(item, field.name) for item in islice(value, MOST_MODELS + 1))
                if not values:
                    raise ValueError(f"{field.name} must name at least one value, got none")
                for one, other in pairwise(sorted(values)):
                    if one == other:
                        raise ValueError(f"{field.name} must be distinct, got {one} twice")
                object.__setattr__(self, field.name, values)
        object.__setattr__(self, "primes", model_basis(self.primes, self.depth).primes)
        self.configs()  # raises for values that no model can have

    def configs(self) -> list[ModelConfig]:
        """Return the models."""
        found = list(islice(self._models(), MOST_MODELS + 1))
        if len(found) > MOST_MODELS:
            raise ValueError(
                f"a study must have at most {MOST_MODELS} models, got more; name fewer seeds"
            )
        return found

    @abstractmethod
    def _models(self) -> Iterator[ModelConfig]:
        """Make the models one by one."""

    @staticmethod
    @abstractmethod
    def row_of(config: ModelConfig) -> int:
        """Return the row of the cell that a model belongs to."""

    @staticmethod
    @abstractmethod
    def tasks(row: int, pool: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        """Return modulus and primes of each model that one seed of a cell has.

        Args:
            row: The row of the cell.
            pool: The primes of the study.
        """

    @classmethod
    def cell_of(cls, config: ModelConfig) -> tuple[int, int]:
        """Return the row and the input range of the cell that a model belongs to."""
        return cls.row_of(config), config.input_range

    @classmethod
    def contains(cls, config: ModelConfig, pool: Sequence[int]) -> bool:
        """Return whether a study with this pool of primes can contain a model."""
        return (config.modulus, config.primes) in cls.tasks(cls.row_of(config), pool)

    def invisible(self) -> list[Plan]:
        """Return the plan of each modulus that has a prime factor without a row.

        The paper calls such primes invisible: the answer does not follow from the features.
        """
        tasks = {(config.modulus, config.basis) for config in self.configs()}
        plans = (plan(modulus, basis) for modulus, basis in sorted(tasks, key=lambda t: t[0]))
        return [found for found in plans if not found.complete]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "the settings") -> Self:
        """Make a study from plain data; unknown keys are refused."""
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


def _read(item: object, name: str) -> int:
    return (
        require_bounds(item, _NUMBERS[name], name) if name in _NUMBERS else as_integer(item, name)
    )
