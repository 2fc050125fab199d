"""The profiles, figures 12 to 16 and 18 to 22: the drop of every row, one page for each r."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from primefourier._checks import printable
from primefourier.analysis import mean_interval
from primefourier.figures import DropBars, DropMatrix, draw_drop_bars, draw_drop_matrices
from primefourier.lab.config import ModelConfig, prime_parts
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid, in_order
from primefourier.lab.studies.paper_grids import modulus_of

_MOST_PANELS = 24
"""A page with more profiles would be too long to read."""


def draw_matrices(grid: Grid, input_range: int) -> Figure:
    """Draw, for each |P|, the drop of every row for every task prime."""
    panels = []
    for size in _rows_at(grid, input_range):
        planned = grid.by_place[size, input_range]
        primes = prime_parts(planned[0])[0].primes
        records = grid.found(planned)
        drops = []
        for prime in primes:
            trained = [record for record in records if modulus_of(record) == prime]
            drops.append([_mean(_drops(trained, str(row))) for row in primes])
        panels.append(DropMatrix(f"|P| = {size}", primes, drops))
    return draw_drop_matrices(
        panels,
        title=f"{grid.title}: drop of every row, r = {input_range}",
        caption=grid.caption(
            "Drop of test accuracy when one row is zeroed, for each task prime.",
            _records_at(grid, input_range),
            several="Means over seeds.",
        ),
    )


def draw_bars(grid: Grid, column: object) -> Figure:
    """Draw, for each value along the rows of a grid, the drop of every row of its networks."""
    panels, values = [], _rows_at(grid, column)
    for value in values[:_MOST_PANELS]:
        planned = grid.by_place[value, column]
        records = grid.found(planned)
        names, relevant = _names(records, planned)
        by_row = [_drops(records, name) for name in names]
        note = "" if records else "not measured yet"
        if planned[0].degenerate:
            note = "degenerate"
        intervals = None
        if len(records) > 1:
            found = [mean_interval(some) for some in by_row]
            intervals = [[_known(interval.low), _known(interval.high)] for interval in found]
        title = f"{grid.row_name} = {value}"
        rows, marked = ([printable(name) for name in some] for some in (names, relevant))
        panels.append(DropBars(title, rows, list(map(_mean, by_row)), marked, intervals, note))
    shown = _records_at(grid, column)
    place = f", {grid.column_name} = {column}" if grid.column_axis else ""
    return draw_drop_bars(
        panels,
        title=f"{grid.title}: drop of every row{place}",
        caption=grid.caption(
            "Drop of test accuracy when one row is zeroed."
            + f" Only the first {_MOST_PANELS} of {len(values)} are shown."
            * (len(values) > _MOST_PANELS),
            shown,
            several="Error bars are 95 % intervals over seeds.",
        ),
        noise_floor=max((record.measured.noise_floor for record in shown), default=0.0),
    )


def _rows_at(grid: Grid, column: object) -> list[Any]:
    """Return the values along the rows that are planned in one column."""
    return in_order(row for row, other in grid.by_place if other == column)


def _records_at(grid: Grid, column: object) -> list[Record]:
    """Return the records of one column, including those of incomplete seeds."""
    return grid.found(
        c for place, some in grid.by_place.items() if place[1] == column for c in some
    )


def _names(
    records: Sequence[Record], planned: Sequence[ModelConfig]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names of all rows of some models, and of those that all models need."""
    if not records and not planned[0].known:
        return (), ()
    found = [record.measured for record in records] or planned[:1]
    names = dict.fromkeys(name for one in found for name in one.row_names)
    needed = set.intersection(*(set(one.relevant or ()) for one in found))
    return tuple(names), tuple(name for name in names if name in needed)


def _drops(records: Sequence[Record], name: str) -> list[float]:
    """Return the drop of a row in each model that has it."""
    pairs = (zip(r.measured.row_names, r.measured.drops, strict=True) for r in records)
    return [drop for rows in pairs for row, drop in rows if row == name]


def _mean(drops: Sequence[float]) -> float:
    """Return the mean over all models, or NaN if none is measured."""
    return statistics.mean(drops) if drops else math.nan


def _known(end: float | None) -> float:
    return math.nan if end is None else end
