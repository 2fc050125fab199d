"""The profiles, figures 12 to 16 and 18 to 22: the drop of every row, one page for each r."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from matplotlib.figure import Figure

from primefourier.analysis import mean_interval
from primefourier.figures import DropBars, DropMatrix, draw_drop_bars, draw_drop_matrices
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid


def draw_matrices(grid: Grid, input_range: int) -> Figure:
    """Draw, for each |P|, the drop of every row for every task prime."""
    panels = []
    for size in _rows_at(grid, input_range):
        primes = grid.variant.pool[:size]
        records = grid.found(grid.by_place[size, input_range])
        drops = []
        for prime in primes:
            trained = [record for record in records if record.config.modulus == prime]
            drops.append([_mean(trained, row) for row in range(size)])
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


def draw_bars(grid: Grid, input_range: int) -> Figure:
    """Draw, for each N, the drop of every row."""
    pool = grid.variant.pool
    panels = []
    for modulus in _rows_at(grid, input_range):
        planned = grid.by_place[modulus, input_range]
        records = grid.found(planned)
        drops = [_mean(records, row) for row in range(len(pool))]
        relevant = [p for p in pool if modulus % p == 0]
        note = "" if records else "not measured yet"
        if planned[0].degenerate:
            note = "degenerate"
        intervals = None
        if len(records) > 1:
            found = [
                mean_interval([record.measured.drops[row] for record in records])
                for row in range(len(pool))
            ]
            intervals = [[interval.low or 0.0, interval.high or 0.0] for interval in found]
        panels.append(DropBars(f"N = {modulus}", pool, drops, relevant, intervals, note))
    shown = _records_at(grid, input_range)
    return draw_drop_bars(
        panels,
        title=f"{grid.title}: drop of every row, r = {input_range}",
        caption=grid.caption(
            "Drop of test accuracy when one row is zeroed.",
            shown,
            several="Error bars are 95 % intervals over seeds.",
        ),
        noise_floor=max((record.measured.noise_floor for record in shown), default=0.0),
    )


def _rows_at(grid: Grid, input_range: int) -> list[int]:
    """Return |P| or N of the models that are planned at one r."""
    return sorted(row for row, r in grid.by_place if r == input_range)


def _records_at(grid: Grid, input_range: int) -> list[Record]:
    """Return the records at one r, including those of incomplete seeds."""
    return grid.found(config for config in grid.planned if config.input_range == input_range)


def _mean(records: Sequence[Record], row: int) -> float:
    """Return a row's drop over all seeds, or NaN if no model is measured."""
    drops = [record.measured.drops[row] for record in records]
    return statistics.mean(drops) if drops else math.nan
