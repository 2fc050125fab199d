"""Draw which row matters to which task, a matrix for each set of primes: figures 12 to 16."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from primefourier.encoding import PrimeBasis
from primefourier.figures.cells import draw_cells, name_cells
from primefourier.figures.color_scale import ColorScale
from primefourier.figures.page import lay_out
from primefourier.figures.style import GAP, LABEL_SIZE, SEQUENTIAL, SMALL_SIZE, TICK_SIZE
from primefourier.figures.table import Table, read_table, write_short
from primefourier.figures.text import text_width

_CELL, _CELL_TEXT = 0.3, 7.0
_LEFT, _RIGHT, _ABOVE, _BELOW = 0.38, 0.2, 0.27, 0.6  # around a panel's cells and row labels
_PRINTED = (6.75, 8.5)  # the inches that a paper has for a figure
_LEAST_WIDTH = 3.6


@dataclass(frozen=True)
class DropMatrix:
    """The drops of the models of one set of primes.

    Attributes:
        name: Written above the panel.
        primes: The primes of the rows, which are also the task primes.
        drops: Entry (i, j) is the drop of test accuracy when row primes[j] is zeroed in the model
            trained modulo primes[i]; NaN where it is not measured yet.
    """

    name: str
    primes: Sequence[int]
    drops: Table

    def __post_init__(self) -> None:
        primes = PrimeBasis(tuple(self.primes), 1).primes
        table = read_table(self.drops, len(primes), len(primes), f"drops of {self.name}")
        object.__setattr__(self, "primes", primes)
        object.__setattr__(self, "drops", tuple(map(tuple, table)))


def draw_drop_matrices(panels: Sequence[DropMatrix], *, title: str, caption: str = "") -> Figure:
    """Draw one matrix of drops for each set of primes, all with one scale from 0 to 1.

    Cells are equally large in all panels. A drop that is NaN is not measured yet and its cell is
    hatched.

    Args:
        panels: One for each set of primes, in the order of reading.
        title: Written above.
        caption: Written below, wrapped.

    Returns:
        A figure; save it with ``figure.savefig("profiles.pdf")``.

    >>> panel = DropMatrix("|P| = 2", (3, 5), [[0.6, 0.0], [float("nan"), 0.8]])
    >>> figure = draw_drop_matrices([panel], title="Profiles at r = 100")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['.60', '.00', '.80']
    """
    if not panels:
        raise ValueError("panels must hold at least one DropMatrix, got none")
    tables = [[list(row) for row in panel.drops] for panel in panels]
    flat = list(chain.from_iterable(chain.from_iterable(tables)))
    longest = max(text_width(str(max(panel.primes)), SMALL_SIZE) for panel in panels)
    cell, indent = max(_CELL, longest + 0.08), _LEFT + longest
    sizes = [
        (
            max(indent + cell * len(table), text_width(panel.name, LABEL_SIZE, bold=True)) + _RIGHT,
            _ABOVE + cell * len(table) + _BELOW,
        )
        for panel, table in zip(panels, tables, strict=True)
    ]
    shelves = _shelve(sizes)
    width, height = _extent(shelves)
    key = [(Patch(**GAP), "not measured yet")] if any(map(math.isnan, flat)) else []
    page = lay_out(max(width, _LEAST_WIDTH), height + 0.65, title=title, caption=caption, key=key)
    scale = ColorScale(0, 1, SEQUENTIAL)
    for panel, table, (left, top) in zip(panels, tables, _corners(shelves), strict=True):
        page.write(left, top, panel.name, LABEL_SIZE, bold=True)
        side = cell * len(table)
        axes = page.axes(left + indent, top + _ABOVE, side, side)
        draw_cells(axes, table, scale=scale, write=write_short, size=_CELL_TEXT)
        labels = [str(p) for p in panel.primes]
        name_cells(axes, labels, labels, SMALL_SIZE)
        if len(labels) > 1:  # beside a single cell there is no room for words
            page.label(axes, across="ablated row", up="task prime", size=TICK_SIZE)
    bar = (indent, height, min(5.0, page.width - indent - _RIGHT), 0.15)
    scale.draw_bar(page, bar, label="drop of test accuracy", values=flat)
    return page.figure


_Size = tuple[float, float]


def _shelve(sizes: Sequence[_Size]) -> list[list[_Size]]:
    """Put panels on shelves, in order, so that the page can be printed as large as possible."""
    totals = [0.0, *accumulate(width for width, _ in sizes)]
    widest = max(width for width, _ in sizes)
    limits = {b - a for i, a in enumerate(totals) for b in totals[i + 1 :] if b - a >= widest}
    ways = [_fill(sizes, limit + 1e-9) for limit in sorted(limits)]
    return max(ways, key=_print_scale)


def _fill(sizes: Sequence[_Size], limit: float) -> list[list[_Size]]:
    """Fill shelves of a width one after the other."""
    shelves: list[list[_Size]] = [[]]
    for size in sizes:
        if shelves[-1] and sum(width for width, _ in shelves[-1]) + size[0] > limit:
            shelves.append([])
        shelves[-1].append(size)
    return shelves


def _extent(shelves: Sequence[Sequence[_Size]]) -> _Size:
    """Return the width and height that shelves take."""
    width = max(sum(width for width, _ in shelf) for shelf in shelves)
    return width, sum(max(height for _, height in shelf) for shelf in shelves)


def _print_scale(shelves: Sequence[Sequence[_Size]]) -> float:
    return min(room / need for room, need in zip(_PRINTED, _extent(shelves), strict=True))


def _corners(shelves: Sequence[Sequence[_Size]]) -> list[_Size]:
    """Return the upper left corner of each panel."""
    corners, top = [], 0.0
    for shelf in shelves:
        left = 0.0
        for width, _ in shelf:
            corners.append((left, top))
            left += width
        top += max(height for _, height in shelf)
    return corners
