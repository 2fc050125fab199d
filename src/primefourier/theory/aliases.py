"""Aliasing: which blocks look like those that N needs, as long as inputs stay below r.

Addition modulo N needs the harmonics of N, circles that turn k times while a runs through N. A
block of period T turns once in T. If 1/T is near some k/N, the two stay together over all inputs
below r, and a network that sees no others may use the block although T does not divide N. The
theorem forbids that only on the whole group.

Two blocks can do it together where neither can alone: products of their coordinates turn with
1/T ± 1/U, and a network that multiplies may use both if that is near some k/N.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis

LEAST_TURN = 0.25
"""A block that turns less over the inputs is nearer to a constant than to any harmonic."""


def alias_distance(modulus: int, basis: PrimeBasis, *, input_range: int) -> NDArray[np.float64]:
    """Return by how many turns each block and its nearest harmonic of N come apart below r.

    For a block of period T that is r · min |k/N - 1/T| over k = 1 … N - 1: 0 where T divides N, and
    where it is well below 1 the block can stand in for the harmonic. The constant, k = 0, does not
    count as one.

    Args:
        modulus: N, at least 2.
        basis: The basis of the codes.
        input_range: r; inputs are 0 … r - 1.

    Shape:
        (P, D).

    >>> basis = PrimeBasis((3, 7, 13, 23), depth=1)
    >>> alias_distance(231, basis, input_range=500).round(2).ravel().tolist()
    [0.0, 0.0, 0.5, 0.09]
    """
    require_basis(basis)
    n = as_integer(modulus, "modulus", at_least=2)
    r = as_integer(input_range, "input_range", at_least=1)
    return np.array([[_distance(n, period, r) for period in row] for row in basis.periods])


def pair_alias_distance(
    modulus: int, basis: PrimeBasis, *, input_range: int
) -> NDArray[np.float64]:
    """Return how near each block comes to a harmonic of N together with the best other block.

    For a block of period T that is r · min |k/N - (1/T ± 1/U)| over k = 1 … N - 1 and the other
    blocks' periods U. Those that divide N and those that turn by less than a quarter below r are
    left out, since they leave a block as near or far as it is by itself. Where no block is left,
    it is infinite. Computed in float64.

    Args:
        modulus: N, at least 2.
        basis: The basis of the codes.
        input_range: r; inputs are 0 … r - 1.

    Shape:
        (P, D).

    >>> basis = PrimeBasis((7, 37), depth=1)
    >>> alias_distance(53, basis, input_range=1000).round(2).ravel().tolist()
    [8.09, 8.16]
    >>> pair_alias_distance(53, basis, input_range=1000).round(2).ravel().tolist()
    [0.07, 0.07]
    """
    require_basis(basis)
    n = as_integer(modulus, "modulus", at_least=2)
    r = as_integer(input_range, "input_range", at_least=1)
    periods = [period for row in basis.periods for period in row]
    partners = [i for i, t in enumerate(periods) if n % t and r >= LEAST_TURN * t]
    rates = np.array([1 / period for period in periods])
    nearest = np.full(len(periods), np.inf)
    for sign in (1, -1):
        harmonic = (rates[:, None] + sign * rates[partners]) * n % n  # k, but for rounding
        apart = np.abs(harmonic - np.clip(np.rint(harmonic), 1, n - 1)) / n * r
        apart[partners, range(len(partners))] = np.inf  # a block is no partner of itself
        nearest = np.minimum(nearest, apart.min(axis=1, initial=np.inf))
    return nearest.reshape(len(basis.primes), -1)


def _distance(modulus: int, period: int, input_range: int) -> float:
    """Compare k/N with 1/T in integers: |kT - N| / NT for the two k around N/T."""
    below = min(max(1, modulus // period), modulus - 1)
    above = min(below + 1, modulus - 1)
    apart = min(abs(k * period - modulus) for k in (below, above))
    return input_range * apart / (modulus * period)
