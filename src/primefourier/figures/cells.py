"""A grid of coloured cells with their values written in them, and a plain look for the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.ticker import NullLocator

from primefourier.figures.color_scale import ColorScale
from primefourier.figures.style import (
    EXCLUDED,
    GAP,
    INK,
    SMALL_SIZE,
    TICK_SIZE,
    contrasting,
)


def draw_cells(
    axes: Axes,
    table: Sequence[Sequence[float]],
    *,
    scale: ColorScale,
    write: Callable[[float], str],
    size: float,
    excluded: Sequence[Sequence[bool]] | None = None,
    marks: Sequence[Sequence[str]] | None = None,
) -> None:
    """Fill axes with one cell for each value, the first row at the top; centres are whole numbers.

    Args:
        axes: Where to draw.
        table: The values; NaN gives a hatched cell.
        scale: Which colour a value has.
        write: Turns a value into the text of its cell.
        size: The size of that text in points.
        excluded: Which cells to grey out and cross instead.
        marks: A small second line for cells that have a value.
    """
    axes.set_xlim(-0.5, len(table[0]) - 0.5)
    axes.set_ylim(len(table) - 0.5, -0.5)
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            corner = (j - 0.5, i - 0.5)
            if excluded is not None and excluded[i][j]:
                axes.add_patch(Rectangle(corner, 1, 1, **EXCLUDED))
                _write(axes, i, j, "×", 1.2 * size, INK)
                continue
            if math.isnan(value):
                axes.add_patch(Rectangle(corner, 1, 1, clip_on=False, **GAP))
                continue
            color = scale.color(value)
            axes.add_patch(Rectangle(corner, 1, 1, facecolor=color, edgecolor="white", lw=1))
            mark = marks[i][j] if marks is not None else ""
            ink = contrasting(color)
            _write(axes, i - 0.14 * bool(mark), j, write(value), size, ink)
            if mark:
                _write(axes, i + 0.24, j, mark, SMALL_SIZE, ink)


def _write(axes: Axes, row: float, column: int, text: str, size: float, color: str) -> Text:
    return axes.text(
        column, row, text, ha="center", va="center", fontsize=size, color=color, parse_math=False
    )


def name_cells(
    axes: Axes, rows: Sequence[str], columns: Sequence[str], size: float = TICK_SIZE
) -> None:
    """Write beside the axes what each row and column of cells stands for; hide frame and ticks."""
    for names, axis in ((rows, axes.yaxis), (columns, axes.xaxis)):
        labels = axis.set_ticks(range(len(names)), names)
        for tick in labels:
            tick.label1.set_parse_math(False)
        axis.set_minor_locator(NullLocator())
    axes.tick_params(length=0, labelsize=size)
    for spine in axes.spines.values():
        spine.set_visible(False)
