"""Draw the nested block-diagonal matrix of an equivariant linear map: figure 3 of the paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from primefourier.encoding import PrimeBasis
from primefourier.figures.color_scale import ColorScale
from primefourier.figures.page import lay_out
from primefourier.figures.style import (
    DIVERGING,
    INK,
    LABEL_SIZE,
    PALE,
    SMALL_SIZE,
    contrasting,
)
from primefourier.figures.table import Table, read_table, write_short
from primefourier.figures.text import text_height, text_width

_MEASURE = "entry of the matrix"
_SIDE, _VALUE_SIZE = 5.4, 7.0
_LEFT, _ABOVE, _BELOW, _BAR_GAP, _BAR = 0.95, 0.45, 0.1, 0.25, 0.17
_DEPTH_AWAY, _PRIME_AWAY = (0.12, 0.25), (0.33, 0.68)
"""Inches from the matrix to the middle of a name, above and to the left."""


def draw_block_matrix(
    matrix: Table, *, primes: Sequence[int], depth: int, title: str, caption: str = ""
) -> Figure:
    """Draw a linear map of codes as a matrix, with its blocks outlined.

    A map that commutes with the group action has entries only in the 2 × 2 blocks of the single
    (p, d) (Theorem 3.1). Entries outside them are left blank where they are exactly 0; others are
    drawn as they are.

    Args:
        matrix: A map from codes to codes, in the order of ``PrimeBasis.channels``.
        primes: The primes, ascending.
        depth: The number of depths of each prime.
        title: Written above.
        caption: Written below, wrapped.

    Returns:
        A figure; save it with ``figure.savefig("blocks.svg")``.

    Shape:
        matrix: (2·P·D, 2·P·D).

    >>> figure = draw_block_matrix([[0, -1], [1, 0]], primes=[3], depth=1, title="A quarter turn")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['.00', '−1.0', '1.00', '.00', 'd = 0', 'd = 0', 'p = 3', 'p = 3']
    """
    basis = PrimeBasis(tuple(primes), depth)
    table = read_table(matrix, basis.dim, basis.dim, "matrix")
    flat = list(chain.from_iterable(table))
    if any(math.isnan(value) for value in flat):
        raise ValueError("matrix must be finite, got NaN")
    most = max(map(abs, flat)) or 1.0
    scale = ColorScale(-most, most, DIVERGING)
    bar = (_LEFT + _SIDE + _BAR_GAP, _ABOVE, _BAR, _SIDE)
    page = lay_out(
        bar[0] + _BAR + scale.bar_room(_MEASURE), _ABOVE + _SIDE + _BELOW, title=title,
        caption=caption,
    )  # fmt: skip
    axes = page.axes(_LEFT, _ABOVE, _SIDE, _SIDE)
    _draw_entries(axes, table, _SIDE / basis.dim, scale)
    _draw_blocks(axes, basis, _SIDE / basis.dim)
    scale.draw_bar(page, bar, label=_MEASURE, values=flat)
    return page.figure


def _draw_entries(axes: Axes, table: list[list[float]], cell: float, scale: ColorScale) -> None:
    """Colour the entries, except zeros outside the blocks, and write those that have room."""
    shown = [
        [value if value != 0 or i // 2 == j // 2 else math.nan for j, value in enumerate(row)]
        for i, row in enumerate(table)
    ]
    axes.imshow(
        shown, cmap=scale.name, vmin=scale.low, vmax=scale.high, interpolation="none", aspect="auto"
    )
    written = [
        (i, j, value, write_short(value))
        for i, row in enumerate(shown)
        for j, value in enumerate(row)
        if not math.isnan(value)
    ]
    if max(text_width(text, _VALUE_SIZE) for *_, text in written) < cell - 0.03:
        size = min(LABEL_SIZE, max(_VALUE_SIZE, 20 * cell))
        for i, j, value, text in written:
            ink = contrasting(scale.color(value))
            axes.text(j, i, text, ha="center", va="center", fontsize=size, color=ink)


def _draw_blocks(axes: Axes, basis: PrimeBasis, cell: float) -> None:
    """Outline the blocks of each prime and each depth, and name them above and to the left."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(PALE)
    for block, (p, d) in enumerate(basis.channels):
        _outline(axes, 2 * block, 2, lw=min(0.8, 4 * cell))
        _name(axes, 2 * block, 2, cell, f"d = {d}", _DEPTH_AWAY, SMALL_SIZE)
        if d == 0:
            _outline(axes, 2 * block, 2 * basis.depth, lw=min(2, 20 * cell))
            _name(axes, 2 * block, 2 * basis.depth, cell, f"p = {p}", _PRIME_AWAY, LABEL_SIZE)


def _outline(axes: Axes, start: int, count: int, lw: float) -> None:
    corner = (start - 0.5, start - 0.5)
    axes.add_patch(
        Rectangle(corner, count, count, fill=False, edgecolor=INK, lw=lw, zorder=3, clip_on=False)
    )


def _name(
    axes: Axes,
    start: int,
    count: int,
    cell: float,
    name: str,
    away: tuple[float, float],
    size: float,
) -> None:
    """Name a block where there is room: above in full or the number alone, to the left in full."""
    middle, room = start + (count - 1) / 2, count * cell
    for text in (name, name.split()[-1]):
        if text_width(text, size) < room - 0.05:
            axes.annotate(
                text, (middle, 1), (0, 72 * away[0]), xycoords=("data", "axes fraction"),
                textcoords="offset points", ha="center", va="center", fontsize=size, color=INK,
            )  # fmt: skip
            break
    if text_height(name, size) < room:
        axes.annotate(
            name, (0, middle), (-72 * away[1], 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="center", va="center", fontsize=size, color=INK,
        )  # fmt: skip
