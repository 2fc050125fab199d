"""An experiment of the paper: a list of models, described by the values that vary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, ClassVar, Self, cast

from primefourier._checks import refuse_unknown
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig, Training
from primefourier.lab.embeddings import PrimeFourier, model_basis
from primefourier.lab.study import MOST_MODELS, Axis, Study
from primefourier.lab.tasks import ModularArithmetic, Operation, require_bounds

PAPER_RANGES = (100, 500, 1000, 2000, 4000)
RANGE_AXIS = Axis("task.input_range", "r", "input range r")
_NUMBERS = {"ranges": "input_range", "moduli": "modulus"}
"""Lists of an experiment, and the field of a task that each of their values becomes."""


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """An experiment of the paper: a list of models, from a few lists; defaults are the paper's.

    Args:
        ranges: Input ranges r; operands are 0 … r - 1.
        seeds: One model for each seed.
        primes: The pool of primes that models take their rows from.
        depth: Powers of each prime.
        operation: add, subtract or multiply.
        epochs: Passes over the training pairs.
        batch_size: Pairs in a step.
        learning_rate: The learning rate of Adam.
        pairs: Distinct pairs to draw, at most all r².
    """

    short_name: ClassVar[str]
    heading: ClassVar[str]
    expectation: ClassVar[str]
    threshold: ClassVar[float]
    axes: ClassVar[tuple[Axis, Axis]]
    """|P| or N, and r."""
    row_setting: ClassVar[str]
    """The setting that lists the rows of its heatmaps."""
    one_model_per_cell: ClassVar[bool]
    """Whether a cell has one model per seed, rather than one for each task prime."""

    ranges: tuple[int, ...] = PAPER_RANGES
    seeds: tuple[int, ...] = (42,)
    primes: tuple[int, ...] = PAPER_BASIS.primes
    depth: int = PAPER_BASIS.depth
    operation: Operation = "add"
    epochs: int = Training.epochs
    batch_size: int = cast(int, Training.batch_size)
    learning_rate: float = Training.learning_rate
    pairs: int = ModularArithmetic.samples

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
        _ = self.configs  # raises for values that no model can have

    @cached_property
    def configs(self) -> tuple[ModelConfig, ...]:
        """The models."""
        chosen = list(islice(self._choices(), MOST_MODELS + 1))
        if len(chosen) > MOST_MODELS:
            raise ValueError(
                f"a study must have at most {MOST_MODELS} models, got more; name fewer seeds"
            )
        return tuple(self.config(*choice) for choice in chosen)

    @abstractmethod
    def _choices(self) -> Iterator[tuple[int, int, tuple[int, ...], int]]:
        """Return the modulus, input range, primes and seed of each model."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from the paper's; lists of rows, ranges and seeds do not count.

        The first of the paper's primes are the paper's, if a list of sizes chooses among them.
        """
        lists = ("ranges", "seeds", self.row_setting)
        found = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in lists}
        other = {
            f.name: found[f.name] for f in fields(self) if found.get(f.name, f.default) != f.default
        }
        pool = type(self).primes[: len(self.primes)]
        if not self.one_model_per_cell and other.get("primes") == pool:
            del other["primes"]
        return other

    @property
    def name(self) -> str:
        """The short name, and the settings that differ from the paper's."""
        other = self.settings.items()
        return " ".join([self.short_name, *(f"{k}={_write(v)}" for k, v in other)])

    @property
    def title(self) -> str:
        """The heading, and the settings that differ from the paper's."""
        words = [f"{k.replace('_', ' ')} {_write(v, ', ')}" for k, v in self.settings.items()]
        return ", ".join([self.heading, *words])

    def study(self) -> Study:
        """Return the models as a study that knows which experiment they belong to."""
        return Study(
            self.name,
            self.configs,
            self.title,
            self.axes,
            self.threshold,
            kind=self.short_name,
            settings=self.settings,
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "the settings") -> Self:
        """Make an experiment from plain data; unknown keys are refused."""
        refuse_unknown(data, [field.name for field in fields(cls)], where)
        return cls(**data)

    def _embedding(self, primes: tuple[int, ...], seed: int) -> PrimeFourier:  # noqa: ARG002
        return PrimeFourier(primes, self.depth)

    def config(
        self, modulus: int, input_range: int, primes: tuple[int, ...], seed: int
    ) -> ModelConfig:
        """Return a model with these values and the settings of this experiment."""
        return ModelConfig(
            embedding=self._embedding(primes, seed),
            task=ModularArithmetic(
                self.operation, modulus=modulus, input_range=input_range, samples=self.pairs
            ),
            training=Training(
                epochs=self.epochs,
                batch_size=self.batch_size,
                learning_rate=self.learning_rate,
            ),
            seed=seed,
        )


def _read(item: object, name: str) -> int:
    if name in _NUMBERS:
        return require_bounds(item, _NUMBERS[name], name)
    return as_integer(item, name, at_least={"seeds": 0, "sizes": 1}.get(name))


def _write(value: object, comma: str = ",") -> str:
    return comma.join(map(str, value)) if isinstance(value, tuple) else str(value)
