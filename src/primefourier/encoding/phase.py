"""From exact residues to exact positions on the circle, at any size of period."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primefourier.encoding.circle import GRID, Floats, circle_points, two_product

PERIOD_LIMIT = 2**62
"""Periods below this, and the float64 nearest to them, fit int64 with room to spare."""


def machine_codes(residues: NDArray[np.int64], periods: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return cos and sin of 2π · residue / period for periods below PERIOD_LIMIT.

    The position in grid steps is residue · GRID / period = j + rest / period. The products wrap
    around in int64, but the rest is smaller than a period, so it comes out exactly.

    Shape:
        residues and periods broadcast against each other, and the results have that shape.
    """
    high, low = _split(periods)
    j = np.rint(residues * (GRID / high)).astype(np.int64)
    rest_hi, rest_lo = _split(residues * GRID - j * periods)
    u_hi = rest_hi / high
    product, error = two_product(u_hi, high)
    u_lo = ((rest_hi - product) - error + (rest_lo - u_hi * low)) / high
    return circle_points(j, u_hi, u_lo)


def _split(integers: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Write int64 values exactly as the sum of two float64."""
    high = integers.astype(np.float64)
    return high, (integers - high.astype(np.int64)).astype(np.float64)


def big_codes(residues: Sequence[int], period: int) -> tuple[Floats, Floats]:
    """Return cos and sin of 2π · residue / period for Python ints of any size.

    Shape:
        n residues → two arrays of shape (n,).
    """
    j, u_hi, u_lo = [], [], []
    for residue in residues:
        steps = (2 * residue * GRID + period) // (2 * period)
        rest = residue * GRID - steps * period
        high = rest / period  # Python rounds the quotient of two ints correctly
        numerator, denominator = high.as_integer_ratio()
        j.append(steps)
        u_hi.append(high)
        u_lo.append((rest * denominator - numerator * period) / (period * denominator))
    return circle_points(np.array(j, dtype=np.int64), np.array(u_hi), np.array(u_lo))
