"""The axis that values stand at: from the lowest to the highest, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from primefourier.figures.style import TICK_SIZE
from primefourier.figures.table import write_number
from primefourier.figures.text import text_width

_MARGIN = 0.05  # of the axis, below the lowest and above the highest value
_MOST = 8  # steps between ticks


@dataclass(frozen=True)
class YAxis:
    """What an axis shows.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        ticks: Where its ticks stand, ascending.
        labels: What is written at each tick.
    """

    low: float
    high: float
    ticks: Sequence[float]
    labels: Sequence[str]

    @property
    def room(self) -> float:
        """The width of the widest label in inches."""
        return max(text_width(label, TICK_SIZE) for label in self.labels)

    def set_on(self, axes: Axes) -> None:
        """Give axes these ends and these ticks."""
        axes.set_ylim(self.low, self.high)
        axes.set_yticks(self.ticks, self.labels)


def y_axis(values: Iterable[float]) -> YAxis:
    """Return the axis that shows all values; NaN is none.

    >>> y_axis([0, 1]).labels
    ('0.0', '0.2', '0.4', '0.6', '0.8', '1.0')
    """
    known = [value for value in values if not math.isnan(value)]
    least, most = min(known, default=0.0), max(known, default=0.0)
    if math.isclose(
        least, most, rel_tol=1e-6
    ):  # one value alone is no scale: 0 shows how large it is
        least, most = min(least, 0.0), max(most, 0.0)
    if least == most:
        most = 1.0
    margin = _MARGIN * (most - least)
    low, high = least - margin, most + margin
    locator = MaxNLocator(_MOST, steps=[1, 2, 5, 10])
    ticks = tuple(float(y) for y in locator.tick_values(low, high) if low <= y <= high)
    return YAxis(low, high, ticks, _labels(ticks))


def _labels(ticks: Sequence[float]) -> tuple[str, ...]:
    """Write all ticks with as many decimals as the one that needs most."""
    texts = [write_number(tick, ".10g") for tick in ticks]
    if any("e" in text for text in texts):
        return tuple(texts)
    decimals = max(len(text.partition(".")[2]) for text in texts)
    return tuple(write_number(tick, f".{decimals}f") for tick in ticks)
