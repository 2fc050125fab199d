"""Figure 17: the diagonal and the off-diagonal drop against r, a line for each |P|."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure

from primefourier.analysis import Interval
from primefourier.figures import DropLine, draw_drop_lines
from primefourier.lab.report.page import Page


def draw_lines(page: Page) -> Figure:
    """Draw both drops against r; ranges that are not measured leave gaps."""
    lines = []
    for size in page.rows:
        cells = [page.cells.get((size, r)) for r in page.ranges]
        on = [None if cell is None else cell.on for cell in cells]
        off = [None if cell is None else cell.off for cell in cells]
        lines.append(
            DropLine(
                f"|P| = {size}",
                page.ranges,
                means(on),
                means(off),
                diagonal_intervals=ends(on),
                off_diagonal_intervals=ends(off),
            )
        )
    return draw_drop_lines(
        lines,
        title=f"{page.title}: drops against input range",
        caption=page.caption(
            "Means over the task primes.",
            (record for cell in page.cells.values() for record in cell.records),
            several="Error bars are 95 % intervals over seeds.",
        ),
        noise_floor={config.input_range: config.noise_floor for config in page.asked},
    )


def means(intervals: Sequence[Interval | None]) -> list[float]:
    """Return the means, NaN where nothing is measured."""
    return [math.nan if interval is None else interval.mean for interval in intervals]


def ends(intervals: Sequence[Interval | None]) -> list[list[float]] | None:
    """Return the ends of the error bars, NaN where there is none; None if there are none at all."""
    ends = [
        [math.nan if x is None or x.low is None else x.low for x in intervals],
        [math.nan if x is None or x.high is None else x.high for x in intervals],
    ]
    pairs = [list(pair) for pair in zip(*ends, strict=True)]
    return pairs if any(not math.isnan(low) for low, _ in pairs) else None
