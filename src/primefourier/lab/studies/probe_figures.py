"""Figures of probes, beyond the paper: kinds of ablation, single depths, equivariance by epoch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from primefourier.analysis import Interval
from primefourier.figures import Line, Panel, draw_panels
from primefourier.lab.cells import Cell
from primefourier.lab.probe import KINDS
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid, floor_of
from primefourier.lab.studies.probe_groups import Group, probed_groups
from primefourier.lab.studies.probe_means import MEASURES, depth_drops, epoch_curves

_SHOWN_SIZE = 8
"""|P| of the figures of experiment 1, if it is probed at most r: its primes are experiment 2's."""
_REPLACEMENTS = {"zero": "zeros", "mean": "the mean", "permute": "another pair's"}
_ERROR_BARS = "Error bars and bands are 95 % intervals over seeds."


def probe_figures(grid: Grid) -> dict[str, Callable[[], Figure]]:
    """Return the figures of a grid's probes by the names of their files; none without probes."""
    groups = _shown(probed_groups([grid]))
    if not groups:
        return {}
    name = grid.study.name.partition(" ")[0]
    return {
        f"probe-ablations-{name}": partial(draw_kinds, grid),
        f"probe-depths-{name}": partial(draw_depths, grid, groups),
        f"probe-equivariance-{name}": partial(draw_equivariance, grid, groups),
    }


def _shown(groups: Sequence[Group]) -> list[Group]:
    """Return the groups of one size, or of experiment 2."""
    if not groups:
        return []
    counts = Counter(group.row for group in groups)
    shown = max(counts, key=lambda row: (counts[row], row == _SHOWN_SIZE, row))
    return [group for group in groups if group.row == shown]


def draw_kinds(grid: Grid) -> Figure:
    """Draw the drop of the other rows against r, for each kind of ablation."""
    panels = []
    floors = column_floors(grid)
    for kind in KINDS:
        cells = grid.cells_of(kind, probed=True)
        lines = [
            interval_line(
                f"{grid.row_name} = {row}",
                grid.columns,
                [_other_drop(cells.get((row, r))) for r in grid.columns],
            )
            for row in grid.rows
        ]
        panels.append(Panel(f"replaced by {_REPLACEMENTS[kind]}", "drop", lines, floors))
    probed = grid.cells_of("zero", probed=True).values()
    return draw_panels(
        panels,
        title=f"{grid.title}: rows that should not matter, by what replaces them",
        caption=grid.caption(
            "Mean drop of the rows of primes that do not divide N.",
            (record for cell in probed for record in cell.records),
            several=_ERROR_BARS,
        ),
        across="input range r",
        scale="log",
        columns=3,
        share_y=True,
    )


def draw_depths(grid: Grid, groups: Sequence[Group]) -> Figure:
    """Draw the drop of single (p, d) blocks against d: of primes that divide N, and of others."""
    found = {(group.input_range, d.kind): d for group in groups for d in depth_drops(group)}
    panels = []
    for which, words in (("relevant", "primes that divide N"), ("other", "other primes")):
        for kind in KINDS:
            lines = []
            for group in groups:
                values = getattr(found[group.input_range, kind], which)
                lines.append(interval_line(f"r = {group.input_range}", range(len(values)), values))
            panels.append(Panel(f"{words}, {_REPLACEMENTS[kind]}", "drop", lines, sees=(0.0, 0.1)))
    return draw_panels(
        panels,
        title=f"{groups[0].name}: drop of one (p, d) block by itself",
        caption=grid.caption(
            "One block of a row is replaced by zeros, by its mean over the test pairs, or by "
            "another pair's. Means over rows and models.",
            _records(groups),
            several=_ERROR_BARS,
        ),
        across="depth d",
        columns=3,
    )


def draw_equivariance(grid: Grid, groups: Sequence[Group]) -> Figure:
    """Draw the measures of equivariance against the epoch; 0 is the untrained network."""
    curves = {(g.input_range, c.measure.name): c for g in groups for c in epoch_curves(g)}
    skipped = sum(curves[group.input_range, MEASURES[0].name].skipped for group in groups)
    panels = []
    for measure in MEASURES:
        lines = []
        for group in groups:
            values = curves[group.input_range, measure.name].values
            lines.append(interval_line(f"r = {group.input_range}", range(len(values)), values))
        panels.append(Panel(measure.title, measure.meaning, lines, sees=(0.0, 1.0)))
    return draw_panels(
        panels,
        title=f"{groups[0].name}: equivariance while training",
        caption=grid.caption(
            "Test pairs (a, b) against (a + s, b), where every logit should move by s; and the "
            "second moment of the gradient by the code of a."
            + f" Diverged models, skipped where they have no value: {skipped}."
            * bool(skipped),
            _records(groups),
            several=_ERROR_BARS,
        ),
        across="epoch",
    )


def column_floors(grid: Grid) -> dict[Any, float]:
    """Return the noise floor at each r."""
    return {place[1]: floor_of(some[0]) for place, some in grid.by_place.items()}


def _other_drop(cell: Cell | None) -> Interval | None:
    return None if cell is None or cell.degenerate else cell.other


def _records(groups: Sequence[Group]) -> list[Record]:
    return [r for group in groups for records in group.by_seed.values() for r in records]


def interval_line(name: str, xs: Sequence[int], values: Sequence[Interval | None]) -> Line:
    """Return a line through means, with error bars; gaps are NaN.

    Args:
        name: Its name in the key.
        xs: Where the means are.
        values: The means with their intervals. Without any interval there are no error bars.
    """
    means = [math.nan if value is None else value.mean for value in values]
    ends = [
        [math.nan if v is None or v.low is None else v.low for v in values],
        [math.nan if v is None or v.high is None else v.high for v in values],
    ]
    pairs = [list(pair) for pair in zip(*ends, strict=True)]
    return Line(name, xs, means, pairs if any(not math.isnan(low) for low, _ in pairs) else None)
