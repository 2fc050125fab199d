"""Figures of probes, beyond the paper: kinds of ablation, depths, equivariance, seed by seed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from primefourier.figures import Line, Panel, draw_panels
from primefourier.lab.claims import judge
from primefourier.lab.probe import KINDS
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper_cells import paper_cells
from primefourier.lab.studies.paper_claims import CLAIMS
from primefourier.lab.studies.paper_grids import modulus_of
from primefourier.lab.studies.probe_means import (
    MEASURES,
    Group,
    Measure,
    epoch_curves,
    mean_drops,
    measured_of,
    probed_groups,
)
from primefourier.lab.studies.study_figures import drop_line

_SHOWN_SIZE = 8
"""|P| of the figures of experiment 1, if it is probed at most r: its primes are experiment 2's."""
_REPLACEMENTS = {"zero": "zeros", "mean": "the mean", "permute": "another pair's"}
_SMALL_DROP = 1e-4
_MEANS = "Lines are means over seeds."


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
        known = {place: cell for place, cell in cells.items() if not cell.degenerate}
        lines = [drop_line(grid, row, known, relevant=False) for row in grid.rows]
        panels.append(Panel(f"replaced by {_REPLACEMENTS[kind]}", "drop", lines, grid.floors))
    probed = grid.cells_of("zero", probed=True).values()
    return draw_panels(
        panels,
        title=f"{grid.title}: rows that should not matter, by what replaces them",
        caption=grid.caption(
            "Mean drop of the rows of primes that do not divide N.",
            (record for cell in probed for record in cell.records),
            several=_MEANS,
        ),
        across="input range r",
        scale="log",
        columns=3,
        share_y=True,
    )


def draw_depths(grid: Grid, groups: Sequence[Group]) -> Figure:
    """Draw the drop of single (p, d) blocks by d: of primes that divide N, and of others."""
    panels = []
    for relevant, words in ((True, "relevant row"), (False, "other row")):
        for kind in KINDS:
            lines = []
            for group in groups:
                drops = group.seed_means(partial(mean_drops, kind=kind, relevant=relevant))
                lines.append(Line(f"r = {group.input_range}", range(len(drops)), drops))
            heading = f"{words}: block → {_REPLACEMENTS[kind]}"
            names = range(len(drops))
            panels.append(Panel(heading, "drop with each seed", lines, sees=(0, 1), names=names))
    return draw_panels(
        panels,
        title=f"{groups[0].name}: drop of one (p, d) block by itself",
        caption=grid.caption(
            "One block of a row is replaced by zeros, by its mean over the test pairs, or by "
            "another pair's. Means over rows and models, for each seed. The scale is logarithmic "
            f"above {_SMALL_DROP:g}.",
            (record for group in groups for record in group.records),
        ),
        across="depth d",
        columns=3,
        share_y=True,
        linear_below=_SMALL_DROP,
    )


def draw_equivariance(grid: Grid, groups: Sequence[Group]) -> Figure:
    """Draw the measures of equivariance against the epoch, and two of them at the end by N."""
    panels = []
    for i, measure in enumerate(MEASURES):
        lines = []
        for group in groups:
            values = group.seed_means(measure.of).filled(math.nan)
            lines.append(Line(f"r = {group.input_range}", range(len(values)), values))
        panels.append(Panel(measure.title, measure.meaning, lines, sees=(0.0, 1.0)))
        if i % 2:  # these two differ by N
            panels.append(_by_modulus(measure, groups))
    text = (
        "Test pairs (a, b) against (a + s, b), where every logit should move by s; and the second "
        "moment of the gradient by the code of a. Epoch 0 is the untrained network."
    )
    skipped = sum(epoch_curves(group)[0].skipped for group in groups)
    if skipped:
        text += f" Diverged models, skipped where they have no value: {skipped}."
    return draw_panels(
        panels,
        title=f"{groups[0].name}: equivariance while training",
        caption=grid.caption(
            text, (record for group in groups for record in group.records), several=_MEANS
        ),
        across="epoch",
        columns=3,
    )


def _by_modulus(measure: Measure, groups: Sequence[Group]) -> Panel:
    """Return the values of single networks after the last epoch, by N."""
    moduli = sorted({modulus_of(record) for group in groups for record in group.records})
    lines = []
    for group in groups:
        ends = {(modulus_of(r), r.config.seed): measure.of(r)[-1] for r in group.records}
        found = [[ends.get((n, seed)) for seed in group.by_seed] for n in moduli]
        table = np.array(found, float)  # None becomes NaN
        lines.append(Line(f"r = {group.input_range}", range(len(moduli)), table))
    heading, across = f"{measure.title}, by N", "modulus N, after the last epoch"
    return Panel(heading, measure.meaning, lines, sees=(0, 1), names=moduli, across=across)


def draw_seeds(grids: Sequence[Grid]) -> Figure:
    """Draw, seed by seed, in how many configurations other rows are below the noise floor."""
    panels = []
    by_name, records = {claim.name: claim for claim in CLAIMS}, measured_of(grids)
    cells = {kind: paper_cells(records, kind=kind, probed=True) for kind in KINDS}
    for name, claim, level in (("E1.3", "E1.3: |P| ≤ 8", 0.5), ("E2.1", "E2.1: every N", 0.77)):
        lines, seeds, total = [], [0], 0
        for kind in KINDS:
            found = judge(by_name[name], cells[kind])
            if counts := found.seeds:
                seeds, total = list(counts), len(found.evidence)
                shares = [count / total for count in counts.values()]
                lines.append(Line(f"replaced by {_REPLACEMENTS[kind]}", range(len(seeds)), shares))
        heading, label = f"{claim}, {total} configurations", "share below the noise floor"
        claimed = (level, "claimed in the paper")
        panels.append(Panel(heading, label, lines, sees=(0, 1), names=seeds, level=claimed))
    return draw_panels(
        panels,
        title="Rows that should not matter: configurations below the noise floor, seed by seed",
        caption="The noise floor is that of one network, so each seed is judged by itself. The "
        "paper claims more than half of the configurations for E1.3, and 77 % for E2.1.",
        across="seed",
        share_y=True,
    )
