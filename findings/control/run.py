"""The numbers and the figure of docs/findings/control.md: which columns the paper's control reads.

The control shuffles the columns of the circles among the rows. Of all columns, four hold the circle
of period N, sin and cos of a and of b; they determine the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from findings.panels import BLUE, GREY, INK, PALE, make_panels
from findings.runs import run_of
from findings.text import several, spaced, table
from primefourier import lab
from primefourier.nn import ShuffledPrimeFourier

CONVERGED = 0.85
"""The paper's threshold; networks that end at or below it are counted apart."""
COSTS = 0.1
"""A row costs much if zeroing it costs at least this accuracy."""
SHOWN = (8, 11, 1000, 42)
"""|P|, N, r and seed of the network in the figure."""
COLUMNS = ("cos a", "sin a", "cos b", "sin b")


_LOOKS: dict[bool, dict[str, Any]] = {
    False: {"facecolor": "white", "edgecolor": GREY},
    True: {"facecolor": BLUE, "edgecolor": BLUE},
}
"""How rows are drawn without a needed column, and with one."""


class Row(NamedTuple):
    """A row of a network of the control: the needed columns that it holds, and its drop."""

    place: tuple[int, int, int, int]
    held: tuple[str, ...]
    drop: float
    accuracy: float


def shuffled_rows(config: lab.ModelConfig) -> list[list[int]]:
    """Return the columns in each row of a network of the control, by their place before."""
    embedding, task = config.embedding, config.task
    shuffled = ShuffledPrimeFourier(
        embedding.basis, unit=embedding.unit, operands=task.operands, seed=embedding.seed
    )
    found: list[list[int]] = shuffled.permutation.view(len(embedding.primes), -1).tolist()
    return found


def needed_columns(config: lab.ModelConfig) -> dict[int, str]:
    """Return the places, before the shuffle, of the four columns of the circle of period N."""
    embedding, task = config.embedding, config.task
    width = 2 * embedding.depth * task.operands  # columns of one prime; depth 0 comes first
    first = width * embedding.primes.index(task.modulus)
    return dict(enumerate(COLUMNS, start=first))


@cache
def control_rows() -> tuple[Row, ...]:
    """Return all rows of all networks of the control."""
    found = []
    for record in run_of("paper").records:
        embedding, task = record.config.embedding, record.config.task
        if isinstance(embedding, lab.ShuffledPrimeFourier):
            needed, measured = needed_columns(record.config), record.measured
            place = (len(embedding.primes), task.modulus, task.input_range, record.config.seed)
            for columns, drop in zip(shuffled_rows(record.config), measured.drops, strict=True):
                held = tuple(needed[column] for column in columns if column in needed)
                found.append(Row(place, held, drop, measured.accuracy))
    return tuple(found)


def drops_beside() -> dict[bool, list[float]]:
    """Return the drops of rows of PFE itself, in the places of converged networks of the control.

    The key says whether the row is that of N.
    """
    places = {row.place for row in control_rows() if row.accuracy > CONVERGED}
    found: dict[bool, list[float]] = {True: [], False: []}
    for record in run_of("paper").records:
        embedding, task = record.config.embedding, record.config.task
        place = (len(embedding.primes), task.modulus, task.input_range, record.config.seed)
        if type(embedding) is lab.PrimeFourier and place in places:
            for prime, drop in zip(embedding.primes, record.measured.drops, strict=True):
                found[prime == task.modulus].append(drop)
    return found


def _counted(rows: Iterable[Row]) -> list[str]:
    """Return how many rows there are and how many cost much, and their mean and median drop."""
    drops = [row.drop for row in rows]
    much = sum(drop >= COSTS for drop in drops)
    return [spaced(len(drops)), spaced(much), _mean(drops, 3), f"{np.median(drops):.3f}"]


def _mean(drops: Iterable[float], digits: int = 2) -> str:
    return f"{np.mean(list(drops)):.{digits}f}"


def blocks() -> Iterator[tuple[str, str]]:
    """Yield what rows of the control cost, by whether they hold a needed column."""
    every = control_rows()
    rows = [row for row in every if row.accuracy > CONVERGED]
    rest = [row for row in rows if not row.held]
    networks, converged = (len({row.place for row in some}) for some in (every, rows))
    sentence = (
        f"{converged} of {networks} networks of the control end above an accuracy of {CONVERGED}. "
        f"A row costs much if its drop is at least {COSTS}."
    )
    lines = [
        [words, what, *_counted(row for row in some if bool(row.held) is held)]
        for words, some in ((f"the {converged}", rows), (f"all {networks}", every))
        for what, held in (("a needed column", True), ("none", False))
    ]
    columns = ["networks", "rows that hold", "rows", "cost much", "mean drop", "median drop"]
    beside = drops_beside()
    comparison = (
        "With the rows of PFE itself, in the same configurations with the same seeds, the row of N "
        f"costs {_mean(beside[True])} in the mean, and other rows {_mean(beside[False], 3)}."
    )
    cheap = [row for row in every if row.held and row.drop < COSTS]
    only = {held for row in cheap for held in row.held}
    small = several(sorted({row.place[1] for row in cheap}))
    assert only <= {"cos a", "cos b"}, only
    assert all(len(row.held) == 1 for row in cheap)
    exceptions = (
        f"All {len(cheap)} rows that hold a needed column and cost less than {COSTS} hold a single "
        f"cosine, with N = {small}. The sine alone tells a residue modulo an odd N."
    )
    dear = [row.place[0] for row in rest if row.drop >= COSTS]
    shuffles = {(row.place[0], row.place[3]) for row in every}
    first = {row.place for row in every if row.place[3] == 42}
    caveat = (
        f"Of the {len(dear)} rows of the {converged} that hold none and cost much, "
        f"{sum(p >= 10 for p in dear)} are of networks with |P| ≥ 10. The "
        f"{len({(size, r) for size, _, r, _ in first})} configurations of seed 42 have only "
        f"{len({size for size, *_ in first})} permutations, one for each |P|. With the further "
        f"seeds there are {len(shuffles)}."
    )
    yield "control sentence", sentence
    yield "control rows", table(columns, lines)
    yield "control comparison", comparison
    yield "control exceptions", exceptions
    yield "control caveat", caveat


def draw_control() -> Figure:
    """Draw one network's columns and drops, and the drops of all rows with and without."""
    key = [
        (
            Patch(facecolor=BLUE),
            "one of the four columns of the circle of period N; a row with one",
        ),
        (Patch(**_LOOKS[False]), "any other column; a row without"),
    ]
    (config,) = (
        record.config
        for record in run_of("paper").records
        if isinstance(record.config.embedding, lab.ShuffledPrimeFourier)
        and (len(record.config.embedding.primes), record.config.task.modulus) == SHOWN[:2]
        and (record.config.task.input_range, record.config.seed) == SHOWN[2:]
    )
    shuffled = shuffled_rows(config)
    size, modulus, *_ = SHOWN
    converged = [row for row in control_rows() if row.accuracy > CONVERGED]
    figure, (grid, bars, share) = make_panels(
        [
            f"one network (|P| = {size}, N = {modulus}): its rows",
            "and their drops",
            f"all rows of {len({row.place for row in converged})} networks",
        ],
        title="The control reads the same four columns, wherever the shuffle puts them",
        key=key,
        across=[f"{len(shuffled[0])} columns", *["drop without the row"] * 2],
        up=[f"{size} rows", "", "% of the rows"],
        widths=(3.4, 1.6, 3.4),
    )
    needed, rows = needed_columns(config), [r for r in control_rows() if r.place == SHOWN]
    for y, columns in enumerate(shuffled):
        for x, column in enumerate(columns):
            color = BLUE if column in needed else "white"
            cell = Rectangle((x, y), 1, 1, linewidth=0.5, facecolor=color, edgecolor=PALE)
            grid.add_patch(cell)
            if column in needed:
                words, right = needed[column], x + 4 < len(columns)
                grid.text(
                    x + (1.3 if right else -0.3), y + 0.5, words, va="center", size=8, color=BLUE,
                    ha="left" if right else "right", weight="bold",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                )  # fmt: skip
    for y, row in enumerate(rows):
        look = _LOOKS[bool(row.held)]
        bars.barh(y + 0.5, row.drop, 0.7, **look)
        bars.text(max(row.drop, 0) + 0.04, y + 0.5, f"{row.drop:.2f}", va="center", size=8)
    for axes in (grid, bars):
        axes.set_ylim(len(rows), 0)
        axes.set_yticks([])
    grid.set_xlim(0, len(shuffled[0]))
    grid.set_xticks([])
    grid.set_frame_on(False)
    bars.set_xlim(0, 1.25)
    bars.set_xticks([0, 0.5, 1])
    for held, look in _LOOKS.items():
        drops = [max(row.drop, 0.0) for row in converged if bool(row.held) is held]
        weights = np.full(len(drops), 100 / len(drops))
        share.hist(drops, np.arange(0, 1.05, 0.05).tolist(), weights=weights, alpha=0.85, **look)
    share.set_ylim(0, 100)
    with_one = sum(bool(row.held) for row in converged)
    share.text(0.42, 34, f"{spaced(with_one)} rows with one", size=9, color=BLUE)
    words = f"{spaced(len(converged) - with_one)} rows without a needed column"
    share.text(0.1, 88, words, size=9, color=INK)
    return figure


FIGURES = {"columns.png": draw_control}
