"""Figures of probes, beyond the paper: kinds of ablation, single depths, equivariance by epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from matplotlib.figure import Figure

from primefourier.figures import Panel, draw_panels
from primefourier.lab.probe import KINDS
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.probe_means import (
    MEASURES,
    Group,
    depth_drops,
    epoch_curves,
    probed_groups,
)
from primefourier.lab.studies.study_figures import interval_line

_SHOWN_SIZE = 8
"""|P| of the figures of experiment 1, if it is probed at most r: its primes are experiment 2's."""
_REPLACEMENTS = {"zero": "zeros", "mean": "the mean", "permute": "another pair's"}
_ERROR_BARS = "Error bars and bands are 95 % intervals over seeds."


def probe_figures(grid: Grid) -> dict[str, Callable[[], Figure]]:
    """Return the figures of a grid's probes by the names of their files; none without probes."""
    groups = probed_groups([grid])
    if not groups:
        return {}
    counts = Counter(group.row for group in groups)
    shown = max(counts, key=lambda row: (counts[row], row == _SHOWN_SIZE, row))
    chosen = [group for group in groups if group.row == shown]
    name = grid.study.name.partition(" ")[0]
    return {
        f"probe-ablations-{name}": partial(draw_kinds, grid),
        f"probe-depths-{name}": partial(draw_depths, grid, chosen),
        f"probe-equivariance-{name}": partial(draw_equivariance, grid, chosen),
    }


def draw_kinds(grid: Grid) -> Figure:
    """Draw the drop of the other rows against r, for each kind of ablation."""
    panels = []
    for kind in KINDS:
        cells = grid.cells_of(kind, probed=True)
        drops = {place: cell.other for place, cell in cells.items() if not cell.degenerate}
        lines = [
            interval_line(
                f"{grid.row_name} = {row}",
                grid.columns,
                [drops.get((row, r)) for r in grid.columns],
            )
            for row in grid.rows
        ]
        panels.append(Panel(f"replaced by {_REPLACEMENTS[kind]}", "drop", lines, grid.floors))
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
    by_range = {f"r = {group.input_range}": depth_drops(group) for group in groups}
    panels = []
    for which, words in (("relevant", "primes that divide N"), ("other", "other primes")):
        for i, kind in enumerate(KINDS):
            lines = []
            for name, found in by_range.items():
                values = getattr(found[i], which)
                lines.append(interval_line(name, range(len(values)), values))
            panels.append(Panel(f"{words}, {_REPLACEMENTS[kind]}", "drop", lines, sees=(0.0, 0.1)))
    return draw_panels(
        panels,
        title=f"{groups[0].name}: drop of one (p, d) block by itself",
        caption=grid.caption(
            "One block of a row is replaced by zeros, by its mean over the test pairs, or by "
            "another pair's. Means over rows and models.",
            (record for group in groups for record in group.records),
            several=_ERROR_BARS,
        ),
        across="depth d",
        columns=3,
    )


def draw_equivariance(grid: Grid, groups: Sequence[Group]) -> Figure:
    """Draw the measures of equivariance against the epoch; 0 is the untrained network."""
    by_range = {f"r = {group.input_range}": epoch_curves(group) for group in groups}
    panels = []
    for i, measure in enumerate(MEASURES):
        lines = []
        for name, curves in by_range.items():
            values = curves[i].values
            lines.append(interval_line(name, range(len(values)), values))
        panels.append(Panel(measure.title, measure.meaning, lines, sees=(0.0, 1.0)))
    text = (
        "Test pairs (a, b) against (a + s, b), where every logit should move by s; and the second "
        "moment of the gradient by the code of a."
    )
    skipped = sum(curves[0].skipped for curves in by_range.values())
    if skipped:
        text += f" Diverged models, skipped where they have no value: {skipped}."
    return draw_panels(
        panels,
        title=f"{groups[0].name}: equivariance while training",
        caption=grid.caption(
            text,
            (record for group in groups for record in group.records),
            several=_ERROR_BARS,
        ),
        across="epoch",
    )
