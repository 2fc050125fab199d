"""The paper's three experiments, and the profiles of ``pfe reproduce``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from primefourier._checks import require_choice
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig
from primefourier.lab.embeddings import PrimeFourier, ShuffledPrimeFourier
from primefourier.lab.studies.experiment import RANGE_AXIS, Experiment
from primefourier.lab.study import Axis

PAPER_SIZES = (4, 6, 8, 10, 12, 14, 16)
PAPER_MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
SHUFFLES = ("shuffled-column", "shuffled-pair", "shuffled-block")


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
