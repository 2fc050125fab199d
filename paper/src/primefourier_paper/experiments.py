"""The paper's three experiments as lists of models, and the profiles of ``pfe reproduce``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, ClassVar, Self, cast

from primefourier._checks import refuse_unknown, require_choice
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig, Training
from primefourier.lab.embeddings import PrimeFourier, ShuffledPrimeFourier, model_basis
from primefourier.lab.study import MOST_MODELS, Axis, Study
from primefourier.lab.tasks import ModularArithmetic, Operation, require_bounds

PAPER_RANGES = (100, 500, 1000, 2000, 4000)
PAPER_SIZES = (4, 6, 8, 10, 12, 14, 16)
PAPER_MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
SHUFFLES = ("shuffled-column", "shuffled-pair", "shuffled-block")
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
                # An endless list is cut before it can hang, and refused below.
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
        # A prefix of the paper's pool makes the paper's models, and is no other setting.
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


@dataclass(frozen=True, kw_only=True)
class SinglePrime(Experiment):
    """Experiment 1: does a network trained modulo p use the row of p, and no other?

    One model for each task prime p among the first |P| primes, trained on (a + b) mod p.

    Args:
        sizes: |P|, how many of the primes have a row; for other primes than the paper's, by default
            all of them.

    >>> len(SinglePrime().configs)
    350
    """

    short_name: ClassVar[str] = "exp1"
    heading: ClassVar[str] = "Experiment 1"
    expectation: ClassVar[str] = "Trained modulo a prime p. Only the row of p should matter."
    threshold: ClassVar[float] = 0.85
    axes: ClassVar[tuple[Axis, Axis]] = (
        Axis("embedding.primes", "|P|", "number of primes |P|", length=True),
        RANGE_AXIS,
    )
    row_setting: ClassVar[str] = "sizes"
    one_model_per_cell: ClassVar[bool] = False

    sizes: tuple[int, ...] = PAPER_SIZES

    def __post_init__(self) -> None:
        # With a smaller pool the paper's sizes would name primes that are not there.
        few = isinstance(self.primes, Sequence) and len(self.primes) < max(PAPER_SIZES)
        if self.sizes == PAPER_SIZES and few:
            object.__setattr__(self, "sizes", (len(self.primes),))
        super().__post_init__()

    def _choices(self) -> Iterator[tuple[int, int, tuple[int, ...], int]]:
        if max(self.sizes) > len(self.primes):
            raise ValueError(
                f"sizes must be at most the number of primes, {len(self.primes)}, got "
                f"{max(self.sizes)}; name more primes"
            )
        return (
            (prime, input_range, self.primes[:size], seed)
            for size in self.sizes
            for input_range in self.ranges
            for seed in self.seeds
            for prime in self.primes[:size]
        )


@dataclass(frozen=True, kw_only=True)
class ShuffledControl(SinglePrime):
    """The control: experiment 1 on PFE-Shuffled, where rows no longer belong to primes.

    NOTE[PAPER]: the paper gives no epochs for the control; here they are those of experiment 1.

    Args:
        embedding: What is shuffled between rows: shuffled-column (single numbers), shuffled-pair
            or shuffled-block.

    >>> len(ShuffledControl(sizes=(4,), ranges=(100,)).configs)
    4
    """

    short_name: ClassVar[str] = "control"
    heading: ClassVar[str] = "Control (PFE-Shuffled)"
    expectation: ClassVar[str] = (
        "The same features, shuffled between the rows. No row should stand out."
    )

    embedding: str = "shuffled-column"

    def _embedding(self, primes: tuple[int, ...], seed: int) -> PrimeFourier:
        if self.embedding == "pfe":
            raise ValueError(
                f"embedding 'pfe' is that of {SinglePrime.short_name}; the control needs a "
                "shuffled one"
            )
        require_choice(self.embedding, SHUFFLES, "embedding")
        unit: Any = self.embedding.removeprefix("shuffled-")
        return ShuffledPrimeFourier(primes, self.depth, unit, seed)


@dataclass(frozen=True, kw_only=True)
class CompositeModuli(Experiment):
    """Experiment 2: does a network trained modulo N use the rows of N's prime factors?

    One model for each modulus N, trained on (a + b) mod N with one fixed set of primes.

    NOTE[PAPER]: the paper gives no batch size for this experiment; here it is that of experiment 1.

    Args:
        moduli: N; any integers from 2 on.

    >>> len(CompositeModuli().configs)
    50
    """

    short_name: ClassVar[str] = "exp2"
    heading: ClassVar[str] = "Experiment 2"
    expectation: ClassVar[str] = (
        "Trained modulo N. Only the rows of its prime factors should matter."
    )
    threshold: ClassVar[float] = 0.70
    axes: ClassVar[tuple[Axis, Axis]] = (Axis("task.modulus", "N", "modulus N"), RANGE_AXIS)
    row_setting: ClassVar[str] = "moduli"
    one_model_per_cell: ClassVar[bool] = True

    primes: tuple[int, ...] = PAPER_BASIS.primes[:8]
    epochs: int = 40
    moduli: tuple[int, ...] = PAPER_MODULI

    def _choices(self) -> Iterator[tuple[int, int, tuple[int, ...], int]]:
        return (
            (modulus, input_range, self.primes, seed)
            for modulus in self.moduli
            for input_range in self.ranges
            for seed in self.seeds
        )


EXPERIMENTS: dict[str, type[Experiment]] = {
    experiment.short_name: experiment
    for experiment in (SinglePrime, ShuffledControl, CompositeModuli)
}
PROFILES = ("smoke", "quick", "paper")


def profile(name: str, *, seeds: Sequence[int] = (42,)) -> list[Experiment]:
    """Return the experiments of a profile: how much of the paper to run, by its protocol.

    The quick profile covers part of every figure, and every claim that does not need many primes
    at a large input range.

    Args:
        name: smoke (about a minute on two cores), quick (about five), or paper (750 models).
        seeds: Every model is trained once for each.

    >>> [len(models_of(profile(name))) for name in PROFILES]
    [21, 91, 750]
    """
    require_choice(name, PROFILES, "profile")
    chosen = tuple(seeds)
    if name == "smoke":
        return [
            SinglePrime(sizes=(4,), ranges=(100, 500), seeds=chosen),
            ShuffledControl(sizes=(4,), ranges=(100, 500), seeds=chosen),
            CompositeModuli(moduli=(15, 21, 77, 105, 231), ranges=(100,), seeds=chosen),
        ]
    if name == "quick":
        return [
            SinglePrime(sizes=(4,), seeds=chosen),
            SinglePrime(sizes=(8,), ranges=(100, 1000), seeds=chosen),
            SinglePrime(sizes=(16,), ranges=(100,), seeds=chosen),
            ShuffledControl(sizes=(4, 8), ranges=(100, 1000), seeds=chosen),
            CompositeModuli(ranges=(100,), seeds=chosen),
            CompositeModuli(moduli=(77,), seeds=chosen),
            CompositeModuli(moduli=(105,), ranges=(1000,), seeds=chosen),
        ]
    return [SinglePrime(seeds=chosen), ShuffledControl(seeds=chosen), CompositeModuli(seeds=chosen)]


def models_of(experiments: Iterable[Experiment]) -> list[ModelConfig]:
    """Return the models of several experiments, each once."""
    configs = (config for experiment in experiments for config in experiment.configs)
    return list({config.key: config for config in configs}.values())
