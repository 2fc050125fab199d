"""The nested block-diagonal matrix of an equivariant linear map: figure 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from primefourier.encoding import PrimeBasis
from primefourier.figures.grids import draw_bar, draw_cells, known_cells, write_cell
from primefourier.figures.style import (
    CELL_SIZE,
    DIVERGING,
    INK,
    LABEL_SIZE,
    PALE,
    SMALL_SIZE,
    new_page,
    read_table,
    write_short,
)

_SIDE = 6.3  # inches, about


def draw_block_matrix(
    matrix: ArrayLike, *, primes: Sequence[int], depth: int, title: str, caption: str = ""
) -> Figure:
    """Draw a linear map of codes as a matrix, with its blocks outlined: figure 3.

    A map that commutes with the group action has entries only in the 2 × 2 blocks of each (p, d)
    (Theorem 3.1). Entries outside the blocks are blank if they are exactly 0, and drawn otherwise.

    Args:
        matrix: A map from codes to codes, in the order of ``PrimeBasis.channels``.
        primes: The primes, ascending.
        depth: The number of depths of each prime.
        title: Text above.
        caption: Text below, wrapped.

    Shape:
        matrix: (2·P·D, 2·P·D).

    >>> figure = draw_block_matrix([[0, -1], [1, 0]], primes=[3], depth=1, title="A quarter turn")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['.00', '−1.00', '1.00', '.00']
    """
    basis = PrimeBasis(tuple(primes), depth)
    table = read_table(matrix, (basis.dim, basis.dim), "matrix")
    if np.isnan(table).any():
        raise ValueError("matrix must be finite, got NaN")
    most = float(np.abs(table).max()) or 1.0
    block = np.arange(basis.dim) // 2
    shown = np.where((table == 0) & (block[:, None] != block), np.nan, table)
    figure, body = new_page(_SIDE + 1.9, _SIDE + 0.7, title=title, caption=caption)
    axes = body.subplots()
    axes.set_aspect("equal")
    colors = draw_cells(
        axes, shown, (-most, most), DIVERGING, gaps=np.zeros_like(shown, bool), lw=0
    )
    texts = [(i, j, write_short(value), ink) for i, j, value, ink in known_cells(colors, shown)]
    size = min(
        LABEL_SIZE, _SIDE / basis.dim * 72 / (0.7 * max(len(text) for _, _, text, _ in texts))
    )
    if size >= CELL_SIZE:  # smaller text could not be read
        for i, j, text, ink in texts:
            write_cell(axes, i, j, text, size, ink)
    _outline_blocks(axes, basis)
    draw_bar(body, colors, table, "entry of the matrix", ax=axes, aspect=32, shrink=0.88)
    return figure


def _outline_blocks(axes: Axes, basis: PrimeBasis) -> None:
    """Outline the blocks of each prime and depth, and label them above and to the left."""
    axes.tick_params(which="both", length=0, top=True, labeltop=True, bottom=False,
                     labelbottom=False, labelcolor=INK)  # fmt: skip
    axes.spines[:].set_color(PALE)
    cell = _SIDE / basis.dim
    starts = 2 * basis.depth * np.arange(len(basis.primes))
    blocks: list[tuple[Any, int, list[str], bool]] = [
        (2 * np.arange(basis.dim // 2), 2, [f"d = {d}" for _, d in basis.channels], False),
        (starts, 2 * basis.depth, [f"p = {p}" for p in basis.primes], True),
    ]
    for corners, count, names, minor in blocks:
        for corner in corners:
            axes.add_patch(
                Rectangle((corner - 0.5, corner - 0.5), count, count, fill=False, edgecolor=INK,
                          lw=min(2, 20 * cell) if minor else min(0.8, 4 * cell), zorder=3,
                          clip_on=False)
            )  # fmt: skip
        size = LABEL_SIZE if minor else SMALL_SIZE
        write = _fitting(count * cell * 72 / size, max(map(len, names)))
        axes.set_xticks(corners + (count - 1) / 2, [write(name) for name in names], minor=minor)
        shown = names if count * cell * 72 > 1.3 * size else [""] * len(names)
        axes.set_yticks(corners + (count - 1) / 2, shown, minor=minor)
        which = "minor" if minor else "major"
        axes.tick_params(axis="x", which=which, labelsize=size, pad=18 if minor else 4)
        axes.tick_params(axis="y", which=which, labelsize=size, pad=38 if minor else 4)
    for axis in (axes.xaxis, axes.yaxis):
        axis.remove_overlapping_locs = False  # labels of primes may be at labels of depths


def _fitting(room: float, length: int) -> Callable[[str], str]:
    """Return how to shorten names for a room in text sizes: in full, the number alone, or empty."""
    if room > 0.62 * length:
        return str
    return (lambda name: name.split()[-1]) if room > 0.62 * (length - 4) + 0.2 else lambda _: ""
