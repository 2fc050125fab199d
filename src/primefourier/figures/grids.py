"""Grids of coloured cells: heatmaps, and matrices of drops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Patch, Rectangle
from numpy.typing import ArrayLike, NDArray

from primefourier.encoding import PrimeBasis
from primefourier.figures.style import (
    CELL_SIZE,
    EXCLUDED,
    GAP,
    INK,
    LABEL_SIZE,
    SEQUENTIAL,
    SMALL_SIZE,
    TICK_SIZE,
    contrasting,
    new_page,
    read_table,
    wrap,
    write_labels,
    write_number,
    write_short,
    write_title,
)

_NOT_MEASURED: tuple[Artist, str] = (Patch(**GAP), "not measured yet")

_MOST_TEXTS = 40
"""A matrix of drops with more rows has no numbers in its cells."""


def draw_heatmap(
    values: ArrayLike,
    *,
    rows: Sequence[object],
    columns: Sequence[object],
    title: str,
    caption: str = "",
    row_label: str,
    column_label: str,
    measure: str = "",
    limits: tuple[float, float] = (0, 1),
    format: str = ".2f",  # noqa: A002
    excluded: ArrayLike | None = None,
    marks: Sequence[Sequence[str]] | None = None,
) -> Figure:
    """Draw a table as coloured cells with their values: figures 4 to 11.

    A cell with NaN, which is not measured yet, is hatched. Cells left out on purpose are grey with
    a cross. A key explains both where they occur.

    Args:
        values: One value for each row and column.
        rows: The name of each row, from the top.
        columns: The name of each column.
        title: Text above.
        caption: Text below, wrapped.
        row_label: The label of the y axis.
        column_label: The label of the x axis.
        measure: The label of the colour bar (default: the title).
        limits: The values at the two ends of the colour bar.
        format: The format of values, as for Python's ``format``.
        excluded: True for the cells left out on purpose.
        marks: A small text below each value, such as "± 0.01".

    Shape:
        values, excluded and marks: (rows, columns).

    >>> figure = draw_heatmap(
    ...     [[0.9, float("nan")]], rows=[4], columns=[100, 500], title="Diagonal drop",
    ...     row_label="|P|", column_label="r",
    ... )
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.90']
    """
    shape = (len(rows), len(columns))
    if 0 in shape:
        raise ValueError(f"a heatmap needs rows and columns, got {shape[0]} and {shape[1]}")
    if not -math.inf < limits[0] < limits[1] < math.inf:
        raise ValueError(f"limits must be finite and ascend, got {limits[0]} and {limits[1]}")
    out = read_table(np.zeros(shape) if excluded is None else excluded, shape, "excluded") != 0
    table = np.where(out, np.nan, read_table(values, shape, "values"))
    notes = np.full(shape, "") if marks is None else np.array(marks, dtype=str)
    if notes.shape != shape:
        raise ValueError(f"marks must have shape {shape}, got {notes.shape}")
    gaps = np.isnan(table) & ~out
    key = [_NOT_MEASURED] if gaps.any() else []
    key += [(Patch(**EXCLUDED), "× left out on purpose")] if out.any() else []

    names = [str(column) for column in columns]
    texts = (write_number(float(value), format) for value in table[~np.isnan(table)])
    longest = max(map(len, [*names, *notes.flat, *texts]))
    width = max(2.8, shape[1] * max(0.85, 0.2 + 0.085 * longest))
    height = max(1.3, shape[0] * (0.42 if marks is None else 0.52))
    left = 0.3 + 0.09 * max(len(str(row)) for row in rows)
    figure, body = new_page(
        left + width + 1.15, height + 0.6, title=title, caption=caption, key=key
    )  # fmt: skip
    axes = body.subplots()
    colors = draw_cells(axes, table, limits, SEQUENTIAL, gaps=gaps)
    for i, j in np.argwhere(out):
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, **EXCLUDED))
        write_cell(axes, i, j, "×", 1.2 * LABEL_SIZE, INK)
    for i, j, value, ink in known_cells(colors, table):
        mark = notes[i, j]
        write_cell(axes, i - 0.14 * bool(mark), j, write_number(value, format), LABEL_SIZE, ink)
        if mark:
            write_cell(axes, i + 0.24, j, mark, SMALL_SIZE, ink)
    _name_cells(axes, [str(row) for row in rows], names, TICK_SIZE)
    write_labels(axes, across=column_label, up=row_label, inches=(width, height))
    draw_bar(body, colors, table, wrap(measure or title, height, LABEL_SIZE), ax=axes, aspect=25)
    return figure


@dataclass(frozen=True)
class DropMatrix:
    """The drops of the models of one set of primes.

    Attributes:
        name: Written above the panel.
        primes: The primes of the rows, which are also the task primes.
        drops: Entry (i, j) is the drop of test accuracy when row primes[j] is zeroed in the model
            trained modulo primes[i]; NaN means not measured yet.
        noise_floor: Numbers closer to 0 are not written.
        marked: Task primes whose names get a dagger.
    """

    name: str
    primes: Sequence[int]
    drops: ArrayLike
    noise_floor: float = 0.0
    marked: Sequence[int] = ()

    def __post_init__(self) -> None:
        count = len(PrimeBasis(tuple(self.primes), 1).primes)
        read_table(self.drops, (count, count), f"drops of {self.name}")


def draw_drop_matrices(panels: Sequence[DropMatrix], *, title: str, caption: str = "") -> Figure:
    """Draw one matrix of drops per set of primes, with one colour scale: figures 12 to 16.

    Drops that are not measured yet are hatched.

    Args:
        panels: One per set of primes, row by row.
        title: Text above.
        caption: Text below, wrapped.

    >>> panel = DropMatrix("|P| = 2", (3, 5), [[0.6, 0.0], [float("nan"), 0.8]])
    >>> figure = draw_drop_matrices([panel], title="Profiles at r = 100")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['.60', '.00', '.80']
    """
    if not panels:
        raise ValueError("panels must hold at least one DropMatrix, got none")
    tables = [np.asarray(panel.drops, float) for panel in panels]
    flat = np.concatenate([table.ravel() for table in tables])
    digits = max(len(str(max(panel.primes))) for panel in panels)
    longest = max(map(len, map(write_short, flat[~np.isnan(flat)].tolist())), default=0)
    cell = max(0.3, 0.1 + 0.075 * digits, 0.02 + 0.063 * longest)
    shelves = _shelves([len(panel.primes) for panel in panels])
    widths = [sum(cell * len(tables[k]) + 0.75 for k in shelf) for shelf in shelves]
    heights = [max(cell * len(tables[k]) for k in shelf) + 0.75 for shelf in shelves]
    width = max(3.6, *widths)
    key = [_NOT_MEASURED] if np.isnan(flat).any() else []
    figure, body = new_page(width, sum(heights) + 0.7, title=title, caption=caption, key=key)
    *rows, last = np.asarray(body.subfigures(len(shelves) + 1, 1, height_ratios=[*heights, 0.7]))
    for shelf, row in zip(shelves, rows, strict=True):
        sizes = [len(tables[k]) for k in shelf]
        places = row.subplots(1, len(shelf), width_ratios=sizes, squeeze=False)
        for k, axes in zip(shelf, places.flat, strict=True):
            axes.set_aspect("equal", anchor="NW")
            colors = draw_cells(axes, tables[k], (0, 1), SEQUENTIAL, gaps=np.isnan(tables[k]))
            if len(tables[k]) <= _MOST_TEXTS:  # more take minutes to draw, and colours remain
                for i, j, value, ink in known_cells(colors, tables[k]):
                    if abs(value) >= panels[k].noise_floor:
                        write_cell(axes, i, j, write_short(value), CELL_SIZE, ink)
            primes = [str(p) for p in panels[k].primes]
            tasks = [f"{p}†" if p in panels[k].marked else str(p) for p in panels[k].primes]
            _name_cells(axes, tasks, primes, SMALL_SIZE)
            write_title(axes, panels[k].name, cell * max(4, len(primes)))
            if len(primes) > 1:  # a single cell has no room for labels
                room = cell * len(primes)
                write_labels(axes, across="ablated row", up="task prime", inches=(room, room))
    bar, empty = last.subplots(1, 2)
    empty.remove()
    draw_bar(last, colors, flat, "drop of test accuracy", cax=bar, orientation="horizontal")
    return figure


def draw_cells(
    axes: Axes,
    table: NDArray[np.float64],
    limits: tuple[float, float],
    cmap: str,
    *,
    gaps: NDArray[np.bool_],
    lw: float = 1,
) -> QuadMesh:
    """Colour the cells of known values and hatch the gaps; their centres are whole numbers."""
    rows, columns = table.shape
    colors = axes.pcolormesh(
        np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, np.ma.masked_invalid(table),
        cmap=cmap, vmin=limits[0], vmax=limits[1], edgecolors="white", lw=lw, antialiased=lw > 0,
    )  # fmt: skip
    axes.set_ylim(rows - 0.5, -0.5)
    for i, j in np.argwhere(gaps):
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, clip_on=False, **GAP))
    return colors


def known_cells(
    colors: QuadMesh, table: NDArray[np.float64]
) -> Iterator[tuple[int, int, float, str]]:
    """Yield row, column and value of every known cell, and the colour of text on it."""
    shades = colors.to_rgba(table)
    for i, j in np.argwhere(~np.isnan(table)).tolist():
        yield i, j, float(table[i, j]), contrasting(tuple(shades[i, j]))


def write_cell(axes: Axes, row: float, column: float, text: str, size: float, color: str) -> None:
    """Write into a cell; the layout ignores the text."""
    axes.text(
        column, row, text, ha="center", va="center", size=size, color=color, parse_math=False
    ).set_in_layout(False)


def _name_cells(axes: Axes, rows: Sequence[str], columns: Sequence[str], size: float) -> None:
    """Write the names of rows and columns; hide frame and ticks."""
    for names, axis in ((rows, axes.yaxis), (columns, axes.xaxis)):
        for tick in axis.set_ticks(range(len(names)), names):
            tick.label1.set_parse_math(False)
    axes.tick_params(length=0, labelsize=size, colors=INK)
    axes.spines[:].set_visible(False)


def draw_bar(
    body: SubFigure, colors: QuadMesh, values: NDArray[np.float64], label: str, **place: Any
) -> None:
    """Draw a colour bar, with an arrow at an end that values exceed."""
    low, high = colors.get_clim()
    assert low is not None
    assert high is not None
    below, above = bool((values < low).any()), bool((values > high).any())
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}
    bar = body.colorbar(colors, extend=extend.get((below, above), "neither"), **place)
    bar.outline.set_visible(False)
    bar.set_label(label, size=LABEL_SIZE, color=INK, parse_math=False)
    bar.ax.tick_params(labelsize=TICK_SIZE, colors=INK, length=3)


def _shelves(sizes: Sequence[int]) -> list[list[int]]:
    """Arrange panels of some sizes in rows, in order, so that they fill an upright page."""

    def fill(limit: int) -> list[list[int]]:
        rows: list[list[int]] = [[]]
        for k, size in enumerate(sizes):
            if rows[-1] and sum(sizes[i] + 2 for i in rows[-1]) + size + 2 > limit:
                rows.append([])
            rows[-1].append(k)
        return rows

    def extent(rows: list[list[int]]) -> float:
        width = max(sum(sizes[k] + 2 for k in row) for row in rows)
        return max(width, 0.8 * sum(max(sizes[k] for k in row) + 3 for row in rows))

    return min((fill(limit) for limit in range(max(sizes), sum(sizes) * 3 + 1)), key=extent)
