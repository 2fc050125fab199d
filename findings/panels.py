"""Figures of findings: panels side by side, a title above them and a key below."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette, whose colours colour-blind readers can distinguish. Blue is what N needs
# and what is right, vermillion what misleads, what is misused and what is wrong.
VERMILLION, BLUE, PURPLE, GREEN = "#D55E00", "#0072B2", "#CC79A7", "#009E73"
INK, PALE, GREY = "#333333", "#BBBBBB", "#777777"


def make_panels(
    headings: Sequence[str],
    *,
    title: str,
    key: Sequence[tuple[Artist, str]],
    across: str | Sequence[str],
    up: str | Sequence[str],
    widths: Sequence[float] = (),
    height: float = 2.7,
    share_y: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels side by side, and their axes.

    Args:
        headings: What each panel shows.
        title: What the reader should take from the figure.
        key: Samples and their meanings.
        across: The label below each panel, or below all.
        up: The label beside each panel, or beside the first.
        widths: The inches of each panel.
        height: The inches of all panels.
        share_y: Whether the panels have one y axis.
    """
    widths = widths or [3.7] * len(headings)
    width = sum(widths) + 0.4 * len(widths)
    columns = max(1, int(width // 4))
    title = textwrap.fill(title, int(9.9 * width))
    lines = title.count("\n") - (-len(key) // columns)
    figure = Figure((width, height + 0.9 + 0.22 * lines), dpi=150, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    figure.suptitle(title, x=0.1 / width, ha="left", size=12, weight="bold", color=INK)
    every = list(
        figure.subplots(1, len(widths), squeeze=False, width_ratios=widths, sharey=share_y).flat
    )
    if isinstance(across, str):
        across = [across] * len(every)
    if isinstance(up, str):
        up = [up, *[""] * (len(every) - 1)]
    for axes, inches, *words in zip(every, widths, headings, across, up, strict=True):
        heading = textwrap.fill(words[0], int(12 * inches))
        axes.set_title(heading, loc="left", size=10, weight="bold", color=INK)
        axes.set_xlabel(words[1], size=10, color=INK)
        axes.set_ylabel(words[2], size=10, color=INK)
        axes.tick_params(labelsize=9, colors=INK, length=3)
        axes.grid(axis="y", color=PALE, lw=0.4)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(PALE)
    samples, labels = zip(*key, strict=True)
    figure.legend(
        samples,
        labels,
        loc="outside lower left",
        ncols=columns,
        fontsize=9,
        labelcolor=INK,
        frameon=False,
        borderpad=0,
    )
    return figure, every
