"""Points of the unit circle from exact residues: to full float64 precision, and fast in float32.

A point is a whole number of grid steps, j / GRID of a turn, plus a small angle x. A table with more
than float64 precision, computed with integer arithmetic, holds the cosine and sine of the grid
points; the addition theorem adds the small angle. Quarter turns are grid points, so 0, 1 and -1 are
exact, and values near 0 keep their relative precision.

Precise numbers are stored as head + rest: the head has 26 bits, so that products of two heads are
exact, and the rest is a float64.

``FastEncoder`` gives the same points rounded to float32, within 0.8 units in the last place, in a
sixth of the time. Its grid has 2^14 points, so a code is the nearest one times 1 + ix, where x is
the remaining small angle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.crt import fill_residues
from primefourier.arithmetic.integers import IntegerArray

Floats: TypeAlias = NDArray[np.float64]

PERIOD_LIMIT = 2**62
"""Periods below this limit, and the float64 nearest to them, fit int64 with room to spare."""
GRID = 256
"""Number of grid points on the circle."""

FINE_GRID = 2**14
"""The same, for fast codes."""
LARGEST_FAST_PERIOD = 2**38
"""Up to this period every product of the fast codes is an exact integer in float64, and positions,
at most LARGEST_FAST_PERIOD / 2 · FINE_GRID = 2^51, leave room for the rounder."""

_BITS = 192  # fixed-point precision of the integer arithmetic below
ONE = 1 << _BITS
_BLOCK = 16_384  # integers reduced at once
_PAIRS_AT_ONCE = 49_152  # few enough for the caches, many enough to hide Python's overhead
_ROUNDER = 1.5 * 2**52  # adding it rounds to an integer and puts that integer in the low bits


def machine_codes(residues: NDArray[np.int64], periods: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return cos and sin of 2π · residue / period, which broadcast, for periods below PERIOD_LIMIT.

    >>> cosine, sine = machine_codes(np.array([0, 1, 2]), np.array([4]))
    >>> cosine.tolist(), sine.tolist()
    ([1.0, 0.0, -1.0], [0.0, 1.0, 0.0])
    """
    # The position in grid steps is residue · GRID / period = j + rest / period. The products wrap
    # around in int64, but their difference, the rest, is smaller than a period, and so exact.
    j = np.rint(residues * (GRID / periods)).astype(np.int64)
    rest = residues * GRID - j * periods
    unit_head, unit_rest = _unit_angles(tuple(periods.reshape(-1).tolist()))
    unit_head, unit_rest = unit_head.reshape(periods.shape), unit_rest.reshape(periods.shape)
    high = rest.astype(np.float64)
    head, low = halves(high)
    if periods.max() >= 2**53:  # the rest has more bits than a float64
        low += rest - high.astype(np.int64)
    large, small = halves(head * unit_head)
    small += head * unit_rest + low * (unit_head + unit_rest)
    return circle_points(j, large, small)


@lru_cache(maxsize=64)
def _unit_angles(periods: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the angle 2π / GRID / period of each period to 79 bits, as head and rest."""
    pairs = np.array([head_and_rest(full_turn(), ONE * GRID * period) for period in periods])
    return pairs[:, 0], pairs[:, 1]


def big_codes(residues: Sequence[int], period: int) -> tuple[Floats, Floats]:
    """Return cos and sin of 2π · residue / period for Python ints of any size."""
    j, x_head, x_rest = [], [], []
    for residue in residues:
        steps = (2 * residue * GRID + period) // (2 * period)
        rest = residue * GRID - steps * period
        head, left = head_and_rest(full_turn() * rest, ONE * GRID * period)
        j.append(steps)
        x_head.append(head)
        x_rest.append(left)
    return circle_points(np.array(j, dtype=np.int64), np.array(x_head), np.array(x_rest))


def circle_points(j: NDArray[np.int64], x_head: Floats, x_rest: Floats) -> tuple[Floats, Floats]:
    """Return cosine and sine of j / GRID turns plus x radians, within 0.51 ulp of the true values.

    Only j mod GRID matters; x_head is the first 26 bits of the angle, at most 0.51 grid steps, and
    x_rest the remainder. The bound holds down to angles of 1e-290, where x_rest underflows.
    """
    place = j & (GRID - 1)
    c_head, c_rest, s_head, s_rest = (np.take(column, place) for column in _grid())
    x = x_head + x_rest
    xx = x * x
    sin_rest = x_rest + x * xx * (-1 / 6 + xx * (1 / 120 - xx / 5040))  # sin x = x_head + sin_rest
    sin_x = x_head + sin_rest
    cos_less_1 = xx * (-1 / 2 + xx * (1 / 24 - xx / 720))
    c, s = c_head + c_rest, s_head + s_rest
    # cos(g + x) = cos g cos x - sin g sin x; only the products of heads are large, and exact.
    large, lost = _two_sum(c_head, -(s_head * x_head))
    cosine = large + (lost + (c_rest + (c * cos_less_1 - s_head * sin_rest - s_rest * sin_x)))
    large, lost = _two_sum(s_head, c_head * x_head)
    sine = large + (lost + (s_rest + (s * cos_less_1 + c_head * sin_rest + c_rest * sin_x)))
    return cosine, sine


def head_and_rest(numerator: int, denominator: int) -> tuple[float, float]:
    """Split a fraction into a number of 26 bits and the float64 nearest to the remainder."""
    head, _ = halves(numerator / denominator)
    top, bottom = head.as_integer_ratio()
    return head, (numerator * bottom - top * denominator) / (denominator * bottom) + 0.0


def halves(a: Any) -> tuple[Any, Any]:
    """Split float64 values into a head of 26 bits and a rest of 26 bits (Veltkamp)."""
    scaled = a * 134217729.0  # 2^27 + 1
    head = scaled - (scaled - a)
    return head, a - head


@lru_cache(maxsize=1)
def full_turn() -> int:
    """Return 2π as a multiple of 1 / ONE, by Machin's π/4 = 4 arctan(1/5) - arctan(1/239)."""

    def arctan_of_inverse(n: int) -> int:
        term = total = (ONE << 16) // n
        k = 1
        while term:
            term = -term // (n * n)
            k += 2
            total += term // k
        return total

    return (8 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))) >> 16


@lru_cache(maxsize=1)
def _grid() -> tuple[Floats, ...]:
    """Return head and rest of the cosines, then of the sines, of j / GRID turns."""
    # An eighth of the circle by the addition theorem in integers, the rest by symmetry.
    c1, s1 = _fixed_cos_sin(full_turn() // GRID)
    eighth = [(ONE, 0)]
    for _ in range(GRID // 8):
        c, s = eighth[-1]
        eighth.append(((c * c1 - s * s1) >> _BITS, (s * c1 + c * s1) >> _BITS))
    quarter = eighth + [(s, c) for c, s in eighth[-2:0:-1]]
    half = quarter + [(-s, c) for c, s in quarter]
    circle = half + [(-c, -s) for c, s in half]
    rows = [(*head_and_rest(c, ONE), *head_and_rest(s, ONE)) for c, s in circle]
    columns = np.ascontiguousarray(np.array(rows).T)
    columns.flags.writeable = False
    return tuple(columns)


def _fixed_cos_sin(angle: int) -> tuple[int, int]:
    """Sum the series of cosine and sine in fixed point, for a small positive angle."""
    sums, term, k = [0, 0], ONE, 0
    while term:
        sums[k % 2] += -term if k % 4 >= 2 else term
        k += 1
        term = (term * angle >> _BITS) // k
    return sums[0], sums[1]


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a + b rounded, and the exact rounding error (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


class FastEncoder:
    """Work arrays and constants for one basis; use one instance per thread.

    Args:
        periods: The periods of the codes, (P, D), at most LARGEST_FAST_PERIOD.
        count: The largest number of integers to encode at once.
    """

    def __init__(self, periods: NDArray[np.int64], count: int) -> None:
        self._tops = periods[:, -1].tolist()
        self._rows = max(1, min(count, _PAIRS_AT_ONCE // periods.size))
        self._top = np.empty((min(count, _BLOCK), len(periods)))
        shape = (self._rows, periods.size)
        period = periods.reshape(-1).astype(np.float64)
        self._period, self._inverse, self._angle = np.empty((3, *shape))
        self._period[:] = period
        np.divide(1, period, out=self._inverse)
        np.divide(2 * math.pi / FINE_GRID, period, out=self._angle)
        self._scaled, self._position = np.zeros(shape), np.empty(shape)
        self._index = np.empty(shape, dtype=np.int64)
        self._turn = np.ones(shape, dtype=np.complex128)
        self._point = np.empty(shape, dtype=np.complex128)
        self._by_prime = self._scaled.reshape(self._rows, *periods.shape)
        self._bits = self._position.view(np.int64)
        self._angles = self._turn.imag

    def encode(self, numbers: IntegerArray, out: NDArray[np.complex64]) -> None:
        """Write cos + i sin of 2π · number / period to a contiguous array, (n,) → (n, P, D)."""
        codes = out.reshape(len(numbers), self._period.shape[1])
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK]
            top = self._top[: len(block)]
            fill_residues(top, block, self._tops)
            for row in range(0, len(block), self._rows):
                some = top[row : row + self._rows]
                np.multiply(some[:, :, None], FINE_GRID, out=self._by_prime[: len(some)])
                points = self._points()
                codes[start + row : start + row + len(some)] = points[: len(some)]

    def _points(self) -> NDArray[np.complex128]:
        """Convert the scaled residues to points on the circle, for the whole work arrays."""
        position = self._position
        # Nearest grid point: round residue · FINE_GRID / period, and keep its low bits as index.
        np.multiply(self._scaled, self._inverse, out=position)
        np.add(position, _ROUNDER, out=position)
        np.bitwise_and(self._bits, FINE_GRID - 1, out=self._index)
        np.subtract(position, _ROUNDER, out=position)
        # The rest is an exact integer divided by the period: an angle x of at most about 2e-4.
        np.multiply(position, self._period, out=position)
        np.subtract(self._scaled, position, out=position)
        np.multiply(position, self._angle, out=self._angles)
        np.take(_fine_grid(), self._index, out=self._point, mode="clip")
        return np.multiply(self._point, self._turn, out=self._point)


@lru_cache(maxsize=1)
def _fine_grid() -> NDArray[np.complex128]:
    """Return the grid points, scaled so that those between them have nearly norm 1."""
    # 1 + ix is longer than e^(ix) by x²/2, between 0 and m²/2 for the largest rest m. The scale
    # halves the largest error of the length, to m²/4 = 9e-9, a seventh of a float32 spacing.
    cosine, sine = machine_codes(np.arange(FINE_GRID), np.array([FINE_GRID]))
    points = np.empty(FINE_GRID, dtype=np.complex128)
    points.real, points.imag = cosine, sine
    points *= 1 - (math.pi / FINE_GRID) ** 2 / 4
    points.flags.writeable = False
    return points
