"""Aliasing: blocks that resemble the harmonics of N for all inputs below r.

Addition modulo N needs the harmonics of N: circles that turn k times per N steps. A block of period
T turns once per T steps. If 1/T is near some k/N, block and harmonic agree on all inputs below r,
and a network trained on these inputs may use the block although T does not divide N. The theorem
forbids this only on the whole group.

Two blocks together can be an alias where neither is one alone: products of their coordinates turn
with frequency 1/T ± 1/U, and a network that multiplies may use both if this is near some k/N.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis

LEAST_TURN = 0.25
"""A block with fewer turns over the inputs is nearer to a constant than to any harmonic."""


def alias_distance(modulus: int, basis: PrimeBasis, *, input_range: int) -> NDArray[np.float64]:
    """Return the phase drift, in turns over inputs below r, of each block from a harmonic of N.

    For a block of period T the distance is r · min |k/N - 1/T| over k = 1 … N - 1. It is 0 if T
    divides N; if it is well below 1, the block can replace the harmonic. The constant, k = 0, does
    not count as a harmonic.

    Args:
        modulus: N, at least 2.
        basis: The basis of the codes.
        input_range: r; inputs are 0 … r - 1.

    Returns:
        The distance of each block.

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
    """Return the alias distance of each block together with the best second block.

    For a block of period T the distance is r · min |k/N - (1/T ± 1/U)| over k = 1 … N - 1 and the
    periods U of the other blocks. Blocks whose period divides N, and blocks with less than a
    quarter turn below r, are not used as second blocks, because they do not change the distance of
    the first. Without a second block the distance is infinite. Computed in float64.

    Args:
        modulus: N, at least 2.
        basis: The basis of the codes.
        input_range: r; inputs are 0 … r - 1.

    Returns:
        The distance of each block.

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
        harmonic = (rates[:, None] + sign * rates[partners]) * n % n  # near k for an alias
        drift = np.abs(harmonic - np.clip(np.rint(harmonic), 1, n - 1)) / n * r
        drift[partners, range(len(partners))] = np.inf  # a block is not its own partner
        nearest = np.minimum(nearest, drift.min(axis=1, initial=np.inf))
    return nearest.reshape(len(basis.primes), -1)


def _distance(modulus: int, period: int, input_range: int) -> float:
    """Compare k/N with 1/T in integers: |kT - N| / NT for the two k around N/T."""
    below = min(max(1, modulus // period), modulus - 1)
    above = min(below + 1, modulus - 1)
    nearest = min(abs(k * period - modulus) for k in (below, above))
    return input_range * nearest / (modulus * period)
