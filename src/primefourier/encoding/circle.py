"""Codes to the full precision of a float64: exact residues in, points of the unit circle out.

A point is a whole number of grid steps, j / GRID of a turn, plus a small angle x. A table with more
than float64 precision, computed with integer arithmetic, holds the cosine and sine of the grid
points; the addition theorem adds the small angle. Quarter turns are grid points, so 0, 1 and -1 are
exact, and values near 0 keep their relative precision.

Precise numbers are stored as head + rest: the head has 26 bits, so that products of two heads are
exact, and the rest is a float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

PERIOD_LIMIT = 2**62
"""Periods below this limit, and the float64 nearest to them, fit int64 with room to spare."""
GRID = 256
"""Number of grid points on the circle."""

_BITS = 192  # fixed-point precision of the integer arithmetic below
ONE = 1 << _BITS


def machine_codes(residues: NDArray[np.int64], periods: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return cos and sin of 2π · residue / period for periods below PERIOD_LIMIT.

    The position in grid steps is residue · GRID / period = j + rest / period. The products wrap
    around in int64, but their difference, the rest, is smaller than a period and therefore exact.

    Args:
        residues: Integers in 0 … period - 1.
        periods: The periods of the circles.

    Returns:
        The cosines and the sines.

    Shape:
        residues and periods broadcast against each other; the results have the broadcast shape.

    >>> cosine, sine = machine_codes(np.array([0, 1, 2]), np.array([4]))
    >>> cosine.tolist(), sine.tolist()
    ([1.0, 0.0, -1.0], [0.0, 1.0, 0.0])
    """
    j = np.rint(residues * (GRID / periods)).astype(np.int64)
    rest = residues * GRID - j * periods
    unit_head, unit_rest = _unit_angles(tuple(periods.reshape(-1).tolist()))
    unit_head, unit_rest = unit_head.reshape(periods.shape), unit_rest.reshape(periods.shape)
    high = rest.astype(np.float64)
    head, low = halves(high)
    if periods.max() >= 2**53:
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
    """Return cos and sin of 2π · residue / period for Python ints of any size.

    Shape:
        n residues → two arrays of shape (n,).

    >>> cosine, sine = big_codes([0, 5**100], 2 * 5**100)
    >>> cosine.tolist(), sine.tolist()
    ([1.0, -1.0], [0.0, 0.0])
    """
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

    The bound holds down to angles of 1e-290, where the rest of an angle begins to underflow.

    Args:
        j: Grid indices; only j mod GRID matters.
        x_head: The first 26 bits of the angle x, which is at most 0.51 grid steps.
        x_rest: x - x_head.

    Shape:
        All arrays have the same shape, and so have the results.
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
    """Split a fraction into a number of 26 bits and the float64 nearest to the remainder.

    >>> head, rest = head_and_rest(1, 3)
    >>> head + rest == 1 / 3, float(head).hex()
    (True, '0x1.5555558000000p-2')
    """
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
