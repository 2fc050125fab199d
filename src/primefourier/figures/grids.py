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
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from numpy.typing import ArrayLike, NDArray

from primefourier.encoding import PrimeBasis
from primefourier.figures import style

_NOT_MEASURED: tuple[Artist, str] = (Patch(**style.GAP), "not measured yet")
_BELOW_NOISE: tuple[Artist, str] = (Patch(color=style.NOISE), "below the noise floor")
_LEFT_OUT: tuple[Artist, str] = (Patch(**style.EXCLUDED), "× left out on purpose")

_MOST_TEXTS = 40
"""A matrix of drops with more rows has no numbers in its cells."""
_MOST_COLUMNS = 4


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
    cmap: str = style.SEQUENTIAL,
    excluded: ArrayLike | None = None,
    noise: ArrayLike | None = None,
    texts: Sequence[Sequence[str]] | None = None,
    points: Sequence[Sequence[Sequence[float]]] | None = None,
) -> Figure:
    """Draw a table as coloured cells with their values: figures 4 to 11.

    A cell with NaN, which is not measured yet, is hatched. Cells left out on purpose are white with
    a cross, cells below the noise floor grey. A key explains them where they occur.

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
        cmap: The colour map.
        excluded: True for the cells left out on purpose.
        noise: True for the cells whose value cannot be distinguished from 0.
        texts: What is written instead of each value with two decimals; a second line is small.
        points: The values behind each value, one per seed; dots on a scale below it.

    Shape:
        values, excluded, noise, texts and points: (rows, columns).

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
    out = _read_mask(excluded, shape, "excluded")  # what is left out has no value, even if given
    table = np.where(out, np.nan, style.read_table(values, shape, "values"))
    faint = _read_mask(noise, shape, "noise") & ~np.isnan(table)
    words = np.array([[style.write_signed(x, ".2f") for x in row] for row in table] if texts is None
                     else texts, object)  # fmt: skip
    if words.shape != shape:
        raise ValueError(f"texts must have shape {shape}, got {words.shape}")
    gaps = np.isnan(table) & ~out
    dot = Line2D([], [], marker="o", ms=3.4, lw=0.5, color=style.INK)
    key: list[tuple[Artist, str]] = [_BELOW_NOISE] * bool(faint.any())
    if points is not None:
        key.append((dot, f"one seed, from {limits[0]:g} to {limits[1]:g} across the cell"))
    key += [_NOT_MEASURED] * bool(gaps.any()) + [_LEFT_OUT] * bool(out.any())
    names = [[str(name) for name in some] for some in (rows, columns)]
    written = [line for text in words[~np.isnan(table)] for line in text.split("\n")]
    two_lines = points is not None or any("\n" in text for text in words.flat)
    cell = max(0.85, 0.2 + style.room([*names[1], *written], style.LABEL_SIZE))
    left = style.room(names[0], style.TICK_SIZE)
    height = max(1.3, shape[0] * (0.52 if two_lines else 0.42))
    figure, body = style.new_page(max(2.8, shape[1] * cell) + left + 1.45, height + 0.6,
                                  title=title, caption=caption, key=key)  # fmt: skip
    axes = body.subplots()
    colors = draw_cells(axes, table, limits, cmap, gaps=gaps, noise=faint)
    _cover(axes, out, **style.EXCLUDED)
    for i, j in np.argwhere(out):
        write_cell(axes, i, j, "×", 1.2 * style.LABEL_SIZE, style.INK)
    for i, j, _, ink in known_cells(colors, table, faint):
        dots = np.array([] if points is None else points[i][j])
        text, _, small = words[i, j].partition("\n")
        write_cell(axes, i - 0.14 * bool(small or dots.size), j, text, style.LABEL_SIZE, ink)
        if small:
            write_cell(axes, i + 0.24, j, small, style.SMALL_SIZE, ink)
        if dots.size:
            across = j - 0.4 + 0.8 * (dots.clip(*limits) - limits[0]) / (limits[1] - limits[0])
            axes.plot([j - 0.4, j + 0.4], [i + 0.26] * 2, color=ink, lw=0.5)
            axes.plot(across, np.full(dots.size, i + 0.26), "o", color=ink, ms=3.4, mec="none")
    _name_cells(axes, names[0], names[1], style.TICK_SIZE)
    style.write_labels(axes, column_label, row_label)
    label = style.wrap(measure or title, height, style.LABEL_SIZE)
    draw_bar(body, colors, table, label, ax=axes, aspect=25, format="{x:g}")
    return figure


def _read_mask(mask: ArrayLike | None, shape: tuple[int, int], name: str) -> NDArray[np.bool_]:
    return np.asarray(style.read_table(np.zeros(shape) if mask is None else mask, shape, name) != 0)


@dataclass(frozen=True)
class DropMatrix:
    """The drops of the models of one set of primes.

    Attributes:
        name: Written above the panel.
        primes: The primes of the rows, which are also the task primes.
        drops: Entry (i, j) is the drop of test accuracy when row primes[j] is zeroed in the model
            trained modulo primes[i]; NaN means not measured yet.
        noise_floor: Cells closer to 0 are grey, without a number.
        marked: Task primes whose names get a dagger.
    """

    name: str
    primes: Sequence[int]
    drops: ArrayLike
    noise_floor: float = 0.0
    marked: Sequence[int] = ()

    def __post_init__(self) -> None:
        count = len(PrimeBasis(tuple(self.primes), 1).primes)
        style.read_table(self.drops, (count, count), f"drops of {self.name}")


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
    faint = [abs(x) < panel.noise_floor for x, panel in zip(tables, panels, strict=True)]
    shown = np.concatenate([x[~low] for x, low in zip(tables, faint, strict=True)])
    written = [style.write_short(x) for x in shown[~np.isnan(shown)].tolist()]
    primes = [str(p) for panel in panels for p in panel.primes]
    cell = max(
        0.26,
        0.05 + style.room(written, style.CELL_SIZE),
        0.05 + style.room(primes, style.SMALL_SIZE),
    )
    side = max(2.0, cell * max(map(len, tables)))
    key = [_BELOW_NOISE] * any(low.any() for low in faint)
    key += [_NOT_MEASURED] * bool(np.isnan(shown).any())
    rows = -(-len(panels) // _MOST_COLUMNS)
    columns = -(-len(panels) // rows)
    figure, body = style.new_page(columns * (side + 0.5) + 1.1, rows * (side + 0.55) + 0.3,
                                  title=title, caption=caption, key=key)  # fmt: skip
    every = list(body.subplots(rows, columns, squeeze=False).flat)
    # the grid may have more axes than there are panels
    for k, (axes, panel, table) in enumerate(zip(every, panels, tables, strict=False)):
        axes.set_aspect("equal")
        gaps = np.isnan(table)
        colors = draw_cells(axes, table, (0, 1), style.SEQUENTIAL, gaps=gaps, noise=faint[k])
        fits = side / len(table) / (0.05 + style.room(written, style.CELL_SIZE))
        size = min(style.LABEL_SIZE, style.CELL_SIZE * max(1.0, fits))
        if len(table) <= _MOST_TEXTS:  # more take minutes to draw, and colours remain
            for i, j, value, ink in known_cells(colors, table):
                if not faint[k][i, j]:
                    write_cell(axes, i, j, style.write_short(value), size, ink)
        tasks = [f"{p}{'†' * (p in panel.marked)}" for p in panel.primes]
        _name_cells(axes, tasks, [str(p) for p in panel.primes], style.SMALL_SIZE)
        style.write_title(axes, panel.name)
        lowest, first = k + columns >= len(panels), k % columns == 0
        style.write_labels(axes, "ablated row" * lowest, "task prime" * first)
    place: dict[str, Any] = {"ax": every, "aspect": 30 * rows}
    if spare := every[len(panels) :]:  # the colour bar lies in the place of a missing panel
        spare[0].set_box_aspect(0.06)
        place = {"cax": spare[0], "orientation": "horizontal"}
    for axes in spare[1:]:
        axes.remove()
    draw_bar(body, colors, shown, "drop of test accuracy", **place)
    return figure


def draw_cells(
    axes: Axes,
    table: NDArray[np.float64],
    limits: tuple[float, float],
    cmap: str,
    *,
    gaps: NDArray[np.bool_] | None = None,
    noise: NDArray[np.bool_] | None = None,
    lw: float = 1,
) -> QuadMesh:
    """Colour the cells of known values, hatch gaps, grey noise; their centres are whole numbers."""
    rows, columns = table.shape
    colors = axes.pcolormesh(
        np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, np.ma.masked_invalid(table),
        cmap=cmap, vmin=limits[0], vmax=limits[1], edgecolors="white", lw=lw, antialiased=lw > 0,
    )  # fmt: skip
    axes.set_ylim(rows - 0.5, -0.5)
    _cover(axes, gaps, **style.GAP)
    _cover(axes, noise, facecolor=style.NOISE, edgecolor="white", linewidth=lw)
    return colors


def _cover(axes: Axes, cells: NDArray[np.bool_] | None, **look: Any) -> None:
    """Draw over the cells that are True."""
    for i, j in () if cells is None else np.argwhere(cells):
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, clip_on=False, **look))


def known_cells(
    colors: QuadMesh, table: NDArray[np.float64], noise: NDArray[np.bool_] | None = None
) -> Iterator[tuple[int, int, float, str]]:
    """Yield row, column and value of every known cell, and the colour of text on it."""
    shades = colors.to_rgba(table)
    if noise is not None:
        shades[noise] = to_rgba(style.NOISE)
    for i, j in np.argwhere(~np.isnan(table)).tolist():
        yield i, j, float(table[i, j]), style.contrasting(tuple(shades[i, j]))


def write_cell(axes: Axes, row: float, column: float, text: str, size: float, color: str) -> None:
    """Write into a cell; the layout ignores the text."""
    axes.text(
        column, row, text, ha="center", va="center", size=size, color=color, parse_math=False
    ).set_in_layout(False)


def _name_cells(axes: Axes, rows: Sequence[str], columns: Sequence[str], size: float) -> None:
    """Write the names of rows and columns; hide frame and ticks."""
    axes.set_yticks(range(len(rows)), rows, parse_math=False)
    axes.set_xticks(range(len(columns)), columns, parse_math=False)
    axes.tick_params(length=0, labelsize=size, colors=style.INK)
    axes.spines[:].set_visible(False)


def draw_bar(
    body: SubFigure, colors: QuadMesh, values: NDArray[np.float64], label: str, **place: Any
) -> None:
    """Draw a colour bar, with an arrow at an end that values exceed."""
    low, high = (float(end) for end in colors.get_clim() if end is not None)
    beyond = bool((values < low).any()) + 2 * bool((values > high).any())
    extend = ("neither", "min", "max", "both")[beyond]
    bar = body.colorbar(colors, extend=extend, **place)
    bar.outline.set_visible(False)
    bar.set_label(label, size=style.LABEL_SIZE, color=style.INK, parse_math=False)
    bar.ax.tick_params(labelsize=style.TICK_SIZE, colors=style.INK, length=3)
