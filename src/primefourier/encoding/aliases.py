"""Aliasing: blocks that resemble the harmonics of N for all inputs below r.

Addition modulo N needs the harmonics of N: circles that turn k times per N steps. A block of period
T turns once per T steps. If 1/T is near some k/N, block and harmonic agree on all inputs below r,
and a network trained on these inputs may use the block although T does not divide N. The theorem
forbids this only on the whole group.

Two blocks together can be an alias where neither is one alone: products of their coordinates turn
with frequency 1/T ± 1/U, and a network that multiplies may use both if this is near some k/N.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer, format_integer
from primefourier.encoding.basis import Channel, PrimeBasis, require_basis


@dataclass(frozen=True)
class Alias:
    """A block, or two blocks together, that resemble a harmonic of N for inputs below r.

    Attributes:
        modulus: N.
        channels: The block (prime, depth index), or both blocks.
        periods: T, or (T, U); a negative U stands for the difference 1/T - 1/|U|.
        harmonic: k, where k/N is nearest to 1/T or to 1/T + 1/U.
        drift: The phase drift in turns over inputs below r, r · |k/N - 1/T|.
    """

    modulus: int
    channels: tuple[Channel, ...]
    periods: tuple[int, ...]
    harmonic: int
    drift: float

    @property
    def period(self) -> int:
        """The period of the first block."""
        return self.periods[0]

    @property
    def equation(self) -> str:
        """The resemblance as an approximate equation, such as 1/23 ≈ 10/231."""
        turns = " ".join(f"{'-' if t < 0 else '+'} 1/{abs(t)}" for t in self.periods)
        k, n = format_integer(self.harmonic), format_integer(self.modulus)
        return f"{turns.removeprefix('+ ')} ≈ {k}/{n}"


def find_aliases(modulus: int, basis: PrimeBasis, *, input_range: int) -> list[Alias]:
    """Return every block that resembles a harmonic of N for inputs below r, the nearest first.

    >>> basis = PrimeBasis((3, 7, 11, 23), depth=1)
    >>> nearest = find_aliases(231, basis, input_range=500)[0]
    >>> nearest.equation, round(nearest.drift, 2)
    ('1/23 ≈ 10/231', 0.09)
    """
    n, r, blocks = _turning_blocks(modulus, basis, input_range)
    found = [Alias(n, (block,), (t,), *_nearest(1, t, n, r)) for block, t in blocks]
    return sorted(found, key=lambda alias: (alias.drift, alias.periods))


def find_alias_pairs(modulus: int, basis: PrimeBasis, *, input_range: int) -> list[Alias]:
    """Return all pairs of circles of period p that together resemble a harmonic, nearest first.

    Only first powers are paired: the networks of the paper use no others.

    """
    n, r, blocks = _turning_blocks(modulus, basis, input_range)
    first = [(block, t) for block, t in blocks if block[1] == 0]
    found = []
    for (one, t), (other, u) in combinations(first, 2):
        both = (
            Alias(n, (one, other), (t, s * u), *_nearest(u + s * t, t * u, n, r)) for s in (1, -1)
        )
        found.append(min(both, key=lambda alias: alias.drift))
    return sorted(found, key=lambda alias: (alias.drift, alias.periods))


def _turning_blocks(
    modulus: int, basis: PrimeBasis, input_range: int
) -> tuple[int, int, list[tuple[Channel, int]]]:
    """Return N, r, and the irrelevant blocks that turn below r with their periods."""
    require_basis(basis)
    n = as_integer(modulus, "modulus", at_least=2)
    r = as_integer(input_range, "input_range", at_least=1)
    blocks = [((p, d), p ** (d + 1)) for p, d in basis.channels]
    # a block whose period divides N is needed, and so no alias; one that makes less than a quarter
    # turn below r resembles a constant
    return n, r, [(block, t) for block, t in blocks if n % t and 4 * r >= t]


def _nearest(turns: int, steps: int, modulus: int, input_range: int) -> tuple[int, float]:
    """Return the harmonic k nearest to turns/steps, and the drift below r; in integers."""
    scaled = turns % steps * modulus
    k = min(max((2 * scaled + steps) // (2 * steps), 1), modulus - 1)
    try:
        return k, input_range * abs(scaled - k * steps) / (steps * modulus)
    except OverflowError:  # beyond the largest float
        return k, math.inf


def alias_distance(modulus: int, basis: PrimeBasis, *, input_range: int) -> NDArray[np.float64]:
    """Return the phase drift, in turns over inputs below r, of each block from a harmonic of N.

    For a block of period T the distance is r · min |k/N - 1/T| over k = 1 … N - 1. It is 0 if T
    divides N; if it is well below 1, the block can replace the harmonic. The constant, k = 0, does
    not count as a harmonic.

    >>> basis = PrimeBasis((3, 7, 13, 23), depth=1)
    >>> alias_distance(231, basis, input_range=500).round(2).ravel().tolist()
    [0.0, 0.0, 0.5, 0.09]
    """
    require_basis(basis)
    n = as_integer(modulus, "modulus", at_least=2)
    r = as_integer(input_range, "input_range", at_least=1)
    return np.array([[_nearest(1, period, n, r)[1] for period in row] for row in basis.periods])
