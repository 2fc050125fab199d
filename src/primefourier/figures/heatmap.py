"""Draw one measure as a heatmap, such as |P| × r: figures 4 to 11 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from primefourier.figures.cells import draw_cells, name_cells
from primefourier.figures.color_scale import ColorScale
from primefourier.figures.page import lay_out
from primefourier.figures.style import (
    EXCLUDED,
    GAP,
    LABEL_SIZE,
    SEQUENTIAL,
    SMALL_SIZE,
    TICK_SIZE,
)
from primefourier.figures.table import Table, read_table, require_shape, write_number
from primefourier.figures.text import text_height, text_width, wrap

_CELL_WIDTH, _CELL_HEIGHT, _MARKED_HEIGHT, _PADDING = 0.85, 0.42, 0.52, 0.2
_LEAST_WIDTH, _LEAST_HEIGHT = 2.8, 1.3  # room for the labels, however few the cells
_BAR, _BAR_GAP = 0.17, 0.2


def draw_heatmap(
    values: Table,
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
    excluded: Iterable[Iterable[bool]] | None = None,
    marks: Iterable[Iterable[str]] | None = None,
) -> Figure:
    """Draw a table of values as coloured cells with the values in them.

    A value that is NaN is not measured yet: its cell is hatched and has no colour. Cells left out
    on purpose are grey with a cross. A key says so where either occurs.

    Args:
        values: One value for each row and column.
        rows: What each row stands for, from the top.
        columns: What each column stands for.
        title: Written above.
        caption: Written below, wrapped.
        row_label: What the rows are.
        column_label: What the columns are.
        measure: What the values are, written along the colour bar; by default the title.
        limits: The values at the two ends of the colour bar.
        format: How values are written, as for Python's ``format``.
        excluded: True for the cells left out on purpose.
        marks: A small text below each value, such as "± 0.01".

    Returns:
        A figure; save it with ``figure.savefig("heatmap.svg")``.

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
    scale = ColorScale(*limits, SEQUENTIAL)
    table = read_table(values, *shape, "values")
    out = [[bool(x) for x in row] for row in excluded] if excluded is not None else None
    notes = [list(row) for row in marks] if marks is not None else None
    for name, given in (("excluded", out), ("marks", notes)):
        if given is not None:
            require_shape(given, *shape, name)
    row_names, column_names = [str(r) for r in rows], [str(c) for c in columns]

    def write(value: float) -> str:
        return write_number(value, format)

    flat = list(chain.from_iterable(table))
    widest = max(
        *(text_width(name, TICK_SIZE) for name in column_names),
        *(text_width(write(value), LABEL_SIZE) for value in flat),
        *(text_width(note, SMALL_SIZE) for note in chain.from_iterable(notes or [])),
        0,
    )
    width = max(_LEAST_WIDTH, shape[1] * max(_CELL_WIDTH, widest + _PADDING))
    height = max(_LEAST_HEIGHT, shape[0] * (_MARKED_HEIGHT if notes else _CELL_HEIGHT))
    row_label, measure = (wrap(s, LABEL_SIZE, height) for s in (row_label, measure or title))
    column_label = wrap(column_label, LABEL_SIZE, width)
    left = text_height(row_label, LABEL_SIZE) + 0.15
    left += max(text_width(name, TICK_SIZE) for name in row_names)
    below = text_height(column_label, LABEL_SIZE) + text_height("r", TICK_SIZE) + 0.15
    bar = left + width + _BAR_GAP
    total = bar + _BAR + scale.bar_room(measure)

    page = lay_out(total, height + below, title=title, caption=caption, key=_key(table, out))
    axes = page.axes(left, 0, width, height)
    draw_cells(axes, table, scale=scale, write=write, size=LABEL_SIZE, excluded=out, marks=notes)
    name_cells(axes, row_names, column_names)
    page.label(axes, across=column_label, up=row_label)
    scale.draw_bar(page, (bar, 0, _BAR, height), label=measure, values=flat)
    return page.figure


def _key(table: list[list[float]], out: list[list[bool]] | None) -> list[tuple[Patch, str]]:
    """Explain the cells without a value, those that occur."""
    cells = [
        (value, out is not None and out[i][j])
        for i, row in enumerate(table)
        for j, value in enumerate(row)
    ]
    key = []
    if any(value != value and not left_out for value, left_out in cells):
        key.append((Patch(**GAP), "not measured yet"))
    if any(left_out for _, left_out in cells):
        key.append((Patch(**EXCLUDED), "× left out on purpose"))
    return key
