"""All 22 figures of the paper, and the figures of probes: their files, heatmaps and lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

import numpy as np
from matplotlib.figure import Figure

from primefourier.analysis import Interval
from primefourier.encoding import PrimeBasis
from primefourier.figures import (
    draw_block_matrix,
    draw_circles,
    draw_drop_lines,
    draw_heatmap,
)
from primefourier.lab.cells import Cell
from primefourier.lab.studies.figure_files import FigureFile
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper import SinglePrime
from primefourier.lab.studies.probe_figures import interval_line, probe_figures
from primefourier.lab.studies.profile_figures import draw_bars, draw_matrices
from primefourier.lab.studies.study import PAPER_RANGES
from primefourier.lab.studies.variants import Variant
from primefourier.lab.tables import write_reach
from primefourier.theory import project_to_equivariant

_LINES = 17
_PROFILES = {"exp1": (12, draw_matrices), "exp2": (18, draw_bars)}


def draw_figures(grids: Iterable[Grid]) -> Iterator[FigureFile]:
    """Yield the figures of a run: the paper's settings first, then others.

    Figures 1 to 3 show the encoding and the theorem, and need no records. Figures of experiments
    without planned models are left out. Figures of probes follow where there are any.

    Args:
        grids: The grids of the run.
    """
    yield FigureFile("figure-01-circles-9-17-mod-23", partial(draw_circles, 9, 17, 23))
    yield FigureFile("figure-02-circles-13-15-mod-21", partial(draw_circles, 13, 15, 21))
    yield FigureFile("figure-03-block-diagonal", _draw_blocks)
    for grid in grids:
        figures = _grid_figures(grid, _suffix(grid.variant))
        if not _suffix(grid.variant):
            figures |= probe_figures(grid)
        for name, draw in figures.items():
            yield FigureFile(name, draw, grid.made_by)


def _grid_figures(grid: Grid, suffix: str) -> dict[str, Callable[[], Figure]]:
    """Return the paper's figures of one grid, by the names of their files."""
    name = grid.study.name
    found: dict[str, Callable[[], Figure]] = {
        f"figure-{heatmap.number:02}-{name}-{heatmap.slug}{suffix}": partial(
            draw_measure, heatmap, grid
        )
        for heatmap in HEATMAPS
        if heatmap.experiment == name
    }
    if name in _PROFILES:
        first, draw = _PROFILES[name]
        for r in grid.ranges:
            number = f"{first + PAPER_RANGES.index(r):02}" if r in PAPER_RANGES else "extra"
            found[f"figure-{number}-{name}-profiles-r{r}{suffix}"] = partial(draw, grid, r)
    if name == SinglePrime.name:
        found[f"figure-{_LINES}-{name}-lines{suffix}"] = partial(draw_lines, grid)
    return found


def _suffix(variant: Variant) -> str:
    """Return a suffix that keeps the files of other settings apart from the paper's."""
    if variant.follows_paper and variant.trainer == "fast":
        return ""
    return f"-{sha256(repr(variant).encode()).hexdigest()[:8]}"


def _draw_blocks() -> Figure:
    basis = PrimeBasis((3, 5, 7), depth=3)
    drawn = np.random.default_rng(42).normal(size=(basis.dim, basis.dim))
    return draw_block_matrix(
        project_to_equivariant(drawn, basis),
        primes=basis.primes,
        depth=basis.depth,
        title="A linear map that commutes with addition",
        caption=(
            "A random matrix, projected onto the maps that commute with a → a + b on the codes of "
            "three primes at depth 3. Each prime couples to itself alone, each depth to itself "
            "alone, and each 2 × 2 block is a scaled rotation."
        ),
    )


@dataclass(frozen=True)
class Heatmap:
    """A figure of the paper that is a heatmap.

    Args:
        number: The figure's number.
        experiment: The experiment whose cells it shows.
        slug: Its name in a file name.
        measure: What its cells show.
        meaning: How that is measured, for the caption.
        value: Reads the measure from a cell.
        highest: The end of its colour scale; drops of other rows are small.
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
    Heatmap(4, "exp1", "diagonal", "Mean diagonal drop", _ZEROED, lambda c: c.relevant),
    Heatmap(5, "exp1", "off-diagonal", "Mean off-diagonal drop", _ZEROED, lambda c: c.other, 0.5),
    Heatmap(
        6, "exp1", "convergence", "Share of models that converged", _CONVERGED,
        lambda c: c.converged,
    ),
    Heatmap(7, "control", "diagonal", "Mean diagonal drop", _ZEROED, lambda c: c.relevant),
    Heatmap(
        8, "control", "off-diagonal", "Mean off-diagonal drop", _ZEROED, lambda c: c.other, 0.5
    ),
    Heatmap(9, "exp2", "factor", "Mean factor drop", _ZEROED, lambda c: c.relevant),
    Heatmap(10, "exp2", "nonfactor", "Mean nonfactor drop", _ZEROED, lambda c: c.other, 0.5),
    Heatmap(11, "exp2", "accuracy", "Test accuracy", _ACCURACY, lambda c: c.accuracy),
)  # fmt: skip


def draw_measure(heatmap: Heatmap, grid: Grid) -> Figure:
    """Draw one of the heatmaps; cells that are not measured stay gaps."""
    values, marks = [], []
    for row in grid.rows:
        found = [_read(heatmap, grid.cells.get((row, r))) for r in grid.ranges]
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
    text += "" if grid.study.one_model_per_cell else " Means over the task primes."
    text += f" Left out where {' or '.join(reasons)}." if reasons else ""
    shown = [cell for place, cell in grid.cells.items() if place not in left_out]
    marked = any(map(any, marks))
    return draw_heatmap(
        values,
        rows=grid.rows,
        columns=grid.ranges,
        title=f"{grid.title}: {heatmap.measure.lower()}",
        caption=grid.caption(
            text,
            (record for cell in shown for record in cell.records),
            several="± gives the 95 % interval over seeds." if marked else "",
        ),
        row_label=grid.study.row_label,
        column_label="input range r",
        measure=heatmap.measure,
        limits=(0, heatmap.highest),
        excluded=[[(row, r) in left_out for r in grid.ranges] for row in grid.rows],
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


def draw_lines(grid: Grid) -> Figure:
    """Draw both drops against r, one line for each |P|; ranges that are not measured are gaps."""
    relevant, other = [], []
    for row in grid.rows:
        cells = [grid.cells.get((row, r)) for r in grid.ranges]
        name = f"{grid.study.row_name} = {row}"
        drops = [(None, None) if c is None else (c.relevant, c.other) for c in cells]
        relevant.append(interval_line(name, grid.ranges, [own for own, _ in drops]))
        other.append(interval_line(name, grid.ranges, [others for _, others in drops]))
    return draw_drop_lines(
        relevant,
        other,
        title=f"{grid.title}: drops against input range",
        caption=grid.caption(
            "Means over the task primes.",
            (record for cell in grid.cells.values() for record in cell.records),
            several="Error bars are 95 % intervals over seeds.",
        ),
        noise_floor={config.input_range: config.noise_floor for config in grid.planned},
    )
