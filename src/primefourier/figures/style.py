"""The look of all figures: colours, text sizes, numbers, and a page with title, key and caption."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.transforms import BboxBase
from matplotlib.typing import ColorType
from numpy.typing import ArrayLike, NDArray

# Okabe and Ito's palette, whose colours colour-blind readers can distinguish.
VERMILLION, BLUE, PURPLE, GREEN = "#D55E00", "#0072B2", "#CC79A7", "#009E73"
INK, PALE = "#333333", "#BBBBBB"
SEQUENTIAL, DIVERGING, ERRORS = "viridis", "coolwarm", "Oranges"
"""Colour maps of drops, of entries with a sign, and of errors; only the last begins near white."""

# One meaning has one look: relevant rows are filled, as on the report page, and others outlines;
# drops that cannot be distinguished from zero, not measured values, and cells left out on purpose.
RELEVANT: dict[str, Any] = {"facecolor": BLUE, "edgecolor": BLUE}
OTHER: dict[str, Any] = {"facecolor": "white", "edgecolor": "#777777"}
NOISE = "#D0D0D0"
GAP: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE, "hatch": "////", "linewidth": 0.6}
EXCLUDED: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE, "linewidth": 0.6}

TITLE_SIZE, LABEL_SIZE, TICK_SIZE, SMALL_SIZE, CELL_SIZE = 12.0, 10.0, 9.0, 8.0, 7.0
"""Sizes of text in points."""
_CHARACTER = 0.57  # the width of a character, on average, in sizes of its font
_TEXT: dict[str, Any] = {"color": INK, "parse_math": False}


def contrasting(color: ColorType) -> str:
    """Return black or white, whichever is easier to read on a colour: always at least 4.5 to 1.

    >>> contrasting("yellow"), contrasting("navy")
    ('black', 'white')
    """
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue  # as WCAG 2 defines it
    return "black" if luminance > 0.179 else "white"


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


def write_signed(value: float, spec: str) -> str:
    """Format a number with a real minus sign, and no sign where it rounds to zero.

    >>> write_signed(-0.25, ".2f"), write_signed(-0.001, ".2f")
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
    text = write_signed(value, ".2f")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "−0.")) else text


def room(texts: Iterable[str], size: float) -> float:
    """Estimate how many inches the longest of some lines of text needs."""
    return max(map(len, texts), default=0) * _CHARACTER * size / 72


def wrap(text: str, inches: float, size: float) -> str:
    """Break a text into lines of about a width.

    An equation such as r = 1000 is not broken.

    >>> print(wrap("one row for each prime, r = 1000", 1.3, 10))
    one row for each
    prime, r = 1000
    """
    count = max(4, int(inches * 72 / (_CHARACTER * size)))
    bound = text.replace(" = ", "\u00a0=\u00a0")  # textwrap does not break at these spaces
    lines = (textwrap.wrap(x, count, break_on_hyphens=False) for x in bound.split("\n"))
    return "\n".join(map("\n".join, lines)).replace("\u00a0", " ")


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
        height: The height of the body in inches, to which that of texts and key is added.
        title: Bold text above.
        caption: Small text below; line breaks are kept.
        key: Samples and their meanings, at the bottom of the body.

    Returns:
        The figure and its body. Constrained layout places the axes.
    """
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06)
    figure = Figure((width, height), 150, layout=layout)
    figure.subplotpars.update(left=0.12, right=0.94, wspace=0.05)  # until it is laid out
    look: dict[str, Any] = {"x": 0.1 / width, "ha": "left", **_TEXT}
    bold = wrap(title, width / 1.1, TITLE_SIZE)
    above = figure.suptitle(bold, size=TITLE_SIZE, weight="bold", **look)
    below = figure.supxlabel(wrap(caption, width, SMALL_SIZE), size=SMALL_SIZE, **look)
    added = [text.get_window_extent().height for text in (above, below) if text.get_text()]
    body = figure.add_subfigure(figure.add_gridspec(1, 1)[0])
    samples = [sample for sample, _ in key]
    labels = [wrap(label, width - 0.8, TICK_SIZE) for _, label in key]
    # as many as there is room for; only a legend that is made has a width
    for columns in range(len(key), 0, -1):
        legend = body.legend(
            samples, labels, loc="outside lower left", ncols=columns, fontsize=TICK_SIZE,
            labelcolor=INK, frameon=False, borderpad=0,
        )  # fmt: skip
        extent = legend.get_window_extent()
        if columns == 1 or extent.width < figure.bbox.width:
            break
        legend.remove()
    if key:
        added.append(extent.height)
        for entry in legend.get_texts():
            entry.set_parse_math(False)
    figure.set_figheight(height + sum(added) / figure.dpi + 0.1 * len(added))
    return figure, body


def new_panels(
    count: int, columns: int, width: float, height: float, *, share_y: bool, **texts: Any
) -> tuple[Figure, list[Axes]]:
    """Make a page of panels, row by row; width and height are those of one with its labels."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, body = new_page(columns * width + 0.3, rows * height + 0.3, **texts)
    every = list(body.subplots(rows, columns, squeeze=False, sharey=share_y).flat)
    for axes in every[count:]:
        axes.remove()
    return figure, every[:count]


def style_axes(axes: Axes, *, grid: Literal["both", "y"]) -> None:
    """Give axes with a scale their grid, ticks and frame."""
    axes.tick_params(labelsize=TICK_SIZE, colors=INK, length=3)
    axes.grid(axis=grid, color=PALE, lw=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)


def write_title(axes: Axes, text: str) -> None:
    """Write the title of axes, wrapped to their width."""
    words = wrap(text, _inches(axes).width, 1.1 * LABEL_SIZE)  # bold letters are wider
    axes.set_title(words, loc="left", size=LABEL_SIZE, weight="bold", **_TEXT)


def write_labels(axes: Axes, across: str, up: str) -> None:
    """Label the axes, wrapped to their width and height."""
    place = _inches(axes)
    axes.set_xlabel(wrap(across, place.width, LABEL_SIZE), size=LABEL_SIZE, **_TEXT)
    side = min(place.width, place.height)  # a figure with a long key is higher than its axes
    axes.set_ylabel(wrap(up, side, LABEL_SIZE), size=LABEL_SIZE, **_TEXT)


def _inches(axes: Axes) -> BboxBase:
    """Return the place of axes in inches, about; they are laid out when the figure is saved."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())


def write_note(axes: Axes, text: str) -> None:
    """Write into empty axes why they are empty."""
    axes.text(
        0.5, 0.55, wrap(text, _inches(axes).width, LABEL_SIZE), transform=axes.transAxes,
        ha="center", va="center", size=LABEL_SIZE, style="italic",
        bbox={"facecolor": "white", "edgecolor": PALE, "linewidth": 0.6, "pad": 4}, **_TEXT,
    )  # fmt: skip
