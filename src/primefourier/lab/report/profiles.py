"""The profiles, figures 12 to 16 and 18 to 22: the drop of every row, one page for each r."""

from __future__ import annotations

import math
import statistics

from matplotlib.figure import Figure

from primefourier.analysis import mean_interval
from primefourier.figures import DropBars, DropMatrix, draw_drop_bars, draw_drop_matrices
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.report.page import Page
from primefourier.lab.results.cells import cell_of


def draw_matrices(page: Page, input_range: int) -> Figure:
    """Draw, for each |P|, the drop of every row for every task prime."""
    pool = page.variant.pool
    panels = []
    for size in _rows(page, input_range):
        primes = pool[:size]
        drops = [
            [_mean(page, _at(page, input_range, prime, primes), row) for row in range(size)]
            for prime in primes
        ]
        panels.append(DropMatrix(f"|P| = {size}", primes, drops))
    return draw_drop_matrices(
        panels,
        title=f"{page.title}: drop of every row, r = {input_range}",
        caption=page.caption(
            "Drop of test accuracy when one row is zeroed, for each task prime.",
            page.measured(input_range),
            several="Means over seeds.",
        ),
    )


def draw_bars(page: Page, input_range: int) -> Figure:
    """Draw, for each N, the drop of every row."""
    pool = page.variant.pool
    panels, floors = [], []
    for modulus in _rows(page, input_range):
        asked = _at(page, input_range, modulus, pool)
        records = _measured(page, asked)
        floors += [record.measured.noise_floor for record in records]
        drops = [_mean(page, asked, row) for row in range(len(pool))]
        relevant = [p for p in pool if modulus % p == 0]
        note = "" if records else "not measured yet"
        if asked[0].degenerate:
            note = "degenerate"
        intervals = None
        if len(records) > 1:
            found = [
                mean_interval([record.measured.drops[row] for record in records])
                for row in range(len(pool))
            ]
            intervals = [[interval.low or 0.0, interval.high or 0.0] for interval in found]
        panels.append(DropBars(f"N = {modulus}", pool, drops, relevant, intervals, note))
    return draw_drop_bars(
        panels,
        title=f"{page.title}: drop of every row, r = {input_range}",
        caption=page.caption(
            "Drop of test accuracy when one row is zeroed.",
            page.measured(input_range),
            several="Error bars are 95 % intervals over seeds.",
        ),
        noise_floor=max(floors, default=0.0),
    )


def _rows(page: Page, input_range: int) -> list[int]:
    """Return |P| or N of the models that were asked for at one r."""
    return sorted({cell_of(c)[0] for c in page.asked if c.input_range == input_range})


def _at(page: Page, input_range: int, modulus: int, primes: tuple[int, ...]) -> list[ModelConfig]:
    return [
        config
        for config in page.asked
        if (config.input_range, config.modulus, config.primes) == (input_range, modulus, primes)
    ]


def _measured(page: Page, asked: list[ModelConfig]) -> list[Record]:
    found = (page.records.get(config.key) for config in asked)
    return [record for record in found if record is not None and record.measurement is not None]


def _mean(page: Page, asked: list[ModelConfig], row: int) -> float:
    """Return a row's drop over all seeds, or NaN if no model is measured."""
    drops = [record.measured.drops[row] for record in _measured(page, asked)]
    return statistics.mean(drops) if drops else math.nan
