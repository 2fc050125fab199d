"""A page: a title above, room for axes in the middle, a key and a caption below, nothing cut.

Everything is placed in inches and the text is measured first, so the page grows with its text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from primefourier.figures.style import INK, LABEL_SIZE, PALE, SMALL_SIZE, TICK_SIZE, TITLE_SIZE
from primefourier.figures.text import text_height, text_width, wrap

MARGIN = 0.2
_SPACE = 0.12  # between title, body, key and caption
_SAMPLE = 0.45  # what a sample of the key and the spaces around it take beside its text


@dataclass(frozen=True)
class Page:
    """A figure with a title and a caption, and a body between them that waits for axes.

    Attributes:
        figure: The matplotlib figure.
        width: The width of the body in inches.
        top: Where the body begins, in inches from the lower edge of the figure.
    """

    figure: Figure
    width: float
    top: float

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Add axes, measured in inches to the right and down from the body's upper left corner."""
        wide, high = self.figure.get_size_inches()
        low = self.top - top - height
        axes = self.figure.add_axes(
            ((MARGIN + left) / wide, low / high, width / wide, height / high)
        )
        axes.tick_params(labelsize=TICK_SIZE, colors=INK, length=3)
        return axes

    def write(self, left: float, top: float, text: str, size: float, *, bold: bool) -> None:
        """Write to the right of and below a point of the body, in inches; negative is above it."""
        self.figure.text(
            MARGIN + left,
            self.top - top,
            text,
            va="top",
            fontsize=size,
            fontweight="bold" if bold else "normal",
            color=INK,
            transform=self.figure.dpi_scale_trans,
            parse_math=False,
        )

    def label(
        self, axes: Axes, *, across: str = "", up: str = "", size: float = LABEL_SIZE
    ) -> None:
        """Name axes, wrapped to their lengths."""
        wide, high = self.figure.get_size_inches()
        box = axes.get_position()
        for name, room, put in (
            (across, wide * box.width, axes.set_xlabel),
            (up, high * box.height, axes.set_ylabel),
        ):
            put(wrap(name, size, room), fontsize=size, color=INK, parse_math=False, labelpad=4)


def note(axes: Axes, text: str) -> None:
    """Write into the middle of empty axes why they are empty."""
    axes.text(
        0.5,
        0.55,
        text,
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=LABEL_SIZE,
        style="italic",
        color=INK,
        parse_math=False,
        bbox={"facecolor": "white", "edgecolor": PALE, "linewidth": 0.6, "pad": 4},
    )


def lay_out(
    width: float,
    height: float,
    *,
    title: str,
    caption: str,
    key: Sequence[tuple[Artist, str]] = (),
) -> Page:
    """Make a page whose body has a size in inches; it grows by the title, the key and the caption.

    Args:
        width: The width of the body. Title and caption are wrapped to it.
        height: The height of the body.
        title: Written above, bold.
        caption: Written below, small; line breaks are kept.
        key: Samples and what they mean, between body and caption.

    Returns:
        The page, without axes.

    >>> lay_out(4, 2, title="", caption="").figure.get_size_inches().round(1).tolist()
    [4.4, 2.4]
    """
    title = wrap(title, TITLE_SIZE, width, bold=True)
    caption = wrap(caption, SMALL_SIZE, width)
    labels = [wrap(label, TICK_SIZE, width - _SAMPLE) for _, label in key]
    key_columns = _key_columns(labels, width)
    lines = 1.6 * math.ceil(len(key) / key_columns) + 1.2 * sum(x.count("\n") for x in labels)
    key_height = lines * TICK_SIZE / 72
    below = text_height(caption, SMALL_SIZE) + _SPACE * bool(caption)
    above = text_height(title, TITLE_SIZE) + _SPACE * bool(title)
    bottom = MARGIN + below + key_height + _SPACE * bool(key)

    figure = Figure(figsize=(width + 2 * MARGIN, bottom + height + above + MARGIN), dpi=150)
    page = Page(figure, width, bottom + height)
    page.write(0, -above, title, TITLE_SIZE, bold=True)
    page.write(0, page.top - MARGIN - below + _SPACE, caption, SMALL_SIZE, bold=False)
    if key:
        legend = figure.legend(
            [sample for sample, _ in key],
            labels,
            loc="lower left",
            bbox_to_anchor=(MARGIN, MARGIN + below),
            bbox_transform=figure.dpi_scale_trans,
            ncols=key_columns,
            fontsize=TICK_SIZE,
            labelcolor=INK,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
            handlelength=1.8,
            columnspacing=1.2,
            labelspacing=0.4,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    return page


def _key_columns(labels: Sequence[str], width: float) -> int:
    """Return how many entries of a key fit side by side."""
    if any("\n" in label for label in labels):
        return 1
    widths = [text_width(label, TICK_SIZE) + _SAMPLE for label in labels]
    if sum(widths) <= width:
        return max(1, len(widths))
    return max(1, int(width / max(widths)))
