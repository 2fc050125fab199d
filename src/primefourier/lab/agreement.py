"""Whether a mean over seeds agrees with a claim, and whether its whole 95 % interval does."""

from __future__ import annotations

from typing import NamedTuple

from primefourier.analysis import Interval


class Agreement(NamedTuple):
    """Whether a configuration agrees with a claim.

    Agreements join with ``&``. Where a claim has two conditions, both must hold; one that certainly
    does not hold settles the answer.

    Args:
        agrees: Whether the mean agrees; None if it is undecided.
        settled: Whether every value of the 95 % interval over seeds gives the same answer; None
            where one seed leaves the interval unknown.

    >>> Agreement(True, True) & Agreement(True, False)
    Agreement(agrees=True, settled=False)
    >>> Agreement(False, True) & Agreement(True, False)
    Agreement(agrees=False, settled=True)
    """

    agrees: bool | None
    settled: bool | None

    def __and__(self, other: Agreement) -> Agreement:
        agrees = bool(self.agrees and other.agrees)
        if self.settled is None or other.settled is None:
            return Agreement(agrees, None)
        if agrees:
            return Agreement(agrees, self.settled and other.settled)
        certainly_not = (answer.settled and not answer.agrees for answer in (self, other))
        return Agreement(agrees, any(certainly_not))


def is_inside(drop: Interval, low: float, high: float) -> Agreement:
    """Return whether a drop, rounded to two decimals as in the paper, lies in a range.

    >>> is_inside(Interval(0.5951, None, None, 1), 0.60, 0.92)
    Agreement(agrees=True, settled=None)
    >>> is_inside(Interval(0.58, 0.55, 0.61, 5), 0.60, 0.92)
    Agreement(agrees=False, settled=False)
    """
    agrees = low <= round(drop.mean, 2) <= high
    if drop.low is None or drop.high is None:
        return Agreement(agrees, None)
    first, last = round(drop.low, 2), round(drop.high, 2)
    inside, outside = low <= first and last <= high, last < low or first > high
    return Agreement(agrees, inside or outside)


def is_above(value: Interval, bound: float) -> Agreement:
    """Return whether a value is above a bound.

    >>> is_above(Interval(0.5, 0.2, 0.8, 5), 0.1)
    Agreement(agrees=True, settled=True)
    """
    agrees = value.mean > bound
    if value.low is None or value.high is None:
        return Agreement(agrees, None)
    return Agreement(agrees, (value.low > bound) == (value.high > bound))


def is_below_floor(drop: Interval, floor: float) -> Agreement:
    """Return whether a drop of either sign is below the noise floor.

    >>> is_below_floor(Interval(0.004, -0.001, 0.009, 5), 0.0112)
    Agreement(agrees=True, settled=True)
    """
    agrees = abs(drop.mean) < floor
    if drop.low is None or drop.high is None:
        return Agreement(agrees, None)
    inside = -floor < drop.low and drop.high < floor
    outside = drop.low >= floor or drop.high <= -floor
    return Agreement(agrees, inside or outside)


AT_LEAST_ZERO = -1e-12
"""A bound that allows a difference of 0 up to rounding."""
