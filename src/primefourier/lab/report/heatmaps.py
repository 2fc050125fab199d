"""The heatmaps, figures 4 to 11: one measure over |P| × r or N × r."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

from matplotlib.figure import Figure

from primefourier.analysis import Interval
from primefourier.figures import draw_heatmap
from primefourier.lab.experiments import SinglePrime
from primefourier.lab.report.page import Page
from primefourier.lab.results import Cell
from primefourier.lab.results.cells import cell_of


@dataclass(frozen=True)
class Heatmap:
    """A figure of the paper that is a heatmap.

    Args:
        number: The figure's number.
        experiment: Whose cells it shows.
        slug: Its name in a file name.
        measure: What its cells show.
        meaning: How that is measured, for the caption.
        value: Reads the measure off a cell.
        highest: The end of its colour scale: drops of rows that should not matter are small.
    """

    number: int
    experiment: str
    slug: str
    measure: str
    meaning: str
    value: Callable[[Cell], Interval | float | None]
    highest: float = 1.0


_ZEROED = "Rows are zeroed in trained networks, on test pairs."
_CONVERGED = f"Models whose test accuracy exceeds {SinglePrime.threshold:.2f} after some epoch."
_ACCURACY = "Share of right answers on test pairs, after the last epoch."

HEATMAPS = (
    Heatmap(4, "exp1", "diagonal", "Mean diagonal drop", _ZEROED, lambda c: c.on),
    Heatmap(5, "exp1", "off-diagonal", "Mean off-diagonal drop", _ZEROED, lambda c: c.off, 0.5),
    Heatmap(
        6, "exp1", "convergence", "Share of models that converged", _CONVERGED,
        lambda c: c.converged,
    ),
    Heatmap(7, "control", "diagonal", "Mean diagonal drop", _ZEROED, lambda c: c.on),
    Heatmap(8, "control", "off-diagonal", "Mean off-diagonal drop", _ZEROED, lambda c: c.off, 0.5),
    Heatmap(9, "exp2", "factor", "Mean factor drop", _ZEROED, lambda c: c.on),
    Heatmap(10, "exp2", "nonfactor", "Mean nonfactor drop", _ZEROED, lambda c: c.off, 0.5),
    Heatmap(11, "exp2", "accuracy", "Test accuracy", _ACCURACY, lambda c: c.accuracy),
)  # fmt: skip


def draw_measure(heatmap: Heatmap, page: Page) -> Figure:
    """Draw one of the heatmaps from the records of a page; what is not measured stays a gap."""
    values, marks = [], []
    for row in page.rows:
        found = [_read(heatmap, page.cells.get((row, r))) for r in page.ranges]
        values.append([value for value, _ in found])
        marks.append([mark for _, mark in found])
    asked = {cell_of(config) for config in page.asked}
    degenerate = asked - {cell_of(config) for config in page.asked if not config.degenerate}
    without = {place for place, cell in page.cells.items() if heatmap.value(cell) is None}
    left_out = degenerate | without
    return draw_heatmap(
        values,
        rows=page.rows,
        columns=page.ranges,
        title=f"{page.title}: {heatmap.measure.lower()}",
        caption=page.caption(
            _caption(heatmap, degenerate, without),
            (
                r
                for place, cell in page.cells.items()
                if place not in left_out
                for r in cell.records
            ),
            several="± gives the 95 % interval over seeds." if any(map(any, marks)) else "",
        ),
        row_label=page.row_label,
        column_label="input range r",
        measure=heatmap.measure,
        limits=(0, heatmap.highest),
        excluded=[[(row, r) in left_out for r in page.ranges] for row in page.rows],
        marks=marks if any(map(any, marks)) else None,
    )


def _read(heatmap: Heatmap, cell: Cell | None) -> tuple[float, str]:
    """Return a cell's value, and how sure it is if there are several seeds."""
    value = None if cell is None else heatmap.value(cell)
    if value is None:
        return math.nan, ""
    if isinstance(value, Interval):
        sure = "" if value.high is None else f"± {value.high - value.mean:.3f}"
        return value.mean, sure
    return value, ""


def _caption(heatmap: Heatmap, degenerate: Collection[object], without: Collection[object]) -> str:
    means = "" if heatmap.experiment == "exp2" else " Means over the task primes."
    reasons = ["no sum wraps around"] if degenerate else []
    reasons += ["there are no such rows"] if without else []
    crossed = f" Left out where {' or '.join(reasons)}." if reasons else ""
    return f"{heatmap.meaning}{means}{crossed}"
