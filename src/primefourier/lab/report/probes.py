"""Figures of probes, beyond the paper: kinds of ablation, single depths, equivariance by epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from matplotlib.figure import Figure

from primefourier.analysis import Interval
from primefourier.figures import Line, Panel, draw_panels
from primefourier.lab.probing import KINDS
from primefourier.lab.questions.depths import depth_drops
from primefourier.lab.questions.equivariance import MEASURES, epoch_curves
from primefourier.lab.questions.groups import Group, probed_groups
from primefourier.lab.record import Record
from primefourier.lab.report.figure_file import FigureFile
from primefourier.lab.report.lines import ends, means
from primefourier.lab.report.page import Page
from primefourier.lab.results import Cell, make_cells

_SHOWN_SIZE = 8
"""|P| of the figures of experiment 1, if it is probed at most r: its primes are experiment 2's."""
_STAND_IN = {"zero": "zeros", "mean": "the mean", "permute": "another pair's"}
_ERROR_BARS = "Error bars and bands are 95 % intervals over seeds."


def probe_figures(page: Page) -> Iterator[FigureFile]:
    """Yield the figures of a page's probes; none without probes, or for other settings."""
    groups = _shown(probed_groups(page.asked, page.records.values()))
    if not groups:
        return
    experiment = page.variant.experiment
    yield FigureFile(f"probe-ablations-{experiment}", partial(draw_kinds, page))
    yield FigureFile(f"probe-depths-{experiment}", partial(draw_depths, page, groups))
    yield FigureFile(f"probe-equivariance-{experiment}", partial(draw_equivariance, page, groups))


def _shown(groups: Sequence[Group]) -> list[Group]:
    """Return the groups of one size, or of experiment 2."""
    if not groups:
        return []
    counts = Counter(group.row for group in groups)
    shown = max(counts, key=lambda row: (counts[row], row == _SHOWN_SIZE, row))
    return [group for group in groups if group.row == shown]


def draw_kinds(page: Page) -> Figure:
    """Draw the drop of the rows that should not matter against r, for each kind of ablation."""
    name = "N" if page.variant.experiment == "exp2" else "|P|"
    panels = []
    records = []
    floors = {float(config.input_range): config.noise_floor for config in page.asked}
    for kind in KINDS:
        cells = make_cells(page.asked, _probed(page), kind=kind)
        records += [r for cell in cells.values() for r in cell.records if kind == "zero"]
        lines = [
            _line(f"{name} = {row}", page.ranges, [_off(cells.get((row, r))) for r in page.ranges])
            for row in page.rows
        ]
        panels.append(Panel(f"replaced by {_STAND_IN[kind]}", "drop", lines, floors))
    return draw_panels(
        panels,
        title=f"{page.title}: rows that should not matter, by what stands in for them",
        caption=page.caption(
            "Mean drop of the rows of primes that do not divide N. Note the scales.",
            records,
            several=_ERROR_BARS,
        ),
        across="input range r",
        scale="log",
        columns=3,
    )


def draw_depths(page: Page, groups: Sequence[Group]) -> Figure:
    """Draw the drop of single (p, d) blocks against d: of primes that divide N, and of others."""
    found = {(group.input_range, d.kind): d for group in groups for d in depth_drops(group)}
    panels = []
    for which, words in (("relevant", "primes that divide N"), ("other", "other primes")):
        for kind in KINDS:
            lines = []
            for group in groups:
                values = getattr(found[group.input_range, kind], which)
                lines.append(_line(f"r = {group.input_range}", range(len(values)), values))
            panels.append(Panel(f"{words}, {_STAND_IN[kind]}", "drop", lines, sees=(0.0, 0.1)))
    return draw_panels(
        panels,
        title=f"{groups[0].name}: drop of one (p, d) block by itself",
        caption=page.caption(
            "One block of a row is replaced by zeros, by its mean over the test pairs, or by "
            "another pair's. Means over rows and models.",
            _records(groups),
            several=_ERROR_BARS,
        ),
        across="depth d",
        columns=3,
    )


def draw_equivariance(page: Page, groups: Sequence[Group]) -> Figure:
    """Draw what is measured of equivariance against the epoch; 0 is the untrained network."""
    curves = {(g.input_range, c.measure.name): c.values for g in groups for c in epoch_curves(g)}
    panels = []
    for measure in MEASURES:
        lines = []
        for group in groups:
            values = curves[group.input_range, measure.name]
            lines.append(_line(f"r = {group.input_range}", range(len(values)), values))
        panels.append(Panel(measure.title, measure.meaning, lines, sees=(0.0, 1.0)))
    return draw_panels(
        panels,
        title=f"{groups[0].name}: equivariance while training",
        caption=page.caption(
            "Test pairs (a, b) against (a + s, b), where every logit should move by s; and the "
            "second moment of the gradient by the code of a.",
            _records(groups),
            several=_ERROR_BARS,
        ),
        across="epoch",
    )


def _probed(page: Page) -> dict[str, Record]:
    return {key: record for key, record in page.records.items() if record.probe is not None}


def _off(cell: Cell | None) -> Interval | None:
    return None if cell is None or cell.degenerate else cell.off


def _records(groups: Sequence[Group]) -> list[Record]:
    return [r for group in groups for records in group.by_seed.values() for r in records]


def _line(name: str, xs: Sequence[int], values: Sequence[Interval | None]) -> Line:
    return Line(name, xs, means(values), ends(values))
