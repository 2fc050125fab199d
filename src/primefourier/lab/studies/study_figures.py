"""Heatmaps of any study, its profiles, and its accuracy beyond the input range."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from statistics import mean

from matplotlib.figure import Figure

from primefourier.analysis import Interval
from primefourier.figures import Line, Panel, draw_heatmap, draw_panels
from primefourier.lab.cells import Cell
from primefourier.lab.studies.figure_files import FigureFile
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.profile_figures import draw_bars
from primefourier.lab.tables import write_reach

_MOST_LINES = 12
_ZEROED = "Rows are zeroed in trained networks, on test examples."


@dataclass(frozen=True)
class Heatmap:
    """What a heatmap shows.

    Args:
        slug: Its name in a file name.
        measure: What its cells show.
        meaning: How that is measured, for the caption.
        value: Reads the measure from a cell.
        highest: The end of its colour scale; drops of other rows are small.
    """

    slug: str
    measure: str
    meaning: str
    value: Callable[[Cell], Interval | float | None]
    highest: float = 1.0


HEATMAPS = (
    Heatmap("accuracy", "Test accuracy", "After the last epoch.", lambda c: c.accuracy),
    Heatmap("relevant", "Mean drop of relevant rows", _ZEROED, lambda c: c.relevant),
    Heatmap("other", "Mean drop of other rows", _ZEROED, lambda c: c.other),
)


def study_figures(grid: Grid) -> Iterator[FigureFile]:
    """Yield the figures of a study of any kind; those without values are left out."""
    name = _file_name(" ".join([grid.study.name, *(f"{k} {v}" for k, v in grid.fixed.items())]))
    cells = grid.cells.values()
    for heatmap in HEATMAPS:
        if any(heatmap.value(cell) is not None for cell in cells):
            yield FigureFile(f"{name}-{heatmap.slug}", partial(draw_measure, heatmap, grid))
    for i, column in enumerate(grid.columns[:_MOST_LINES]):
        ending = f"-{i + 1}" if len(grid.columns) > 1 else ""
        yield FigureFile(f"{name}-profiles{ending}", partial(draw_bars, grid, column))
    if any(record.measured.beyond for cell in cells for record in cell.records):
        yield FigureFile(f"{name}-beyond", partial(draw_beyond, grid))


def _file_name(text: str) -> str:
    """Write a name in letters that every file system has; a digest tells altered names apart.

    >>> _file_name("my study"), _file_name("../étude")
    ('my-study', 'tude-3d9985ee')
    """
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:80]
    if name == text.replace(" ", "-"):
        return name
    digest = sha256(text.encode(errors="backslashreplace")).hexdigest()[:8]
    return f"{name}-{digest}".strip("-")


def draw_measure(heatmap: Heatmap, grid: Grid) -> Figure:
    """Draw a heatmap; cells that are not measured stay gaps."""
    values, marks = [], []
    for row in grid.rows:
        found = [_read(heatmap, grid.cells.get((row, column))) for column in grid.columns]
        values.append([value for value, _ in found])
        marks.append([mark for _, mark in found])
    degenerate = {
        place
        for place, configs in grid.by_place.items()
        if all(config.degenerate for config in configs)
    }
    without = {place for place, cell in grid.cells.items() if heatmap.value(cell) is None}
    left_out = degenerate | without
    reasons = ["no sum wraps around"] * bool(degenerate) + ["there are no such rows"] * bool(
        without
    )
    text = heatmap.meaning
    text += f" Left out where {' or '.join(reasons)}." if reasons else ""
    shown = [cell for place, cell in grid.cells.items() if place not in left_out]
    marked = any(map(any, marks))
    return draw_heatmap(
        values,
        rows=grid.rows,
        columns=grid.columns,
        title=f"{grid.title}: {heatmap.measure.lower()}",
        caption=grid.caption(
            text,
            (record for cell in shown for record in cell.records),
            several="± gives the 95 % interval over seeds." if marked else "",
        ),
        row_label=grid.row_axis.label if grid.row_axis else "",
        column_label=grid.column_axis.label if grid.column_axis else "",
        measure=heatmap.measure,
        limits=(0, heatmap.highest),
        excluded=[[(row, c) in left_out for c in grid.columns] for row in grid.rows],
        marks=marks if marked else None,
    )


def _read(heatmap: Heatmap, cell: Cell | None) -> tuple[float, str]:
    """Return a cell's value, and the reach of its interval if there are several seeds."""
    value = None if cell is None else heatmap.value(cell)
    if value is None:
        return math.nan, ""
    if isinstance(value, Interval):
        return value.mean, write_reach(value)
    return value, ""


def draw_beyond(grid: Grid) -> Figure:
    """Draw accuracy against the size of the integers, in and beyond the input range."""
    lines = []
    for cell in list(grid.cells.values())[:_MOST_LINES]:
        by_end: dict[float, list[float]] = {}
        for record in cell.records:
            end = getattr(record.config.task, "input_range", 1)
            by_end.setdefault(float(end), []).append(record.measured.accuracy)
            for name, accuracy in record.measured.accuracy_beyond.items():
                if re.fullmatch(r"[0-9]{1,300}", name):
                    by_end.setdefault(float(name), []).append(accuracy)
        ends = sorted(by_end)
        lines.append(Line(cell.name, ends, [mean(by_end[end]) for end in ends]))
    more = len(grid.cells) - _MOST_LINES
    return draw_panels(
        [Panel("", "accuracy", lines, sees=(0.0, 1.0))],
        title=f"{grid.title}: accuracy beyond the input range",
        caption=grid.caption(
            "The first point of a line is the test accuracy below the input range; the others are "
            "test sets of larger integers."
            + f" {more} more configurations are not shown."
            * (more > 0),
            (record for cell in grid.cells.values() for record in cell.records),
        ),
        across="integers below",
        scale="log",
        columns=1,
    )
