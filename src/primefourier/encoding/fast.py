"""The quick way to float32 codes: one table for every prime, and arithmetic that stays in cache.

It gives what :func:`primefourier.encoding.phase.machine_codes` gives, rounded to float32, to within
0.8 units in the last place, in a quarter of the time. The circle has a grid of 2^14 points; a code
is its nearest grid point times 1 + ix, where x is the small angle that is left.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from primefourier.encoding.phase import machine_codes

FINE_GRID = 2**14
LARGEST_PERIOD = 2**38
"""Up to this period every product below is an exact integer in float64, and positions, at most
LARGEST_PERIOD / 2 · FINE_GRID = 2^51, leave room for the rounder."""

_PAIRS_AT_ONCE = 98_304  # so that the work arrays of one round stay in a core's cache
_ROUNDER = 1.5 * 2**52  # adding it rounds to an integer and puts that integer in the low bits


class FastEncoder:
    """Work arrays and constants for one basis; one instance for each thread.

    Args:
        periods: The periods of the codes, (P, D), none above LARGEST_PERIOD.
    """

    def __init__(self, periods: NDArray[np.int64], rows: int) -> None:
        primes, depth = periods.shape
        self.rows = max(1, min(rows, _PAIRS_AT_ONCE // (primes * depth)))
        shape = (self.rows, primes * depth)
        period = periods.reshape(-1).astype(np.float64)
        self._period = np.ascontiguousarray(np.broadcast_to(period, shape))
        self._inverse = np.ascontiguousarray(np.broadcast_to(1 / period, shape))
        self._angle = np.ascontiguousarray(np.broadcast_to(2 * math.pi / FINE_GRID / period, shape))
        self._scaled = np.empty((self.rows, primes, depth))
        self._position = np.empty(shape)
        self._index = np.empty(shape, dtype=np.int64)
        self._turn = np.ones(shape, dtype=np.complex128)
        self._point = np.empty(shape, dtype=np.complex128)

    def encode(self, residues: NDArray[np.float64], out: NDArray[np.complex64]) -> None:
        """Write cos + i sin of 2π · residue / period.

        Args:
            residues: Residues modulo the last period of each prime, (n, P), n ≤ rows.
            out: Where the codes go, (n, P, D) as complex numbers, contiguous.
        """
        n = len(residues)
        position, index = self._position[:n], self._index[:n]
        turn, point = self._turn[:n], self._point[:n]
        self._scaled[:n] = (residues * FINE_GRID)[:, :, None]  # np.repeat would keep the GIL
        scaled = self._scaled[:n].reshape(n, -1)
        # Nearest grid point: round residue · FINE_GRID / period, and keep its low bits as index.
        np.multiply(scaled, self._inverse[:n], out=position)
        np.add(position, _ROUNDER, out=position)
        np.bitwise_and(position.view(np.int64), FINE_GRID - 1, out=index)
        np.subtract(position, _ROUNDER, out=position)
        # What is left is an exact integer over the period: an angle x of about 2e-4 at most.
        np.multiply(position, self._period[:n], out=position)
        np.subtract(scaled, position, out=position)
        np.multiply(position, self._angle[:n], out=turn.imag)
        np.take(_fine_grid(), index, out=point, mode="clip")
        np.multiply(point, turn, out=point)
        out.reshape(n, -1)[...] = point


@lru_cache(maxsize=1)
def _fine_grid() -> NDArray[np.complex128]:
    """Return the grid points, shortened by 1 - m²/4 where m is the largest rest x.

    1 + ix is longer than e^(ix) by x²/2, between 0 and m²/2; shortening the grid by the middle of
    that halves the largest error of the length, to m²/4 = 9e-9, a seventh of a float32 spacing.
    """
    cosine, sine = machine_codes(np.arange(FINE_GRID), np.array([FINE_GRID]))
    points = np.empty(FINE_GRID, dtype=np.complex128)
    points.real, points.imag = cosine, sine
    points *= 1 - (math.pi / FINE_GRID) ** 2 / 4
    points.flags.writeable = False
    return points
