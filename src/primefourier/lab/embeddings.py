"""Embeddings: integers as rows of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from primefourier._checks import require_choice
from primefourier.arithmetic.integers import as_integer
from primefourier.arithmetic.primes import factorize
from primefourier.encoding import PAPER_BASIS, CharacterBasis, PrimeBasis, encode
from primefourier.lab.parts import bound_integers, is_number, register, require_integer

if TYPE_CHECKING:
    from torch import Tensor, nn

    from primefourier.nn.shuffled import Unit

_MOST_PRIMES = 1000
_PRIME_BITS = 63
"""Primes must fit the int64 columns of an export; larger primes take long to prove."""
_MOST_DEPTH = 64
_MOST_TABLE = 10**8

_proven = lru_cache(maxsize=256)(PrimeBasis)  # the models of a sweep share a few bases


def model_basis(primes: Sequence[int], depth: int) -> PrimeBasis:
    """Return the basis of a network; too many or too large primes are refused before any proof."""
    if not isinstance(primes, Sequence):
        raise TypeError(f"primes must be a tuple of primes, got a {type(primes).__name__}")
    if len(primes) > _MOST_PRIMES:
        raise ValueError(f"primes must be at most {_MOST_PRIMES} numbers, got {len(primes)}")
    numbers = tuple(as_integer(prime, "primes") for prime in primes)
    if (bits := max((number.bit_length() for number in numbers), default=0)) > _PRIME_BITS:
        raise ValueError(f"primes must be below 2^{_PRIME_BITS}, got a number of {bits} bits")
    return _proven(numbers, require_integer(depth, "depth", 1, _MOST_DEPTH))


@register
@dataclass(frozen=True)
class PrimeFourier:
    """The paper's embedding: one row per prime, with its circles at each depth.

    Args:
        primes: The primes.
        depth: The number of powers of each prime.

    >>> embedding = PrimeFourier(primes=(3, 5), depth=2)
    >>> embedding.rows(np.array([9, 17, 26])).shape
    torch.Size([3, 2, 4])
    """

    name: ClassVar[str] = "prime-fourier"
    version: ClassVar[int] = 1

    primes: tuple[int, ...] = PAPER_BASIS.primes
    depth: int = PAPER_BASIS.depth

    def __post_init__(self) -> None:
        object.__setattr__(self, "primes", self.basis.primes)

    @cached_property
    def basis(self) -> PrimeBasis:
        """The primes and the depth as a basis."""
        return model_basis(self.primes, self.depth)

    def row_names(self) -> tuple[str, ...]:
        """Return the primes."""
        return tuple(map(str, self.primes))

    def rows(self, integers: Any, dtype: str = "float32") -> Tensor:
        """Return the codes of integers, (n, primes, 2 · depth)."""
        import torch

        return torch.from_numpy(encode(integers, self.basis, dtype=dtype)).flatten(2)

    def relevant(self, task: Any) -> tuple[str, ...] | None:
        """Return the primes that divide the modulus, if the task has one."""
        modulus = getattr(task, "modulus", None)
        if modulus is None:
            return None
        return tuple(str(p) for p in self.primes if modulus % p == 0)

    def describe(self) -> str:
        """Describe the embedding in a few words."""
        depth = "" if self.depth == PAPER_BASIS.depth else f" depth={self.depth}"
        return f"|P|={len(self.primes)}{depth}"


@register
@dataclass(frozen=True)
class ShuffledPrimeFourier(PrimeFourier):
    """The paper's control: the same features, shuffled between rows and operands.

    Args:
        unit: What is shuffled: a "column" (single features), a "pair" (cos, sin) or a "block".
        seed: The seed of the shuffle.
    """

    name: ClassVar[str] = "shuffled-prime-fourier"

    unit: Unit = "column"
    seed: int = 42

    def __post_init__(self) -> None:
        require_choice(self.unit, ("column", "pair", "block"), "unit")
        object.__setattr__(self, "seed", as_integer(self.seed, "seed", at_least=0))
        super().__post_init__()

    def mix(self, features: Tensor, operands: int) -> Tensor:
        """Shuffle the joined features of all operands."""
        from primefourier.nn import ShuffledPrimeFourier as Shuffled

        shuffled = Shuffled(self.basis, unit=self.unit, operands=operands, seed=self.seed)
        return features.flatten(1).index_select(1, shuffled.permutation).view_as(features)

    def describe(self) -> str:
        """Describe the embedding in a few words."""
        return f"{super().describe()} shuffled-{self.unit}"


@register
@dataclass(frozen=True)
class Periods:
    """Circles of any periods: whole or real, prime or composite.

    Args:
        periods: One row per entry: a period, or a tuple of periods; all rows must have the same
            number of them.

    >>> Periods((7, 10.5)).rows(np.array([0, 7, 21]))[:, 1, 0].tolist()
    [1.0, -0.5, 1.0]
    """

    name: ClassVar[str] = "periods"
    version: ClassVar[int] = 1

    periods: tuple[float | tuple[float, ...], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.periods, tuple | list) or not self.periods:
            raise ValueError(f"periods must be a tuple of numbers, got {self.periods!r}")
        if len({len(row) for row in self._rows}) != 1:
            raise ValueError(f"all rows must have the same number of periods, got {self.periods}")
        for period in (period for row in self._rows for period in row):
            if not is_number(period) or not 1 < period < 1e300:
                raise ValueError(f"periods must be numbers above 1, got {period!r}")

    @property
    def _rows(self) -> list[tuple[float, ...]]:
        return [tuple(row) if isinstance(row, tuple | list) else (row,) for row in self.periods]

    def row_names(self) -> tuple[str, ...]:
        """Return the periods, with six digits if these are distinct."""
        short = tuple(" ".join(f"{period:g}" for period in row) for row in self._rows)
        if len(set(short)) == len(short):
            return short
        return tuple(" ".join(map(str, row)) for row in self._rows)

    def rows(self, integers: Any) -> Tensor:
        """Return (cos, sin)(2πa/T) for each period T, (n, rows, 2 · periods of a row)."""
        import torch

        numbers = np.array([int(value) for value in integers], dtype=object)
        turns = np.empty((len(numbers), len(self._rows), len(self._rows[0])))
        for i, row in enumerate(self._rows):
            for j, period in enumerate(row):  # reduced exactly, for integers of any size
                exact = Fraction(period)
                rest = numbers * exact.denominator % exact.numerator
                turns[:, i, j] = (rest / exact.numerator).astype(float)
        angles = 2 * np.pi * turns
        features = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        return torch.from_numpy(features.astype(np.float32)).flatten(2)

    def relevant(self, task: Any) -> tuple[str, ...] | None:
        """Return the rows with a whole period that divides the modulus, if the task has one."""
        modulus = getattr(task, "modulus", None)
        if modulus is None:
            return None
        pairs = zip(self.row_names(), self._rows, strict=True)
        return tuple(name for name, row in pairs if any(modulus % period == 0 for period in row))


@register
@dataclass(frozen=True)
class Planned:
    """The circles that ``plan`` names for the modulus of each task, and no others.

    One row per prime, if all primes of N have the same exponent; otherwise one row per circle.

    >>> from primefourier.lab import ModularArithmetic
    >>> for modulus in (33, 36, 45):
    ...     Planned().for_task(ModularArithmetic(modulus=modulus, input_range=100))
    PrimeFourier(primes=(3, 11), depth=1)
    PrimeFourier(primes=(2, 3), depth=2)
    Periods(periods=(3, 9, 5))
    """

    name: ClassVar[str] = "planned"
    version: ClassVar[int] = 1

    def for_task(self, task: Any) -> PrimeFourier | Periods:
        """Return the embedding for the modulus of a task."""
        modulus = getattr(task, "modulus", None)
        if modulus is None:
            raise TypeError(f"Planned needs a task with a modulus, got {task!r:.80}")
        factors = factorize(modulus)
        # 12 = 2² · 3 needs the circles of 4 and of 3, but not that of 9, which a depth of 2 brings
        if len({exponent for _, exponent in factors}) == 1:
            return PrimeFourier(tuple(p for p, _ in factors), factors[0][1])
        return Periods(tuple(p ** (d + 1) for p, exponent in factors for d in range(exponent)))

    def describe(self) -> str:
        """Describe the embedding in one word."""
        return "planned"


@register
@dataclass(frozen=True)
class Characters:
    """Characters of products: one row per prime power, filled up with zeros to one width.

    Args:
        moduli: Prime powers of distinct primes in ascending order.

    >>> Characters((5, 11)).rows(np.array([3, 10**30])).shape  # periods 1, 2, 4 and 1, 2, 5
    torch.Size([2, 2, 6])
    """

    name: ClassVar[str] = "characters"
    version: ClassVar[int] = 1

    moduli: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "moduli", self.basis.moduli)

    @cached_property
    def basis(self) -> CharacterBasis:
        """The prime powers as a basis."""
        return CharacterBasis(self.moduli)

    def row_names(self) -> tuple[str, ...]:
        """Return the prime powers."""
        return tuple(map(str, self.moduli))

    def places(self) -> list[list[int]]:
        """Return where a flat code has the features of each row; its length stands for 0."""
        found, start = [], 0
        width = 2 * max(map(len, self.basis.rows))
        for row in self.basis.rows:
            stop = start + 2 * len(row)
            found.append([*range(start, stop), *[self.basis.dim] * (width - stop + start)])
            start = stop
        return found

    def rows(self, integers: Any, dtype: str = "float32") -> Tensor:
        """Return the values of the characters, (n, prime powers, 2 · most characters of a row)."""
        import torch

        from primefourier.lab.modules import spread_rows

        codes = torch.from_numpy(self.basis.encode(integers, dtype)).flatten(1)
        return spread_rows(codes, torch.tensor(self.places()))

    def relevant(self, task: Any) -> tuple[str, ...] | None:
        """Return the prime powers with characters of N, the task's modulus, if it has one."""
        modulus = getattr(task, "modulus", None)
        if modulus is None:
            return None
        pairs = zip(self.row_names(), self.basis.rows, strict=True)
        return tuple(name for name, row in pairs if modulus % row[0].conductor == 0)


@register
@dataclass(frozen=True)
class LearnedTable:
    """One learned vector per integer, trained with the network.

    Integers from ``size`` on share one further vector, which training never changes.

    Args:
        size: The number of integers with a vector: 0 … size - 1.
        width: The length of a row.
        row_count: The number of rows that a vector is cut into.
    """

    name: ClassVar[str] = "learned-table"
    version: ClassVar[int] = 1

    size: int
    width: int = 24
    row_count: int = 1

    def __post_init__(self) -> None:
        bound_integers(self, dict.fromkeys(("size", "width", "row_count"), (1, _MOST_TABLE)))
        if (count := self.size * self.width * self.row_count) > _MOST_TABLE:
            raise ValueError(f"a table must have at most {_MOST_TABLE} numbers, got {count}")

    def row_names(self) -> tuple[str, ...]:
        """Return the numbers of the rows."""
        return tuple(f"row {i + 1}" for i in range(self.row_count))

    def module(self) -> nn.Module:
        """Return the table as a module, from integers (n,) to (n, rows, width)."""
        from primefourier.lab.modules import TrainedTable

        return TrainedTable(self.size, self.row_count, self.width)

    def relevant(self, task: Any) -> None:  # noqa: ARG002
        """Return None: nothing says which rows a task needs."""
        return
