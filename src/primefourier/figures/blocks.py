"""The nested block-diagonal matrix of an equivariant linear map: figure 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from primefourier.encoding import PrimeBasis
from primefourier.figures import style
from primefourier.figures.grids import draw_bar, draw_cells, known_cells, write_cell

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
    table = style.read_table(matrix, (basis.dim, basis.dim), "matrix")
    if np.isnan(table).any():
        raise ValueError("matrix must be finite, got NaN")
    most = float(np.abs(table).max()) or 1.0
    block = np.arange(basis.dim) // 2
    shown = np.where((table == 0) & (block[:, None] != block), np.nan, table)
    figure, body = style.new_page(_SIDE + 1.9, _SIDE + 0.7, title=title, caption=caption)
    axes = body.subplots()
    axes.set_aspect("equal")
    colors = draw_cells(axes, shown, (-most, most), style.DIVERGING, lw=0)
    fits = 0.8 * _SIDE / basis.dim / style.room([style.write_short(-most)], style.CELL_SIZE)
    size = min(style.LABEL_SIZE, fits * style.CELL_SIZE)
    for i, j, value, ink in known_cells(colors, shown) if fits >= 1 else ():
        write_cell(axes, i, j, style.write_short(value), size, ink)
    axes.tick_params(which="both", length=0, top=True, labeltop=True, bottom=False,
                     labelbottom=False, labelcolor=style.INK)  # fmt: skip
    axes.spines[:].set_color(style.PALE)
    _outline(axes, basis, [f"d = {d}" for _, d in basis.channels], minor=False)
    _outline(axes, basis, [f"p = {p}" for p in basis.primes], minor=True)
    draw_bar(body, colors, table, "entry of the matrix", ax=axes, aspect=32, shrink=0.88)
    return figure


def _outline(axes: Axes, basis: PrimeBasis, names: Sequence[str], *, minor: bool) -> None:
    """Outline the blocks of the primes or of the depths, and name those with room for a name."""
    count = basis.dim // len(names)
    inches = count * _SIDE / basis.dim
    for corner in np.arange(0, basis.dim, count) - 0.5:
        axes.add_patch(
            Rectangle((corner, corner), count, count, fill=False, edgecolor=style.INK, zorder=3,
                      lw=min(2 if minor else 0.8, 4 * inches), clip_on=False)
        )  # fmt: skip
    size = style.LABEL_SIZE if minor else style.SMALL_SIZE
    numbers = [name.split()[-1] for name in names]
    blank = [""] * len(names)
    across = next(
        (some for some in (names, numbers) if style.room(some, size) + 0.02 < inches), blank
    )
    up = names if 1.3 * size / 72 < inches else blank
    for axis, shown, pad in ((axes.xaxis, across, 18), (axes.yaxis, up, 38)):
        axis.set_ticks(np.arange(count / 2, basis.dim, count) - 0.5, shown, minor=minor)
        axis.set_tick_params("minor" if minor else "major", labelsize=size, pad=pad * minor or 4)
        axis.remove_overlapping_locs = False  # names of primes may be at names of depths
