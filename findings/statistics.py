"""Intervals of shares, and how well scores order networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest


def interval(count: int, size: int) -> tuple[float, float]:
    """Return Clopper and Pearson's 95 % interval of a share.

    >>> [round(end, 2) for end in interval(3, 10)]
    [0.07, 0.65]
    """
    if not size:
        return (np.nan, np.nan)
    found = binomtest(count, size).proportion_ci()
    return float(found.low), float(found.high)


def area(scores: NDArray[np.float64], outcomes: NDArray[np.bool_]) -> float | None:
    """Return the area under the ROC curve: how often a positive has the larger score."""
    positive, negative = scores[outcomes], scores[~outcomes]
    if not positive.size or not negative.size:
        return None
    larger = positive[:, None] > negative
    return float((larger + 0.5 * (positive[:, None] == negative)).mean())
