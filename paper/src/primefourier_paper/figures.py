"""All 22 figures of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import sha256
from statistics import mean

import numpy as np
from matplotlib.figure import Figure

from primefourier.encoding import PrimeBasis
from primefourier.figures import (
    DropMatrix,
    Panel,
    draw_block_matrix,
    draw_circles,
    draw_drop_matrices,
    draw_panels,
)
from primefourier.figures.style import ERRORS
from primefourier.lab.cells import Cell
from primefourier.lab.config import prime_parts
from primefourier.lab.figures import (
    Entry,
    FigureFile,
    Heatmap,
    draw_bars,
    draw_measure,
    drop_line,
    drops_of,
    records_at,
    rows_at,
    show_drop,
)
from primefourier.lab.grid import Grid
from primefourier.theory import project_to_equivariant
from primefourier_paper.experiments import PAPER_RANGES, Experiment, SinglePrime
from primefourier_paper.grids import experiment_of, modulus_of


def paper_figures(grids: Iterable[Grid]) -> Iterator[FigureFile]:
    """Yield the figures of grids of the paper's experiments.

    Figures 1 to 3 show the encoding and the theorem, and need no records. Figures of experiments
    without planned models are left out.
    """
    yield FigureFile("figure-01-circles-9-17-mod-23", partial(draw_circles, 9, 17, 23))
    yield FigureFile("figure-02-circles-13-15-mod-21", partial(draw_circles, 13, 15, 21))
    yield FigureFile("figure-03-block-diagonal", _draw_blocks)
    for grid in grids:
        experiment, other = experiment_of(grid), grid.study.settings
        # a suffix keeps the files of other settings apart from the paper's
        suffix = f"-{sha256(repr(other).encode()).hexdigest()[:8]}" if other else ""
        for name, draw in _grid_figures(grid, experiment).items() if experiment else ():
            yield FigureFile(f"{name}{suffix}", draw)


def _grid_figures(grid: Grid, experiment: type[Experiment]) -> dict[str, Callable[[], Figure]]:
    """Return the paper's figures of one grid, by the names of their files."""
    name = experiment.short_name
    found: dict[str, Callable[[], Figure]] = {
        f"figure-{number:02}-{name}-{heatmap.slug}": partial(draw_measure, heatmap, grid)
        for number, owner, heatmap in HEATMAPS
        if owner == name
    }
    profiles = {"exp1": (12, draw_matrices), "exp2": (18, draw_bars)}
    if name in profiles:
        first, draw = profiles[name]
        for r in grid.columns:
            number = f"{first + PAPER_RANGES.index(r):02}" if r in PAPER_RANGES else "extra"
            found[f"figure-{number}-{name}-profiles-r{r}"] = partial(draw, grid, r)
    if experiment is SinglePrime:
        found[f"figure-17-{name}-lines"] = partial(draw_lines, grid)
    return found


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
_RELEVANT, _OTHER = partial(show_drop, relevant=True), partial(show_drop, relevant=False)


def _show_unconverged(cell: Cell) -> Entry:
    """Count models that never exceed the threshold; those that do, but end below it, fell back."""
    below = [r.measured.accuracy <= SinglePrime.threshold for r in cell.records]
    # Some converge and fall back later: they count in the colour, and are named apart.
    never = round((1 - cell.converged) * len(below))
    fallen = f"\n{sum(below) - never} fell back" * (sum(below) > never)
    return Entry(sum(below) / len(below), f"{never} of {len(below)}{fallen}")


def _show_wrong(cell: Cell) -> Entry:
    """Count wrong answers of all models."""
    total = sum(record.measured.test_size for record in cell.records)
    wrong = total - sum(record.measured.correct for record in cell.records)
    return Entry(wrong / total, f"{wrong} of {total:,}".replace(",", "\u202f"))


_MEANS = f"{_ZEROED} Means over the task primes."
_DIAGONAL = Heatmap("diagonal", "Mean diagonal drop", _MEANS, _RELEVANT)
_OFF_DIAGONAL = Heatmap("off-diagonal", "Mean off-diagonal drop", _MEANS, _OTHER, 0.5)
_CONVERGENCE = Heatmap(
    "convergence",
    "Models that did not converge or fell back",
    f"Models whose test accuracy never exceeds {SinglePrime.threshold}; others fell back to it or "
    "less by the last epoch, and count in the colour.",
    _show_unconverged,
    0.25,
    ERRORS,
)
_FACTOR = Heatmap("factor", "Mean factor drop", _ZEROED, partial(_RELEVANT, dots=True))
_NONFACTOR = Heatmap("nonfactor", "Mean nonfactor drop", _ZEROED, partial(_OTHER, dots=True), 0.5)
_WRONG = "Wrong answers on all test pairs of all models, after the last epoch."
_ACCURACY = Heatmap("accuracy", "Share of wrong answers", _WRONG, _show_wrong, 0.002, ERRORS)
HEATMAPS = (
    (4, "exp1", _DIAGONAL),
    (5, "exp1", _OFF_DIAGONAL),
    (6, "exp1", _CONVERGENCE),
    (7, "control", _DIAGONAL),
    (8, "control", _OFF_DIAGONAL),
    (9, "exp2", _FACTOR),
    (10, "exp2", _NONFACTOR),
    (11, "exp2", _ACCURACY),
)
"""The number, the experiment and the content of each figure of the paper that is a heatmap."""


def draw_matrices(grid: Grid, input_range: int) -> Figure:
    """Draw, for each |P|, the drop of every row for every task prime."""
    panels = []
    for size in rows_at(grid, input_range):
        planned = grid.by_place[size, input_range]
        primes = prime_parts(planned[0])[0].primes
        records = grid.found(planned)
        drops = []
        for prime in primes:
            # Seeds of one task are averaged; a task without a record stays a gap, not a zero.
            trained = [record for record in records if modulus_of(record) == prime]
            by_row = [drops_of(trained, str(row)) for row in primes]
            drops.append([mean(some) if some else math.nan for some in by_row])
        # Their rows of drops are small because there was little accuracy to lose.
        collapsed = {modulus_of(r) for r in records if r.measured.accuracy <= SinglePrime.threshold}
        floor = max((record.measured.noise_floor for record in records), default=0.0)
        panels.append(DropMatrix(f"|P| = {size}", primes, drops, floor, tuple(collapsed)))
    dagger = ""
    if any(panel.marked for panel in panels):
        dagger = f" † A network ended at an accuracy of {SinglePrime.threshold} or less."
    return draw_drop_matrices(
        panels,
        title=f"{grid.title}: drop of every row, r = {input_range}",
        caption=grid.caption(
            f"Drop of test accuracy when one row is zeroed, for each task prime.{dagger}",
            records_at(grid, input_range),
            several="Means over seeds.",
        ),
    )


def draw_lines(grid: Grid) -> Figure:
    """Draw both drops against r, one line for each |P|; ranges that are not measured are gaps."""
    # Planned cells without a record give gaps, so no line joins across them.
    own, other = (
        [drop_line(grid, row, grid.cells, relevant=relevant) for row in grid.rows]
        for relevant in (True, False)
    )
    # Drops of a thousandth should not look large.
    heading, sees = "other rows zeroed (note the scale)", (0, 0.02)
    return draw_panels(
        [
            Panel("own row zeroed", "diagonal drop", own, sees=(0, 1)),
            Panel(heading, "off-diagonal drop", other, grid.floors, sees),
        ],
        title=f"{grid.title}: drops against input range",
        caption=grid.caption(
            "Means over the task primes.",
            (record for cell in grid.cells.values() for record in cell.records),
            several="Lines are means over seeds.",
        ),
        across="input range r",
        scale="log",
    )
