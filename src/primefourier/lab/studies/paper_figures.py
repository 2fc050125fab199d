"""All 22 figures of the paper, and the figures of probes: their files, heatmaps and lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256

import numpy as np
from matplotlib.figure import Figure

from primefourier.analysis import Interval
from primefourier.encoding import PrimeBasis
from primefourier.figures import draw_block_matrix, draw_circles, draw_drop_lines
from primefourier.lab.cells import Cell
from primefourier.lab.studies.experiment import PAPER_RANGES, Experiment
from primefourier.lab.studies.figure_files import FigureFile
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper import SinglePrime
from primefourier.lab.studies.paper_grids import differences, experiment_of, made_by
from primefourier.lab.studies.probe_figures import column_floors, interval_line, probe_figures
from primefourier.lab.studies.profile_figures import draw_bars, draw_matrices
from primefourier.lab.studies.study_figures import Heatmap, draw_measure, study_figures
from primefourier.theory import project_to_equivariant

_LINES = 17
_PROFILES = {"exp1": (12, draw_matrices), "exp2": (18, draw_bars)}


def draw_figures(grids: Iterable[Grid]) -> Iterator[FigureFile]:
    """Yield the figures of a run: the paper's settings first, then others.

    Figures 1 to 3 show the encoding and the theorem, and need no records; a run without the
    paper's experiments does not have them. Figures of experiments without planned models are left
    out. Figures of probes follow where there are any.

    Args:
        grids: The grids of the run.
    """
    every = list(grids)
    if not every or any(experiment_of(grid) for grid in every):
        yield FigureFile("figure-01-circles-9-17-mod-23", partial(draw_circles, 9, 17, 23))
        yield FigureFile("figure-02-circles-13-15-mod-21", partial(draw_circles, 13, 15, 21))
        yield FigureFile("figure-03-block-diagonal", _draw_blocks)
    for grid in every:
        experiment = experiment_of(grid)
        if experiment is None:
            yield from study_figures(grid)
            continue
        suffix = _suffix(grid)
        figures = _grid_figures(grid, experiment, suffix)
        if not suffix:
            figures |= probe_figures(grid)
        for name, draw in figures.items():
            yield FigureFile(name, draw, made_by(grid))


def _grid_figures(
    grid: Grid, experiment: type[Experiment], suffix: str
) -> dict[str, Callable[[], Figure]]:
    """Return the paper's figures of one grid, by the names of their files."""
    name = experiment.short_name
    means = "" if experiment.one_model_per_cell else " Means over the task primes."
    found: dict[str, Callable[[], Figure]] = {
        f"figure-{number:02}-{name}-{heatmap.slug}{suffix}": partial(
            draw_measure, replace(heatmap, meaning=heatmap.meaning + means), grid
        )
        for number, owner, heatmap in HEATMAPS
        if owner == name
    }
    if name in _PROFILES:
        first, draw = _PROFILES[name]
        for r in grid.columns:
            number = f"{first + PAPER_RANGES.index(r):02}" if r in PAPER_RANGES else "extra"
            found[f"figure-{number}-{name}-profiles-r{r}{suffix}"] = partial(draw, grid, r)
    if experiment is SinglePrime:
        found[f"figure-{_LINES}-{name}-lines{suffix}"] = partial(draw_lines, grid)
    return found


def _suffix(grid: Grid) -> str:
    """Return a suffix that keeps the files of other settings apart from the paper's."""
    other = differences(grid)
    return f"-{sha256(repr(other).encode()).hexdigest()[:8]}" if other else ""


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


_ZEROED = "Rows are zeroed in trained networks, on test pairs."
_CONVERGED = f"Models whose test accuracy exceeds {SinglePrime.threshold:.2f} after some epoch."
_ACCURACY = "Share of right answers on test pairs, after the last epoch."


def _other(cell: Cell) -> Interval | None:
    return cell.other


def _converged(cell: Cell) -> float:
    return cell.converged


HEATMAPS = (
    (4, "exp1", Heatmap("diagonal", "Mean diagonal drop", _ZEROED, lambda c: c.relevant)),
    (5, "exp1", Heatmap("off-diagonal", "Mean off-diagonal drop", _ZEROED, _other, 0.5)),
    (6, "exp1", Heatmap("convergence", "Share of models that converged", _CONVERGED, _converged)),
    (7, "control", Heatmap("diagonal", "Mean diagonal drop", _ZEROED, lambda c: c.relevant)),
    (8, "control", Heatmap("off-diagonal", "Mean off-diagonal drop", _ZEROED, _other, 0.5)),
    (9, "exp2", Heatmap("factor", "Mean factor drop", _ZEROED, lambda c: c.relevant)),
    (10, "exp2", Heatmap("nonfactor", "Mean nonfactor drop", _ZEROED, _other, 0.5)),
    (11, "exp2", Heatmap("accuracy", "Test accuracy", _ACCURACY, lambda c: c.accuracy)),
)
"""The number, the experiment and the content of each figure of the paper that is a heatmap."""


def draw_lines(grid: Grid) -> Figure:
    """Draw both drops against r, one line for each |P|; ranges that are not measured are gaps."""
    relevant, other = [], []
    for row in grid.rows:
        cells = [grid.cells.get((row, r)) for r in grid.columns]
        name = f"{grid.row_name} = {row}"
        drops = [(None, None) if c is None else (c.relevant, c.other) for c in cells]
        relevant.append(interval_line(name, grid.columns, [own for own, _ in drops]))
        other.append(interval_line(name, grid.columns, [others for _, others in drops]))
    return draw_drop_lines(
        relevant,
        other,
        title=f"{grid.title}: drops against input range",
        caption=grid.caption(
            "Means over the task primes.",
            (record for cell in grid.cells.values() for record in cell.records),
            several="Error bars are 95 % intervals over seeds.",
        ),
        noise_floor=column_floors(grid),
    )
