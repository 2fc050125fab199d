"""The paper's three experiments, and the profiles of ``pfe reproduce``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, get_args

from primefourier._checks import require_choice
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import Embedding, ModelConfig
from primefourier.lab.studies.study import Study

PAPER_SIZES = (4, 6, 8, 10, 12, 14, 16)
PAPER_MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)


@dataclass(frozen=True, kw_only=True)
class SinglePrime(Study):
    """Experiment 1: does a network trained modulo p use the row of p, and no other?

    One model for each task prime p among the first |P| primes, trained on (a + b) mod p.

    Args:
        sizes: |P|, how many of the primes have a row; for other primes than the paper's, by default
            all of them.

    >>> len(SinglePrime().configs())
    350
    """

    name: ClassVar[str] = "exp1"
    title: ClassVar[str] = "Experiment 1"
    threshold: ClassVar[float] = 0.85
    row_name: ClassVar[str] = "|P|"
    row_label: ClassVar[str] = "number of primes |P|"
    row_option: ClassVar[str] = "--sizes"
    one_model_per_cell: ClassVar[bool] = False

    sizes: tuple[int, ...] = PAPER_SIZES

    def __post_init__(self) -> None:
        few = isinstance(self.primes, Sequence) and len(self.primes) < max(PAPER_SIZES)
        if self.sizes == PAPER_SIZES and few:
            object.__setattr__(self, "sizes", (len(self.primes),))
        super().__post_init__()

    @property
    def _embedding(self) -> Embedding:
        return "pfe"

    def _models(self) -> Iterator[ModelConfig]:
        """Make the models, by size, range, seed and task prime."""
        for size in self.sizes:
            if as_integer(size, "sizes", at_least=1) > len(self.primes):
                raise ValueError(
                    f"sizes must be at most the number of primes, {len(self.primes)}, got {size}; "
                    "name more primes"
                )
        yield from (
            self._config(
                modulus=modulus,
                input_range=input_range,
                primes=primes,
                embedding=self._embedding,
                seed=seed,
            )
            for size in self.sizes
            for input_range in self.ranges
            for seed in self.seeds
            for modulus, primes in self.tasks(size, self.primes)
        )

    @staticmethod
    def row_of(config: ModelConfig) -> int:
        """Return |P|."""
        return len(config.primes)

    @staticmethod
    def tasks(row: int, pool: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        """Return one task for each of the first |P| primes.

        >>> SinglePrime.tasks(2, (3, 5, 7))
        [(3, (3, 5)), (5, (3, 5))]
        """
        primes = tuple(pool[:row])
        return [(prime, primes) for prime in primes]


@dataclass(frozen=True, kw_only=True)
class ShuffledControl(SinglePrime):
    """The control: experiment 1 on PFE-Shuffled, where rows no longer belong to primes.

    Args:
        embedding: What is shuffled between rows: shuffled-column (single numbers), shuffled-pair
            or shuffled-block.

    >>> {config.embedding for config in ShuffledControl().configs()}
    {'shuffled-column'}
    """

    name: ClassVar[str] = "control"
    title: ClassVar[str] = "Control (PFE-Shuffled)"

    embedding: Embedding = "shuffled-column"

    @property
    def _embedding(self) -> Embedding:
        if self.embedding == "pfe":
            raise ValueError("embedding 'pfe' is that of exp1; the control needs a shuffled one")
        require_choice(self.embedding, get_args(Embedding)[1:], "embedding")
        return self.embedding


@dataclass(frozen=True, kw_only=True)
class CompositeModuli(Study):
    """Experiment 2: does a network trained modulo N use the rows of N's prime factors?

    One model for each modulus N, trained on (a + b) mod N with one fixed set of primes.

    Args:
        moduli: N; any integers from 2 on.

    >>> len(CompositeModuli().configs())
    50
    """

    name: ClassVar[str] = "exp2"
    title: ClassVar[str] = "Experiment 2"
    threshold: ClassVar[float] = 0.70
    row_name: ClassVar[str] = "N"
    row_label: ClassVar[str] = "modulus N"
    row_option: ClassVar[str] = "--moduli"
    one_model_per_cell: ClassVar[bool] = True

    primes: tuple[int, ...] = PAPER_BASIS.primes[:8]
    epochs: int = 40
    moduli: tuple[int, ...] = PAPER_MODULI

    def _models(self) -> Iterator[ModelConfig]:
        """Make the models, by modulus, range and seed."""
        return (
            self._config(modulus=modulus, input_range=input_range, primes=self.primes, seed=seed)
            for modulus in self.moduli
            for input_range in self.ranges
            for seed in self.seeds
        )

    @staticmethod
    def row_of(config: ModelConfig) -> int:
        """Return N."""
        return config.modulus

    @staticmethod
    def tasks(row: int, pool: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        """Return the only task of a cell: modulo N, with all primes."""
        return [(row, tuple(pool))]


EXPERIMENTS: dict[str, type[Study]] = {
    study.name: study for study in (SinglePrime, ShuffledControl, CompositeModuli)
}
PROFILES = ("smoke", "quick", "paper")


def profile(name: str, *, seeds: Sequence[int] = (42,)) -> list[Study]:
    """Return the studies of a profile: how much of the paper to run. All follow its protocol.

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


def models_of(studies: Sequence[Study]) -> list[ModelConfig]:
    """Return the models of several studies, each once."""
    configs = (config for study in studies for config in study.configs())
    return list({config.key: config for config in configs}.values())
