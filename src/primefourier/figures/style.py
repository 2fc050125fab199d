"""The look of all figures: colours, text sizes, numbers, and a page with title, key and caption."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.typing import ColorType
from numpy.typing import ArrayLike, NDArray

# Okabe and Ito's palette, whose colours colour-blind readers can distinguish.
VERMILLION, BLUE, PURPLE, GREEN = "#D55E00", "#0072B2", "#CC79A7", "#009E73"
INK, PALE = "#333333", "#BBBBBB"

RELEVANT: dict[str, Any] = {"facecolor": BLUE, "edgecolor": BLUE}
"""The look of relevant rows: filled, as on the report page."""

OTHER: dict[str, Any] = {"facecolor": "white", "edgecolor": "#777777"}
"""The look of other rows: an outline."""

NOISE = "#D0D0D0"
"""Drops that cannot be distinguished from zero: the colour of bands and of cells."""

SEQUENTIAL, DIVERGING, ERRORS = "viridis", "coolwarm", "Oranges"
"""Colour maps of drops, of entries with a sign, and of errors; only the last begins near white."""

TITLE_SIZE, LABEL_SIZE, TICK_SIZE, SMALL_SIZE, CELL_SIZE = 12.0, 10.0, 9.0, 8.0, 7.0
"""Sizes of text in points."""

GAP: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE, "hatch": "////", "linewidth": 0.6}
"""The look of values that are not measured yet."""

EXCLUDED: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE, "linewidth": 0.6}
"""The look of cells left out on purpose, which also have a cross."""


def luminance(color: ColorType) -> float:
    """Return the relative luminance of a colour, from 0 for black to 1 for white (WCAG 2).

    >>> luminance("white"), luminance("black")
    (1.0, 0.0)
    """
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrasting(color: ColorType) -> str:
    """Return black or white, whichever is easier to read on a colour: always at least 4.5 to 1.

    >>> contrasting("yellow"), contrasting("navy")
    ('black', 'white')
    """
    brightness = luminance(color) + 0.05
    return "black" if brightness / 0.05 > 1.05 / brightness else "white"


def read_table(values: ArrayLike, shape: tuple[int, ...], name: str) -> NDArray[np.float64]:
    """Return numbers as an array of the required shape; NaN means not measured yet.

    >>> read_table([[0.5, float("nan")]], (1, 2), "values")
    array([[0.5, nan]])
    """
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers of shape {shape}: {error}") from None
    if table.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {table.shape}")
    if np.isinf(table).any():
        raise ValueError(f"{name} must be finite, or NaN where nothing is measured; got infinity")
    return table


def write_number(value: float, spec: str) -> str:
    """Format a number with a real minus sign, and no sign where it rounds to zero.

    >>> write_number(-0.25, ".2f"), write_number(-0.001, ".2f")
    ('−0.25', '0.00')
    """
    text = format(value, spec)
    if not any(digit in text for digit in "123456789"):
        text = text.replace("-", "")
    return text.replace("-", "−")


def write_short(value: float) -> str:
    """Format a number in little room: hundredths, without the zero before the point.

    >>> write_short(0.894), write_short(-0.03), write_short(1), write_short(-1.11)
    ('.89', '−.03', '1.00', '−1.11')
    """
    text = write_number(value, ".2f")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "−0.")) else text


def wrap(text: str, inches: float, size: float) -> str:
    """Break a text into lines of a width, estimated from the mean width of a character.

    An equation such as r = 1000 is not broken.

    >>> print(wrap("one row for each prime, r = 1000", 1.3, 10))
    one row for each
    prime, r = 1000
    """
    count = max(4, int(inches * 72 / (0.55 * size)))
    bound = text.replace(" = ", "\u00a0=\u00a0")  # textwrap does not break at these spaces
    lines = "\n".join("\n".join(textwrap.wrap(line, count)) for line in bound.split("\n"))
    return lines.replace("\u00a0", " ")


def new_page(
    width: float,
    height: float,
    *,
    title: str,
    caption: str,
    key: Sequence[tuple[Artist, str]] = (),
) -> tuple[Figure, SubFigure]:
    """Make a figure with a title above, a caption below, and a body for axes between them.

    Args:
        width: The width of the figure in inches; title and caption are wrapped to it.
        height: The height of the body in inches, to which the texts are added.
        title: Bold text above.
        caption: Small text below; line breaks are kept.
        key: Samples and their meanings, at the bottom of the body.

    Returns:
        The figure and its body. Constrained layout places the axes.
    """
    title = wrap(title, width / 1.1, TITLE_SIZE)
    caption = wrap(caption, width, SMALL_SIZE)
    labels = [wrap(label, width - 0.8, TICK_SIZE) for _, label in key]
    rooms = [0.65 + 0.08 * max(map(len, label.split("\n"))) for label in labels]
    columns = max(1, len(key) if sum(rooms) <= width else int(width / max(rooms)))
    for text, size in ((title, TITLE_SIZE), (caption, SMALL_SIZE)):
        height += (1.3 * size / 72 * (text.count("\n") + 1) + 0.1) if text else 0.0
    height += 1.7 * TICK_SIZE / 72 * sum(label.count("\n") + 1 for label in labels) / columns
    figure = Figure(
        figsize=(width, height), dpi=150, layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06)
    )
    left = 0.1 / width
    figure.suptitle(
        title, x=left, ha="left", size=TITLE_SIZE, weight="bold", color=INK, parse_math=False
    )
    figure.supxlabel(caption, x=left, ha="left", size=SMALL_SIZE, color=INK, parse_math=False)
    body = figure.add_subfigure(figure.add_gridspec(1, 1)[0])
    if key:
        legend = body.legend(
            [sample for sample, _ in key],
            labels,
            loc="outside lower left",
            ncols=columns,
            fontsize=TICK_SIZE,
            labelcolor=INK,
            frameon=False,
            borderpad=0,
        )
        for entry in legend.get_texts():
            entry.set_parse_math(False)
    return figure, body


def panel_axes(body: SubFigure, count: int, columns: int, *, share_y: bool) -> list[Axes]:
    """Make axes for panels, row by row."""
    rows = -(-count // columns)
    every = list(body.subplots(rows, columns, squeeze=False, sharey=share_y).flat)
    for axes in every[count:]:
        axes.remove()
    return every[:count]


def style_axes(axes: Axes, *, grid: Literal["both", "y"]) -> None:
    """Give axes with a scale their grid, ticks and frame."""
    axes.tick_params(labelsize=TICK_SIZE, colors=INK, length=3)
    axes.grid(axis=grid, color=PALE, lw=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)


def spaced_labels(places: NDArray[np.float64], values: Sequence[float]) -> list[str]:
    """Return tick labels, empty where the label before is too near; places are from 0 to 1."""
    labels, free = [], -np.inf
    for place, value in zip(places, values, strict=True):
        text = write_number(value, ".12g")
        half = 0.014 * len(text) + 0.01
        labels.append(text if place - half >= free else "")
        free = place + half if labels[-1] else free
    return labels


def write_title(axes: Axes, text: str, inches: float) -> None:
    """Write the title of axes, wrapped to a width."""
    axes.set_title(
        wrap(text, inches / 1.1, LABEL_SIZE), loc="left", size=LABEL_SIZE, weight="bold",
        color=INK, parse_math=False,
    )  # fmt: skip


def write_labels(
    axes: Axes, *, across: str = "", up: str = "", inches: tuple[float, float]
) -> None:
    """Label the axes, wrapped to their width and height."""
    for text, room, put in ((across, inches[0], axes.set_xlabel), (up, inches[1], axes.set_ylabel)):
        put(wrap(text, room, LABEL_SIZE), size=LABEL_SIZE, color=INK, parse_math=False)


def write_note(axes: Axes, text: str) -> None:
    """Write into empty axes why they are empty."""
    axes.text(
        0.5, 0.55, text, transform=axes.transAxes, ha="center", va="center", size=LABEL_SIZE,
        style="italic", color=INK, parse_math=False,
        bbox={"facecolor": "white", "edgecolor": PALE, "linewidth": 0.6, "pad": 4},
    )  # fmt: skip
