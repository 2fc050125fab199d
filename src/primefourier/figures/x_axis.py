"""The axis that lines run along: what it shows, where its ticks stand, what lies beside what.

A place on it is a fraction, 0 at its left end and 1 at its right, so that moving aside and halving
mean the same to the eye on a linear and on a logarithmic scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullLocator

from primefourier.figures.style import TICK_SIZE
from primefourier.figures.table import write_number
from primefourier.figures.text import text_width

Scale: TypeAlias = Literal["linear", "log"]

_FEW = 8  # so many integers have a tick each
_ROOM = 0.03  # inches on either side of a label


@dataclass(frozen=True)
class XAxis:
    """What an axis shows.

    Attributes:
        scale: "linear" or "log".
        low: Its left end.
        high: Its right end.
        ticks: Where its ticks stand, ascending.
    """

    scale: Scale
    low: float
    high: float
    ticks: Sequence[float]

    def place(self, x: float) -> float:
        """Return where a value stands, from 0 to 1."""
        if self.scale == "log":
            return math.log(x / self.low) / math.log(self.high / self.low)
        return (x - self.low) / (self.high - self.low)

    def value(self, place: float) -> float:
        """Return the value that stands at a place."""
        if self.scale == "log":
            return float(self.low * (self.high / self.low) ** place)
        return self.low + place * (self.high - self.low)

    def labels(self, width: float) -> list[str]:
        """Return what is written at each tick of an axis of so many inches; "" without room."""
        labels, free = [], -math.inf
        for tick in self.ticks:
            text = write_number(tick, ".12g")
            middle = width * self.place(tick)
            half = text_width(text, TICK_SIZE) / 2 + _ROOM
            labels.append(text if middle - half >= free else "")
            free = middle + half if labels[-1] else free
        return labels

    def set_on(self, axes: Axes, width: float) -> None:
        """Give axes of so many inches this scale, these ends and these ticks."""
        axes.set_xscale(self.scale)
        axes.set_xlim(self.low, self.high)
        axes.set_xticks(self.ticks, self.labels(width))
        axes.xaxis.set_minor_locator(NullLocator())


def x_axis(values: Iterable[float], scale: Scale) -> XAxis:
    """Return the axis that shows all values: on a logarithmic scale with a tick at each.

    On a linear scale a few integers have a tick each; otherwise the ticks are round numbers.

    >>> x_axis([100, 500, 4000], "log").ticks
    (100.0, 500.0, 4000.0)
    >>> x_axis(range(41), "linear").ticks
    (0.0, 10.0, 20.0, 30.0, 40.0)
    """
    if scale not in ("linear", "log"):
        raise ValueError(f'scale must be "linear" or "log", got {scale!r}')
    xs = sorted({float(x) for x in values})
    if not xs:
        raise ValueError("an axis needs at least one x, got none; pass a line with points")
    first, last = xs[0], xs[-1]
    if scale == "log":
        if first <= 0:
            raise ValueError(
                f'on a log scale each x must be above 0, got {first:g}; use scale="linear"'
            )
        return XAxis(scale, first / 1.25, last * 1.25, tuple(xs))
    margin = 0.05 * (last - first) or max(0.5, 0.05 * abs(first))
    low, high = first - margin, last + margin
    whole = all(x.is_integer() for x in xs)
    if not whole or len(xs) > _FEW:
        locator = MaxNLocator(_FEW, steps=[1, 2, 2.5, 5, 10], integer=whole)
        xs = [float(x) for x in locator.tick_values(low, high) if low <= x <= high]
    return XAxis(scale, low, high, tuple(xs))
