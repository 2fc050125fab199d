"""The prime basis: the primes of an embedding and the number of powers of each prime."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

from primefourier.arithmetic.integers import as_integer, as_integers, format_integer
from primefourier.arithmetic.primes import FIRST_DOUBTFUL, factorize, format_factors, is_prime

Channel = tuple[int, int]
"""A prime p and a depth index d; the channel has period p^(d+1)."""

_MOST_DEPTH = 10_000
"""A deeper code would take minutes and gigabytes, and no practical integer needs it."""


@dataclass(frozen=True)
class PrimeBasis:
    """Primes p and a depth D: an integer becomes one (cos, sin) pair for each period p, p², …, p^D.

    Frozen, hashable, and validated at construction.

    The prime 2 is allowed. At depth 0 its pair is (cos πa, sin πa) = (±1, 0): the sign character,
    which is one-dimensional. It keeps its sine, which is always 0, so that all blocks have the same
    shape. From depth 1 on (periods 4, 8, …) it is an ordinary block.

    Attributes:
        primes: Distinct primes in ascending order.
        depth: Number of powers of each prime, at least 1; depth index d has period p^(d+1).

    >>> basis = PrimeBasis(primes=(3, 5, 7, 11), depth=2)
    >>> basis.dim
    16
    >>> basis.periods
    ((3, 9), (5, 25), (7, 49), (11, 121))
    >>> basis.range == (3 * 5 * 7 * 11) ** 2
    True
    """

    primes: tuple[int, ...]
    depth: int

    def __post_init__(self) -> None:
        given = as_integers(self.primes)
        if given.ndim != 1:
            raise ValueError(f"primes must be one sequence, got an array of shape {given.shape}")
        primes = tuple(given.tolist())
        if not primes:
            raise ValueError("primes must name at least one prime, got none")
        for p in primes:
            if p >= FIRST_DOUBTFUL:  # before any arithmetic with it
                raise ValueError(
                    f"primes must be below {FIRST_DOUBTFUL} (about 3.3e24), the limit of the "
                    f"primality proof, got {format_integer(p)}"
                )
            if p < 2:
                raise ValueError(
                    f"primes must be distinct primes, got {format_integer(p)}; the smallest prime "
                    "is 2"
                )
            if not is_prime(p):
                factors = f" = {format_factors(factorize(p))}" if p < 10**12 else ""
                raise ValueError(
                    f"primes must be distinct primes, got {p}{factors}; use depth for prime powers"
                )
        for p, q in pairwise(primes):
            if p == q:
                raise ValueError(
                    f"primes must be distinct, got {p} twice; use depth for its powers"
                )
            if p > q:
                raise ValueError(f"primes must ascend, got {p} before {q}; pass them sorted")
        object.__setattr__(self, "primes", primes)
        depth = as_integer(self.depth, "depth", at_least=1)
        if depth > _MOST_DEPTH:
            raise ValueError(f"depth must be at most {_MOST_DEPTH}, got {format_integer(depth)}")
        object.__setattr__(self, "depth", depth)

    @classmethod
    def for_modulus(cls, modulus: int) -> Self:
        """Return the smallest basis (one depth for all primes) that represents the whole modulus.

        >>> PrimeBasis.for_modulus(360)  # 2³ · 3² · 5
        PrimeBasis(primes=(2, 3, 5), depth=3)
        """
        factors = factorize(as_integer(modulus, "modulus", at_least=2))
        return cls(tuple(p for p, _ in factors), max(e for _, e in factors))

    def to_dict(self) -> dict[str, Any]:
        """Return the primes and the depth as plain data, for JSON and configurations.

        >>> PrimeBasis((3, 5), depth=2).to_dict()
        {'primes': [3, 5], 'depth': 2}
        """
        return {"primes": list(self.primes), "depth": self.depth}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make a basis from what ``to_dict`` returned, validated like any other.

        >>> PrimeBasis.from_dict({"primes": [3, 5], "depth": 2})
        PrimeBasis(primes=(3, 5), depth=2)
        """
        if not isinstance(data, Mapping) or {*data} != {"primes", "depth"}:
            got = sorted(map(str, data)) if isinstance(data, Mapping) else type(data).__name__
            raise ValueError(f"a basis has the keys 'primes' and 'depth', got {got}")
        return cls(data["primes"], data["depth"])

    def __getstate__(self) -> dict[str, Any]:
        # without the cached properties: a basis has the same pickle before and after its first use
        return {"primes": self.primes, "depth": self.depth}

    @property
    def dim(self) -> int:
        """The length of a flat code: 2 · (number of primes) · depth."""
        return 2 * len(self.primes) * self.depth

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape (P, D, 2) of one code."""
        return (len(self.primes), self.depth, 2)

    @cached_property
    def periods(self) -> tuple[tuple[int, ...], ...]:
        """For each prime the periods p, p², …, p^D, as Python ints."""
        return tuple(tuple(p ** (d + 1) for d in range(self.depth)) for p in self.primes)

    @cached_property
    def range(self) -> int:
        """The product of all p^D: integers below it have distinct codes."""
        return math.prod(row[-1] for row in self.periods)

    @cached_property
    def channels(self) -> tuple[tuple[int, int], ...]:
        """All (prime, depth index) pairs, in the order of a code."""
        return tuple((p, d) for p in self.primes for d in range(self.depth))


def require_basis(basis: object) -> None:
    """Raise TypeError if the value is not a PrimeBasis."""
    if not isinstance(basis, PrimeBasis):
        raise TypeError(
            f"basis must be a PrimeBasis, got a {type(basis).__name__}; make one with "
            "PrimeBasis(primes=(3, 5, 7), depth=2)"
        )


PAPER_BASIS = PrimeBasis(
    primes=(3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59), depth=6
)
"""The paper's basis: the 16 primes 3 … 59 at depth 6; a code has 192 numbers."""
