"""Figures of any study: heatmaps, the drop of every row, and accuracy beyond the input range."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from statistics import mean
from typing import Any

from matplotlib.figure import Figure

from primefourier._checks import printable
from primefourier.analysis import Interval
from primefourier.figures import DropBars, Line, Panel, draw_drop_bars, draw_heatmap, draw_panels
from primefourier.lab.cells import Cell
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.studies.figure_files import FigureFile
from primefourier.lab.studies.grid import Grid, in_order
from primefourier.lab.tables import write_reach

ERROR_BARS = "Error bars are 95 % intervals over seeds."
_MOST_LINES = 12
_MOST_PANELS = 24
"""A page with more profiles would be too long to read."""
_ZEROED = "Rows are zeroed in trained networks, on test examples."


@dataclass(frozen=True)
class Heatmap:
    """What a heatmap shows: a measure, its name in a file name, and its meaning in the caption."""

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
    degenerate = {
        place
        for place, configs in grid.by_place.items()
        if all(config.degenerate for config in configs)
    }
    values, marks, without = {}, {}, set()
    for place, cell in grid.cells.items():
        value = heatmap.value(cell)
        if value is None:
            without.add(place)
        elif isinstance(value, Interval):
            values[place], marks[place] = value.mean, write_reach(value)
        else:
            values[place] = value
    left_out = degenerate | without
    reasons = ["no sum wraps around"] * bool(degenerate)
    reasons += ["there are no such rows"] * bool(without)
    text = heatmap.meaning + f" Left out where {' or '.join(reasons)}." * bool(reasons)
    shown = [cell for place, cell in grid.cells.items() if place not in left_out]
    marked = any(marks.values())
    places = [[(row, column) for column in grid.columns] for row in grid.rows]
    return draw_heatmap(
        [[values.get(place, math.nan) for place in row] for row in places],
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
        excluded=[[place in left_out for place in row] for row in places],
        marks=[[marks.get(place, "") for place in row] for row in places] if marked else None,
    )


def draw_bars(grid: Grid, column: object) -> Figure:
    """Draw, for each value along the rows of a grid, the drop of every row of its networks."""
    panels, values = [], rows_at(grid, column)
    for value in values[:_MOST_PANELS]:
        planned = grid.by_place[value, column]
        records = grid.found(planned)
        names, relevant = _row_names(records, planned)
        by_row = [drops_of(records, name) for name in names]
        note = "" if records else "not measured yet"
        if planned[0].degenerate:
            note = "degenerate"
        points = by_row if len(records) > 1 else None
        rows, marked = ([printable(name) for name in some] for some in (names, relevant))
        drops = [mean(some) if some else math.nan for some in by_row]
        panels.append(DropBars(f"{grid.row_name} = {value}", rows, drops, marked, points, note))
    shown = records_at(grid, column)
    place = f", {grid.column_name} = {column}" if grid.column_axis else ""
    text = "Drop of test accuracy when one row is zeroed."
    if len(values) > _MOST_PANELS:
        text += f" Only the first {_MOST_PANELS} of {len(values)} are shown."
    return draw_drop_bars(
        panels,
        title=f"{grid.title}: drop of every row{place}",
        caption=grid.caption(text, shown, several="Bars are means over seeds, dots single seeds."),
        noise_floor=max((record.measured.noise_floor for record in shown), default=0.0),
    )


def _row_names(
    records: Sequence[Record], planned: Sequence[ModelConfig]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names of all rows of some models, and of those that all models need."""
    if not records and not planned[0].known:
        return (), ()
    found = [record.measured for record in records] or planned[:1]
    names = dict.fromkeys(name for one in found for name in one.row_names)
    needed = set.intersection(*(set(one.relevant or ()) for one in found))
    return tuple(names), tuple(name for name in names if name in needed)


def rows_at(grid: Grid, column: object) -> list[Any]:
    """Return the values along the rows that are planned in one column."""
    return in_order(row for row, other in grid.by_place if other == column)


def records_at(grid: Grid, column: object) -> list[Record]:
    """Return the records of one column, including those of incomplete seeds."""
    return grid.found(
        c for place, some in grid.by_place.items() if place[1] == column for c in some
    )


def drops_of(records: Sequence[Record], name: str) -> list[float]:
    """Return the drop of a row in each model that has it."""
    pairs = (zip(r.measured.row_names, r.measured.drops, strict=True) for r in records)
    return [drop for rows in pairs for row, drop in rows if row == name]


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
    text = (
        "The first point of a line is the test accuracy below the input range; the others are test "
        "sets of larger integers."
    )
    more = len(grid.cells) - _MOST_LINES
    if more > 0:
        text += f" {more} more configurations are not shown."
    return draw_panels(
        [Panel("", "accuracy", lines, sees=(0.0, 1.0))],
        title=f"{grid.title}: accuracy beyond the input range",
        caption=grid.caption(
            text, (record for cell in grid.cells.values() for record in cell.records)
        ),
        across="integers below",
        scale="log",
        columns=1,
    )


def interval_line(name: str, xs: Sequence[int], values: Sequence[Interval | None]) -> Line:
    """Return a line through means, with error bars where there are intervals; gaps are NaN."""
    means = [math.nan if value is None else value.mean for value in values]
    ends = [_ends(value) for value in values]
    known = any(not math.isnan(low) for low, _ in ends)
    return Line(name, xs, means, ends if known else None)


def _ends(interval: Interval | None) -> tuple[float, float]:
    """Return the ends of an interval, NaN where they are unknown."""
    if interval is None or interval.low is None or interval.high is None:
        return math.nan, math.nan
    return interval.low, interval.high
