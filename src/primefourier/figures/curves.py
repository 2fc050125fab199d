"""How one line looks: its colour and marker, its points, and what surrounds them.

Few points have markers and error bars. Many would run into each other: they are a plain line, and
what surrounds it is a band.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.typing import ColorType

from primefourier.figures.intervals import draw_intervals
from primefourier.figures.style import SEQUENTIAL
from primefourier.figures.table import Table

_MARKERS = "os^DvPX*"
_FEW = 12  # points that can have markers


@dataclass(frozen=True)
class Look:
    """The colour and the marker that one name has wherever it is drawn."""

    color: ColorType
    marker: str

    def style(self, *, marked: bool) -> dict[str, Any]:
        """Return matplotlib's words for a line with this look."""
        return {
            "color": self.color,
            "marker": self.marker if marked else "None",
            "ms": 5,
            "lw": 1.6,
        }


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Give each name a look, in the order in which names first appear.

    >>> [look.marker for look in looks(["a", "b", "a"]).values()]
    ['o', 's']
    """
    order = list(dict.fromkeys(names))
    shown = matplotlib.colormaps[SEQUENTIAL]
    return {
        name: Look(shown(0.88 * i / max(1, len(order) - 1)), _MARKERS[i % len(_MARKERS)])
        for i, name in enumerate(order)
    }


def few(points: Sequence[object]) -> bool:
    """Tell whether points are few enough to have markers and error bars.

    >>> few(range(12)), few(range(13))
    (True, False)
    """
    return len(points) <= _FEW


def draw_curve(
    axes: Axes, xs: Sequence[float], ys: Sequence[float], intervals: Table | None, look: Look
) -> None:
    """Draw one line and its intervals; NaN breaks both."""
    pairs = [(low, high) for low, high in intervals or ()]
    if few(xs):
        draw_intervals(axes, xs, pairs, look.color)
        axes.plot(xs, ys, **look.style(marked=True))
        return
    alone = _alone([not math.isnan(low + high) for low, high in pairs])
    if pairs:
        lows, highs = zip(*pairs, strict=True)
        axes.fill_between(xs, lows, highs, color=look.color, alpha=0.18, lw=0)
        draw_intervals(axes, [xs[i] for i in alone], [pairs[i] for i in alone], look.color)
    # A value between two gaps is no line: without a marker it would not be seen.
    dots = _alone([not math.isnan(y) for y in ys])
    axes.plot(xs, ys, **look.style(marked=bool(dots)), markevery=dots)


def _alone(known: Sequence[bool]) -> list[int]:
    """Return the positions that are known while their neighbours are not."""
    padded = [False, *known, False]
    return [i for i, k in enumerate(known) if k and not padded[i] and not padded[i + 2]]
