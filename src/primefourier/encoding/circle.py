"""Points of the unit circle, correct to the last bit of a float64.

A point is named by an exact fraction of a turn, (j + u) / GRID with an integer j and |u| ≤ ½. The
cosine and sine of j / GRID turns come from a table with twice the precision of a float64, made
with integer arithmetic; the small rest is added by the addition theorem. Quarter turns lie on the
grid, so 0, 1 and -1 come out exactly and values near 0 keep their relative precision.
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
_ONE = 1 << _BITS


def circle_points(j: NDArray[Any], u_hi: Floats, u_lo: Floats) -> tuple[Floats, Floats]:
    """Return cosine and sine of (j + u) / GRID turns, at most 0.51 ulp from the true values.

    Args:
        j: Grid indices; only j mod GRID matters.
        u_hi: The nearest float64 to u, |u| ≤ 0.51.
        u_lo: u - u_hi, so that the two carry u to about 100 bits.

    Shape:
        All arrays have one shape, which is that of the results.
    """
    place = j & (GRID - 1)
    c_hi, c_lo, s_hi, s_lo = (np.take(column, place) for column in grid())
    step_hi, step_lo = _double_double(_full_turn() // GRID)

    # The rest as an angle, x = x_hi + x_lo, and its sine and cosine by their series.
    x_hi, error = two_product(u_hi, step_hi)
    x_lo = error + (u_hi * step_lo + u_lo * step_hi)
    xx = x_hi * x_hi
    sin_lo = x_lo + x_hi * xx * (-1 / 6 + xx * (1 / 120 - xx / 5040))  # sin x = x_hi + sin_lo
    cos_less_1 = xx * (-1 / 2 + xx * (1 / 24 - xx / 720))

    # cos(g + x) = cos g cos x - sin g sin x; only the two large terms need their exact sum.
    product, error = two_product(s_hi, x_hi)
    large, small = two_sum(c_hi, -product)
    cosine = large + (small + (c_lo - error + (c_hi * cos_less_1 - s_hi * sin_lo - s_lo * x_hi)))
    product, error = two_product(c_hi, x_hi)
    large, small = two_sum(s_hi, product)
    sine = large + (small + (s_lo + error + (s_hi * cos_less_1 + c_hi * sin_lo + c_lo * x_hi)))
    return cosine, sine


@lru_cache(maxsize=1)
def grid() -> tuple[Floats, Floats, Floats, Floats]:
    """Return cos_hi, cos_lo, sin_hi, sin_lo of the grid points j / GRID turns, j = 0 … GRID - 1."""
    step = _full_turn() // GRID
    c1, s1 = _fixed_cos_sin(step)
    eighth = [(_ONE, 0)]
    for _ in range(GRID // 8):
        c, s = eighth[-1]
        eighth.append(((c * c1 - s * s1) >> _BITS, (s * c1 + c * s1) >> _BITS))
    quarter = eighth + [(s, c) for c, s in eighth[-2:0:-1]]
    half = quarter + [(-s, c) for c, s in quarter]
    circle = half + [(-c, -s) for c, s in half]
    pairs = [(*_double_double(c), *_double_double(s)) for c, s in circle]
    columns = np.ascontiguousarray(np.array(pairs).T)
    columns.flags.writeable = False
    return columns[0], columns[1], columns[2], columns[3]


@lru_cache(maxsize=1)
def _full_turn() -> int:
    """Return 2π in fixed point, by Machin's formula π/4 = 4 arctan(1/5) - arctan(1/239)."""

    def arctan_of_inverse(n: int) -> int:
        guarded = _ONE << 16
        term, total, k = guarded // n, guarded // n, 1
        while term:
            term = -term // (n * n)
            k += 2
            total += term // k
        return total

    return (8 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))) >> 16


def _fixed_cos_sin(angle: int) -> tuple[int, int]:
    """Sum the series of cosine and sine in fixed point, for a small positive angle."""
    sums, term, k = [0, 0], _ONE, 0
    while term:
        sums[k % 2] += -term if k % 4 >= 2 else term
        k += 1
        term = (term * angle >> _BITS) // k
    return sums[0], sums[1]


def _double_double(fixed: int) -> tuple[float, float]:
    """Split a fixed-point number into the nearest float64 and the nearest one to what is left."""
    high = fixed / _ONE
    numerator, denominator = high.as_integer_ratio()
    return high, (fixed * denominator - numerator * _ONE) / (_ONE * denominator) + 0.0


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a + b rounded, and exactly what the rounding lost (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def two_product(a: Any, b: Any) -> tuple[Floats, Floats]:
    """Return a · b rounded, and exactly what the rounding lost (Dekker, Veltkamp)."""
    product = a * b
    a_hi, a_lo = _halves(a)
    b_hi, b_lo = _halves(b)
    return product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def _halves(a: Any) -> tuple[Any, Any]:
    """Split float64 values into two halves of 26 bits each, whose products are exact."""
    scaled = a * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - a)
    return high, a - high
