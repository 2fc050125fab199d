"""Points of the unit circle to the full precision of a float64.

A point is a whole number of grid steps, j / GRID of a turn, and a small angle x. The cosine and
sine of the grid points come from a table with more than float64 precision, made with integer
arithmetic; the small angle is added by the addition theorem. Quarter turns lie on the grid, so 0, 1
and -1 come out exactly and values near 0 keep their relative precision.

Precise numbers are written as head + rest: the head has 26 bits, so that products of two heads are
exact, and the rest is a float64.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

GRID = 256
"""Number of grid points on the circle."""

_BITS = 192  # fixed-point precision of the integer arithmetic below
ONE = 1 << _BITS


def circle_points(j: NDArray[np.int64], x_head: Floats, x_rest: Floats) -> tuple[Floats, Floats]:
    """Return cosine and sine of j / GRID turns plus x radians, within 0.51 ulp of the true values.

    That holds down to angles of 1e-290, where the rest of an angle begins to underflow.

    Args:
        j: Grid indices; only j mod GRID matters.
        x_head: The first 26 bits of the angle x, which is at most 0.51 grid steps.
        x_rest: x - x_head.

    Shape:
        All arrays have one shape, which is that of the results.
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
    """Write a fraction as a number of 26 bits and the nearest float64 to what is left.

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
    """Return a + b rounded, and exactly what the rounding lost (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)
