"""Whether a mean over seeds agrees with a claim, and whether its whole 95 % interval does."""

from __future__ import annotations

from typing import NamedTuple

from primefourier.analysis import Interval


class Answer(NamedTuple):
    """What a configuration says of a claim.

    Answers join with ``&``: where a claim asks for two things, both must agree, and one that
    surely does not is enough to settle that.

    Args:
        agrees: Whether the mean agrees; None if it can be read either way.
        settled: Whether every value of the 95 % interval over seeds gives the same answer; None
            where one seed leaves the interval unknown.

    >>> Answer(True, True) & Answer(True, False)
    Answer(agrees=True, settled=False)
    >>> Answer(False, True) & Answer(True, False)
    Answer(agrees=False, settled=True)
    """

    agrees: bool | None
    settled: bool | None

    def __and__(self, other: Answer) -> Answer:
        agrees = bool(self.agrees and other.agrees)
        if self.settled is None or other.settled is None:
            return Answer(agrees, None)
        if agrees:
            return Answer(agrees, self.settled and other.settled)
        surely_not = (answer.settled and not answer.agrees for answer in (self, other))
        return Answer(agrees, any(surely_not))


def is_inside(drop: Interval, low: float, high: float) -> Answer:
    """Tell whether a drop, written with two decimals as the paper does, lies in a range.

    >>> is_inside(Interval(0.5951, None, None, 1), 0.60, 0.92)
    Answer(agrees=True, settled=None)
    >>> is_inside(Interval(0.58, 0.55, 0.61, 5), 0.60, 0.92)
    Answer(agrees=False, settled=False)
    """
    agrees = low <= round(drop.mean, 2) <= high
    if drop.low is None or drop.high is None:
        return Answer(agrees, None)
    first, last = round(drop.low, 2), round(drop.high, 2)
    inside, outside = low <= first and last <= high, last < low or first > high
    return Answer(agrees, inside or outside)


def is_above(value: Interval, bound: float) -> Answer:
    """Tell whether a value is above a bound.

    >>> is_above(Interval(0.5, 0.2, 0.8, 5), 0.1)
    Answer(agrees=True, settled=True)
    """
    agrees = value.mean > bound
    if value.low is None or value.high is None:
        return Answer(agrees, None)
    return Answer(agrees, (value.low > bound) == (value.high > bound))


def is_below_floor(drop: Interval, floor: float) -> Answer:
    """Tell whether a drop of either sign is below the noise floor.

    >>> is_below_floor(Interval(0.004, -0.001, 0.009, 5), 0.0112)
    Answer(agrees=True, settled=True)
    """
    agrees = abs(drop.mean) < floor
    if drop.low is None or drop.high is None:
        return Answer(agrees, None)
    inside = -floor < drop.low and drop.high < floor
    outside = drop.low >= floor or drop.high <= -floor
    return Answer(agrees, inside or outside)


AT_LEAST_ZERO = -1e-12
"""A bound that lets through a difference which is 0 but for rounding."""
