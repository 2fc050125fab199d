"""The configuration of one model: everything that determines its numbers, frozen and hashed."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Literal, Self, get_args

from primefourier._checks import refuse_unknown, require_choice
from primefourier.analysis.statistics import noise_floor
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis

Operation = Literal["add", "subtract", "multiply"]
Embedding = Literal["pfe", "shuffled-column", "shuffled-pair", "shuffled-block"]
Trainer = Literal["fast", "plain"]

OPERANDS = 2
ENCODER_WIDTHS = (64, 32)
CLASSIFIER_WIDTH = 128
"""The layers of the network: an encoder shared by all rows, and a classifier."""
LARGEST_RANGE = 2**31
"""Pairs are drawn by their index a·r + b, and a·b must fit an int64."""
LARGEST_MODULUS = 10**6
"""The network has one logit per residue."""
BOUNDS = {
    "modulus": (2, LARGEST_MODULUS),
    "input_range": (2, LARGEST_RANGE),
    "depth": (1, 64),
    "seed": (0, 2**63 - 1),  # the limit of torch
    "epochs": (1, 10**6),
    "batch_size": (1, 2**63 - 1),
    "pairs": (2, 10**7),  # features are kept in memory
}
"""The smallest and the largest value of each number of a config."""
_MOST_PRIMES = 1000
_PRIME_BITS = 63
"""Primes must fit the int64 columns of an export; larger primes take long to prove."""


def require_bounds(value: object, field: str, name: str | None = None) -> int:
    """Return a number of a config as an int, or raise an error if it is out of bounds.

    Args:
        value: The number.
        field: The field of the config.
        name: The name in the error message; by default the field.

    >>> require_bounds(1, "input_range", "ranges")
    Traceback (most recent call last):
    ValueError: ranges must be an integer of at least 2, got 1
    """
    least, most = BOUNDS[field]
    number = as_integer(value, name or field, at_least=least)
    if number > most:
        raise ValueError(f"{name or field} must be at most {most}, got {number}")
    return number


_proven = lru_cache(maxsize=256)(PrimeBasis)  # the models of a sweep share a few bases


def model_basis(primes: Sequence[int], depth: int) -> PrimeBasis:
    """Return the basis of a network; too many or too large primes are refused before any proof."""
    if len(primes) > _MOST_PRIMES:
        raise ValueError(f"primes must be at most {_MOST_PRIMES} numbers, got {len(primes)}")
    numbers = tuple(as_integer(prime, "primes") for prime in primes)
    if (bits := max((number.bit_length() for number in numbers), default=0)) > _PRIME_BITS:
        raise ValueError(f"primes must be below 2^{_PRIME_BITS}, got a number of {bits} bits")
    return _proven(numbers, depth)


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The complete configuration of one model; equal configurations give equal numbers.

    Args:
        experiment: The name of the experiment.
        modulus: N; the network has one logit per residue.
        input_range: r; the operands are 0 … r - 1.
        primes: The primes; the network has one row per prime.
        depth: The number of powers of each prime.
        operation: The operation on the operands, modulo N.
        embedding: PFE, or a control with features shuffled between rows.
        seed: Determines pairs, split, initial weights, batches and the shuffle.
        epochs: The number of passes over the training pairs.
        batch_size: Pairs per step; the last batch may be smaller.
        learning_rate: The learning rate of Adam.
        pairs: The number of distinct pairs to draw, at most r².
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
        for field in BOUNDS:
            object.__setattr__(self, field, require_bounds(getattr(self, field), field))
        require_choice(self.operation, get_args(Operation), "operation")
        require_choice(self.embedding, get_args(Embedding), "embedding")
        require_choice(self.trainer, get_args(Trainer), "trainer")
        rate = self.learning_rate
        largest = sys.float_info.max
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate <= largest:
            raise ValueError(f"learning_rate must be a positive number, got {rate!r}")
        object.__setattr__(self, "learning_rate", float(rate))
        object.__setattr__(self, "primes", self.basis.primes)

    @cached_property
    def basis(self) -> PrimeBasis:
        """The primes and the depth as a basis."""
        return model_basis(self.primes, self.depth)

    @cached_property
    def key(self) -> str:
        """The hash that identifies this model in a store."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def relevant(self) -> tuple[int, ...]:
        """The primes of the basis that divide N: the relevant rows."""
        return tuple(p for p in self.primes if self.modulus % p == 0)

    @property
    def row_width(self) -> int:
        """The length of a row: (cos, sin) of both operands at each depth."""
        return 2 * OPERANDS * self.depth

    @property
    def degenerate(self) -> bool:
        """Whether no answer wraps around, so that the task is not modular."""
        top = self.input_range - 1
        largest = {"add": 2 * top, "multiply": top * top}.get(self.operation, self.modulus)
        return largest < self.modulus  # differences can be negative, so they always wrap

    @property
    def split(self) -> tuple[int, int]:
        """The number of training pairs and the number of test pairs: 80/20."""
        drawn = min(self.pairs, self.input_range**2)
        train = drawn * 4 // 5
        return train, drawn - train

    @property
    def noise_floor(self) -> float:
        """The noise floor of the drops of this model."""
        return noise_floor(self.split[1])

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as plain data."""
        return {**asdict(self), "primes": list(self.primes)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the result of ``to_dict``; unknown keys raise an error.

        >>> ModelConfig.from_dict({"modulos": 7})
        Traceback (most recent call last):
        ValueError: unknown key 'modulos' in a model's config; did you mean 'modulus'?
        """
        refuse_unknown(data, [field.name for field in fields(cls)], "a model's config")
        return cls(**{**data, "primes": tuple(data.get("primes", ()))})

    def describe(self) -> str:
        """Describe the model in one short line.

        >>> ModelConfig(
        ...     experiment="exp1", modulus=7, input_range=100, primes=(3, 5, 7)
        ... ).describe()
        'exp1 N=7 r=100 |P|=3 seed=42'
        """
        size = len(self.primes)
        return (
            f"{self.experiment} N={self.modulus} r={self.input_range} |P|={size} seed={self.seed}"
        )
