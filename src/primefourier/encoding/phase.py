"""From exact residues to codes in float64, at any size of period."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from primefourier.encoding.circle import (
    GRID,
    ONE,
    Floats,
    circle_points,
    full_turn,
    halves,
    head_and_rest,
)

PERIOD_LIMIT = 2**62
"""Periods below this, and the float64 nearest to them, fit int64 with room to spare."""


def machine_codes(residues: NDArray[np.int64], periods: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return cos and sin of 2π · residue / period for periods below PERIOD_LIMIT.

    The position in grid steps is residue · GRID / period = j + rest / period. The products wrap
    around in int64, but the rest is smaller than a period, so it comes out exactly.

    Shape:
        residues and periods broadcast against each other, and the results have that shape.
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
