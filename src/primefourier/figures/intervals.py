"""Error bars from the lower and the upper ends of intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.typing import ColorType

from primefourier.figures.table import Table, read_table


def read_intervals(
    intervals: Table | None, count: int, name: str
) -> tuple[tuple[float, float], ...] | None:
    """Return intervals as pairs of floats, or say what is wrong with them.

    >>> read_intervals([[0.1, 0.3]], 1, "intervals")
    ((0.1, 0.3),)
    """
    if intervals is None:
        return None
    pairs = tuple((low, high) for low, high in read_table(intervals, count, 2, name))
    for low, high in pairs:
        if low > high:
            raise ValueError(f"{name} must be (low, high), got ({low}, {high}); swap them")
    return pairs


def draw_intervals(
    axes: Axes, positions: Sequence[float], intervals: Table | None, color: ColorType
) -> None:
    """Draw an upright error bar at each position whose interval is known."""
    known = [
        (x, low, high)
        for x, (low, high) in zip(positions, intervals or [], strict=False)
        if not (math.isnan(low) or math.isnan(high))
    ]
    if known:
        axes.errorbar(
            [x for x, _, _ in known],
            [(low + high) / 2 for _, low, high in known],
            yerr=[(high - low) / 2 for _, low, high in known],
            fmt="none",
            ecolor=color,
            elinewidth=1,
            capsize=2,
        )
