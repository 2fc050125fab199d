"""The distance of a code from the true value, in units in the last place, by mpmath."""

from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray


def worst_ulps(codes: NDArray[Any], residue: int, period: int) -> float:
    """Return the larger error of one (cos, sin) pair; exact values have to be exact."""
    mpmath.mp.prec = 2 * period.bit_length() + 120
    turn = mpmath.mpf(2 * residue) / period
    worst = 0.0
    for got, true in zip(codes, (mpmath.cospi(turn), mpmath.sinpi(turn)), strict=True):
        if true in (0, 1, -1):
            assert got == true
            assert not (got == 0 and np.signbit(got)), "a zero is +0"
            continue
        nearest = np.float64(true).astype(codes.dtype)
        ulp = float(np.spacing(np.abs(nearest)))
        worst = max(worst, abs(float((mpmath.mpf(float(got)) - true) / mpmath.mpf(ulp))))
    return worst
