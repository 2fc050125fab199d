"""The numbers and the figure of docs/findings/control.md: which columns the paper's control reads.

The control shuffles the columns of the circles among the rows. Of all columns, four hold the circle
of period N, sin and cos of a and of b; they determine the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from findings.panels import BLUE, GREY, INK, PALE, make_panels
from findings.runs import run_of
from findings.text import several, spaced, table
from primefourier import lab
from primefourier_paper import ControlRow, control_rows

CONVERGED = 0.85
"""The paper's threshold; networks that end at or below it are counted apart."""
COSTS = 0.1
"""A row costs much if zeroing it costs at least this accuracy."""
SHOWN = (8, 11, 1000, 42)
"""|P|, N, r and seed of the network in the figure."""
_LOOKS: dict[bool, dict[str, Any]] = {
    False: {"facecolor": "white", "edgecolor": GREY},
    True: {"facecolor": BLUE, "edgecolor": BLUE},
}
"""How rows are drawn without a needed column, and with one."""
Place = tuple[int, int, int, int]
"""|P|, N, r and seed."""


def place_of(config: lab.ModelConfig) -> Place:
    """Return what tells a network of experiment 1 or the control from the others."""
    task = config.task
    return len(config.embedding.primes), task.modulus, task.input_range, config.seed


@cache
def rows_of() -> list[ControlRow]:
    """Return all rows of all networks of the control."""
    return control_rows(run_of("paper").records)


def converged() -> list[ControlRow]:
    """Return the rows of networks that end above the paper's threshold."""
    return [row for row in rows_of() if row.record.measured.accuracy > CONVERGED]


def networks_of(rows: Iterable[ControlRow]) -> set[Place]:
    """Return the networks that rows belong to."""
    return {place_of(row.record.config) for row in rows}


def drops_beside() -> dict[bool, list[float]]:
    """Return the drops of rows of PFE itself, in the places of converged networks of the control.

    The key says whether the row is that of N.
    """
    places = networks_of(converged())
    found: dict[bool, list[float]] = {True: [], False: []}
    for record in run_of("paper").records:
        embedding, modulus = record.config.embedding, record.config.task.modulus
        if type(embedding) is lab.PrimeFourier and place_of(record.config) in places:
            for prime, drop in zip(embedding.primes, record.measured.drops, strict=True):
                found[prime == modulus].append(drop)
    return found


def _counted(rows: Iterable[ControlRow]) -> list[str]:
    """Return how many rows there are and how many cost much, and their mean and median drop."""
    drops = [row.drop for row in rows]
    much = sum(drop >= COSTS for drop in drops)
    mean, median = (f"{find(drops):.3f}" for find in (np.mean, np.median))
    return [spaced(len(drops)), spaced(much), mean, median]


def blocks() -> Iterator[tuple[str, str]]:
    """Yield what rows of the control cost, by whether they hold a needed column."""
    rows, every = converged(), rows_of()
    good, networks = networks_of(rows), networks_of(every)
    lines = [
        [words, what, *_counted(row for row in some if bool(row.held) is held)]
        for words, some in ((f"the {len(good)}", rows), (f"all {len(networks)}", every))
        for what, held in (("a needed column", True), ("none", False))
    ]
    (*_, with_one, _), (*_, without, _) = lines[:2]
    yield (
        "control lead",
        f"A row of the control that holds a needed column costs {with_one} of the accuracy in the "
        f"mean. A row that holds none costs {without}.",
    )
    yield (
        "control sentence",
        f"{len(good)} of {len(networks)} networks of the control end above an accuracy of "
        f"{CONVERGED}. A row costs much if its drop is at least {COSTS}.",
    )
    columns = ["networks", "rows that hold", "rows", "cost much", "mean drop", "median drop"]
    yield "control rows", table(columns, lines)
    beside = {own: np.mean(drops) for own, drops in drops_beside().items()}
    yield (
        "control comparison",
        "In PFE itself, in the same configurations with the same seeds, the row of N costs "
        f"{beside[True]:.2f} in the mean. Other rows cost {beside[False]:.3f}.",
    )
    cheap = [row for row in every if row.held and row.drop < COSTS]
    # The sentence below is only true if all of them hold a cosine and nothing else.
    assert {name for row in cheap for name in row.columns.values()} <= {"cos a", "cos b"}
    assert all(row.held == 1 for row in cheap)
    small = several(sorted({row.record.config.task.modulus for row in cheap}))
    yield (
        "control exceptions",
        f"{len(cheap)} rows hold a needed column and cost less than {COSTS}. All of them hold a "
        f"single cosine, with N = {small}. The sine alone tells a residue modulo an odd N.",
    )
    dear = [place_of(row.record.config)[0] for row in rows if not row.held and row.drop >= COSTS]
    first = {(size, r) for size, _, r, seed in networks if seed == 42}
    yield (
        "control caveat",
        f"{len(dear)} rows of the {len(good)} hold none and cost much. Networks with |P| ≥ 10 have "
        f"{sum(p >= 10 for p in dear)} of them. The {len(first)} configurations of the paper share "
        f"{len({size for size, _ in first})} permutations, one for each |P|. With the further "
        f"seeds there are {len({(size, seed) for size, *_, seed in networks})}.",
    )


def draw_control() -> Figure:
    """Draw one network's columns and drops, and the drops of all rows with and without."""
    size, modulus, *_ = SHOWN
    rows = [row for row in rows_of() if place_of(row.record.config) == SHOWN]
    width = 4 * rows[0].record.config.embedding.depth
    many = converged()
    figure, (grid, bars, share) = make_panels(
        [
            f"one network (|P| = {size}, N = {modulus}): its rows",
            "and their drops",
            f"all rows of {len(networks_of(many))} networks",
        ],
        title="The control reads the same four columns, wherever the shuffle puts them",
        key=[
            (
                Patch(facecolor=BLUE),
                "one of the four columns of the circle of period N; a row with one",
            ),
            (Patch(**_LOOKS[False]), "any other column; a row without"),
        ],
        across=[f"{width} columns", *["drop without the row"] * 2],
        up=[f"{size} rows", "", "% of the rows"],
        widths=(3.4, 1.6, 3.4),
    )
    for y, row in enumerate(rows):
        for x in range(width):
            color = BLUE if x in row.columns else "white"
            cell = Rectangle((x, y), 1, 1, linewidth=0.5, facecolor=color, edgecolor=PALE)
            grid.add_patch(cell)
        for x, words in row.columns.items():
            right = x + 4 < width
            grid.text(
                x + (1.3 if right else -0.3), y + 0.5, words, va="center", size=8, color=BLUE,
                ha="left" if right else "right", weight="bold",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )  # fmt: skip
        bars.barh(y + 0.5, row.drop, 0.7, **_LOOKS[bool(row.held)])
        bars.text(max(row.drop, 0) + 0.04, y + 0.5, f"{row.drop:.2f}", va="center", size=8)
    for axes in (grid, bars):
        axes.set_ylim(len(rows), 0)
        axes.set_yticks([])
    grid.set_xlim(0, width)
    grid.set_xticks([])
    grid.set_frame_on(False)
    bars.set_xlim(0, 1.25)
    bars.set_xticks([0, 0.5, 1])
    for held, look in _LOOKS.items():
        drops = [max(row.drop, 0.0) for row in many if bool(row.held) is held]
        weights = np.full(len(drops), 100 / len(drops))
        share.hist(drops, np.arange(0, 1.05, 0.05).tolist(), weights=weights, alpha=0.85, **look)
    share.set_ylim(0, 100)
    with_one = sum(bool(row.held) for row in many)
    share.text(0.42, 34, f"{spaced(with_one)} rows with one", size=9, color=BLUE)
    words = f"{spaced(len(many) - with_one)} rows without a needed column"
    share.text(0.1, 88, words, size=9, color=INK)
    return figure


FIGURES = {"columns.png": draw_control}
