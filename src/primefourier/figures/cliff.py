"""The cliff: which rows networks use, and their accuracy against the size of the inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from primefourier.figures import style

_WIDTH, _HEIGHT = 3.6, 2.1  # inches, of one panel
_LEAST_ROWS = 6
_RIGHT = 0.99
_NEAR = 30
"""Labels of sizes whose quotient is smaller would overlap."""
MISUSED = style.OTHER | {"edgecolor": style.VERMILLION, "linewidth": 2, "hatch": "///"}
"""The look of other rows that are used all the same."""


@dataclass(frozen=True)
class Cliff:
    """One network: the drop of each row, and its accuracy in range and beyond.

    Attributes:
        name: Written above its panels.
        drops: The drop of each row.
        relevant: The rows that the task needs.
        input_range: r; it was trained on inputs below r.
        accuracy: Accuracy in range.
        beyond: Accuracy on inputs below each number, all at or above r.
        unneeded: Other rows that it uses all the same.
    """

    name: str
    drops: Mapping[Any, float]
    relevant: Sequence[Any]
    input_range: int
    accuracy: float
    beyond: Mapping[int, float]
    unneeded: Sequence[Any] = ()


def draw_cliffs(networks: Sequence[Cliff], *, title: str, caption: str = "") -> Figure:
    """Draw two panels per network: the drop of every row, and accuracy against input size.

    >>> drops, beyond = {3: 0.6, 11: 0.9, 17: 0.5}, {200: 0.3, 10**6: 0.1}
    >>> one = Cliff("N = 33", drops, (3, 11), 100, 1.0, beyond, unneeded=(17,))
    >>> [axes.get_title(loc="left") for axes in draw_cliffs([one], title="A cheat").axes]
    ['N = 33: rows used', 'Accuracy by input size']
    """
    if not networks:
        raise ValueError("networks must have at least one Cliff, got none")
    key: list[tuple[Artist, str]] = [
        (Patch(**style.RELEVANT), "row that N needs"),
        (Patch(**style.OTHER), "other row"),
        (Patch(**MISUSED), "other row, used"),
        (Line2D([], [], color=style.GREEN, marker="o", lw=0, ms=8), "right"),
        (Line2D([], [], color=style.VERMILLION, marker="X", lw=0, ms=8), "wrong"),
    ]
    figure, body = style.new_page(
        2 * (_WIDTH + 0.5), len(networks) * (_HEIGHT + 0.5), title=title, caption=caption, key=key
    )
    grid = body.subplots(len(networks), 2, squeeze=False)
    for (left, right), network in zip(grid, networks, strict=True):
        _draw_rows(left, network)
        _draw_accuracy(right, network)
    return figure


def _draw_rows(axes: Axes, network: Cliff) -> None:
    style.write_title(axes, f"{network.name}: rows used")
    for x, (row, drop) in enumerate(network.drops.items()):
        other = MISUSED if row in network.unneeded else style.OTHER
        bar = axes.bar(x, drop, 0.72, **style.RELEVANT if row in network.relevant else other)
        axes.bar_label(bar, [style.write_short(drop)], padding=2, size=8, color=style.INK)
    axes.set_xticks(range(len(network.drops)), [str(row) for row in network.drops])
    axes.set_xlim(-0.6, max(len(network.drops), _LEAST_ROWS) - 0.4)
    axes.set_ylim(min(0, *network.drops.values()), 1.12)
    style.style_axes(axes, grid="y")
    axes.tick_params(axis="x", length=0)
    style.write_labels(axes, "row", "drop without it")


def _draw_accuracy(axes: Axes, network: Cliff) -> None:
    style.write_title(axes, "Accuracy by input size")
    ends = [network.input_range, *network.beyond]
    values = [network.accuracy, *network.beyond.values()]
    axes.plot(ends, values, color=style.PALE, lw=2, zorder=1)
    last, aside = (0.0, ""), True  # the last label, and whether it was put beside its marker
    for end, value in zip(ends, values, strict=True):
        color, marker = (style.GREEN, "o") if value >= _RIGHT else (style.VERMILLION, "X")
        axes.plot(end, value, marker, color=color, ms=8, zorder=2)
        text, near = f"{value:.2f}", end < _NEAR * last[0]
        if near and text == last[1]:  # it would repeat the label beside it
            continue
        # near labels stand by turns above and beside their marker, so that no two overlap
        aside = near and not aside
        place = (0, 7) if not aside else (-7, 2) if value < 0.5 else (0, -15)
        axes.annotate(
            text, (end, value), place, size=8, color=style.INK, textcoords="offset points",
            ha="right" if place[0] else "center",
        )  # fmt: skip
        last = end, text
    axes.axvspan(ends[0] / 200, network.input_range, color="#E8F1F8", lw=0, zorder=0)
    axes.text(
        0.05, 0.5, "trained", transform=axes.transAxes, size=8, color=style.INK, rotation=90,
        va="center", ha="center",
    )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlim(ends[0] / 200, ends[-1] * 10)  # room for the band on the left, and for labels
    axes.set_ylim(-0.03, 1.16)
    style.style_axes(axes, grid="y")
    style.write_labels(axes, "inputs below", "accuracy")
