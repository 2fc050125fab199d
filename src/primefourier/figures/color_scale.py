"""Which colour a value has, and the bar that says so."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import matplotlib
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator

from primefourier.figures.page import Page
from primefourier.figures.style import INK, LABEL_SIZE, TICK_SIZE
from primefourier.figures.table import write_number
from primefourier.figures.text import text_height, text_width


@dataclass(frozen=True)
class ColorScale:
    """A colour map between two values; what lies outside has the colour of the nearer end.

    Attributes:
        low: The value at the lower end.
        high: The value at the upper end.
        name: The colour map, by matplotlib's name.

    >>> ColorScale(0, 1, "gray").color(2)
    (1.0, 1.0, 1.0, 1.0)
    """

    low: float
    high: float
    name: str

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.high < math.inf:
            raise ValueError(f"limits must be finite and ascend, got {self.low} and {self.high}")

    def color(self, value: float) -> tuple[float, float, float, float]:
        """Return the colour of a value as (red, green, blue, 1)."""
        place = (value - self.low) / (self.high - self.low)
        red, green, blue, _ = matplotlib.colormaps[self.name](min(1.0, max(0.0, place)))
        return float(red), float(green), float(blue), 1.0

    @property
    def ticks(self) -> dict[float, str]:
        """Round values within the scale, and how they are written."""
        slack = 1e-9 * (self.high - self.low)
        ticks = MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(self.low, self.high)
        return {
            float(tick): write_number(float(tick), ".6g")
            for tick in ticks
            if self.low - slack <= tick <= self.high + slack
        }

    def bar_room(self, label: str) -> float:
        """Return the inches that the numbers and the label beside an upright bar take."""
        numbers = max(text_width(text, TICK_SIZE) for text in self.ticks.values())
        return 0.2 + numbers + text_height(label, LABEL_SIZE)

    def draw_bar(
        self,
        page: Page,
        place: tuple[float, float, float, float],
        *,
        label: str,
        values: Iterable[float],
    ) -> None:
        """Draw what the colours mean, with an arrow at an end that some of the values exceed.

        Args:
            page: Where to draw.
            place: Left, top, width and height in the body; wider than high makes it horizontal.
            label: The measure.
            values: All values that are drawn.
        """
        known = [value for value in values if not math.isnan(value)]
        below = any(value < self.low for value in known)
        above = any(value > self.high for value in known)
        flat = place[2] > place[3]
        axes = page.axes(*place)
        bar = page.figure.colorbar(
            ScalarMappable(Normalize(self.low, self.high), self.name),
            cax=axes,
            orientation="horizontal" if flat else "vertical",
            extend=("both" if above else "min") if below else ("max" if above else "neither"),
            ticks=list(self.ticks),
        )
        bar.outline.set_visible(False)
        bar.set_ticklabels(list(self.ticks.values()))
        bar.minorticks_off()
        axes.tick_params(labelsize=TICK_SIZE, colors=INK, length=3)
        page.label(axes, across=label if flat else "", up="" if flat else label)
