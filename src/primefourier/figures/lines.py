"""Draw the drops against the input range, a line for each set of primes: figure 17."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import NullLocator
from matplotlib.typing import ColorType

from primefourier.arithmetic.integers import as_integer
from primefourier.figures.intervals import draw_intervals, read_intervals
from primefourier.figures.page import lay_out, note
from primefourier.figures.style import INK, LABEL_SIZE, NOISE, PALE, SEQUENTIAL, TICK_SIZE
from primefourier.figures.table import Table, read_table
from primefourier.figures.text import text_width

_WIDTH, _HEIGHT = 3.1, 2.6  # of the axes of a panel
_LEFT, _RIGHT, _ABOVE, _BELOW = 0.75, 0.15, 0.3, 0.5  # around them
_MARKERS = "os^DvPX*"
_APART = 0.005  # of the axis: how far lines are moved aside so that error bars can be told apart


@dataclass(frozen=True)
class DropLine:
    """The mean drops of one set of primes at several input ranges.

    Attributes:
        name: What the line stands for, such as "|P| = 4".
        ranges: The input ranges r, ascending.
        diagonal: The mean drop of the task prime's own row at each r; NaN breaks the line.
        off_diagonal: The mean drop of the other rows at each r; NaN breaks the line.
        diagonal_intervals: Lower and upper end of an error bar at each r, where there are any.
        off_diagonal_intervals: The same for the other rows.
    """

    name: str
    ranges: Sequence[int]
    diagonal: Iterable[float]
    off_diagonal: Iterable[float]
    diagonal_intervals: Table | None = None
    off_diagonal_intervals: Table | None = None

    def __post_init__(self) -> None:
        ranges = tuple(as_integer(r, "an input range", at_least=1) for r in self.ranges)
        if any(r >= s for r, s in pairwise(ranges)):
            raise ValueError(f"ranges of {self.name} must ascend, got {ranges}; pass them sorted")
        object.__setattr__(self, "ranges", ranges)
        for measure in ("diagonal", "off_diagonal"):
            name = f"{measure} of {self.name}"
            (drops,) = read_table([getattr(self, measure)], 1, len(ranges), name)
            given = getattr(self, f"{measure}_intervals")
            intervals = read_intervals(given, len(ranges), f"intervals of {name}")
            object.__setattr__(self, measure, tuple(drops))
            object.__setattr__(self, f"{measure}_intervals", intervals)


def draw_drop_lines(
    series: Sequence[DropLine], *, title: str, caption: str = "", noise_floor: Mapping[int, float]
) -> Figure:
    """Draw the diagonal and the off-diagonal drop against r, each with a scale of its own.

    A drop that is NaN is not measured yet and leaves a gap in its line.

    Args:
        series: One for each set of primes.
        title: Written above.
        caption: Written below, wrapped.
        noise_floor: For each r, below what a drop cannot be told from 0: a band in the right panel.

    Returns:
        A figure; save it with ``figure.savefig("lines.pdf")``.

    >>> line = DropLine("|P| = 4", (100, 500), [0.6, 0.7], [0.01, 0.0])
    >>> figure = draw_drop_lines(
    ...     [line], title="Drop against r", noise_floor={100: 0.032, 500: 0.011}
    ... )
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['diagonal drop', 'off-diagonal drop']
    """
    ranges = sorted({*noise_floor, *(r for line in series for r in line.ranges)})
    if not ranges or ranges[0] < 1:
        raise ValueError(f"input ranges must be at least 1, got {ranges[0] if ranges else 'none'}")
    shown = matplotlib.colormaps[SEQUENTIAL]
    colors = [shown(0.88 * i / max(1, len(series) - 1)) for i in range(len(series))]
    key: list[tuple[Artist, str]] = [
        (Line2D([], [], color=color, marker=_MARKERS[i % len(_MARKERS)], ms=5, lw=1.6), label)
        for i, (label, color) in enumerate(zip(map(_key_label, series), colors, strict=True))
    ]
    if noise_floor:
        key.append((Patch(color=NOISE), "noise floor"))
    wide = _LEFT + _WIDTH + _RIGHT
    page = lay_out(2 * wide, _ABOVE + _HEIGHT + _BELOW, title=title, caption=caption, key=key)

    panels = (
        ("diagonal", "own row zeroed", "diagonal drop"),
        ("off_diagonal", "other rows zeroed (note the scale)", "off-diagonal drop"),
    )
    for i, (measure, heading, label) in enumerate(panels):
        page.write(wide * i + _LEFT, 0, heading, LABEL_SIZE, bold=True)
        axes = page.axes(wide * i + _LEFT, _ABOVE, _WIDTH, _HEIGHT)
        _set_ranges(axes, ranges)
        ends = [1.0] if measure == "diagonal" else _draw_noise(axes, noise_floor)
        for k, (line, color) in enumerate(zip(series, colors, strict=True)):
            aside = (k - (len(series) - 1) / 2) * _APART
            ends += _draw_line(axes, line, measure, color, _MARKERS[k % len(_MARKERS)], aside)
        if not any(_known(line, measure) for line in series):
            note(axes, "not measured yet")
        low, high = min([0.0, *ends]), max([0.02, *ends])
        axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
        page.label(axes, across="input range r", up=label)
    return page.figure


def _known(line: DropLine, measure: str) -> list[float]:
    return [drop for drop in getattr(line, measure) if not math.isnan(drop)]


def _key_label(line: DropLine) -> str:
    known = _known(line, "diagonal") or _known(line, "off_diagonal")
    return line.name if known else f"{line.name}, not measured yet"


def _draw_line(
    axes: Axes, line: DropLine, measure: str, color: ColorType, marker: str, aside: float
) -> list[float]:
    """Draw one line and its error bars; return all values that have to be seen."""
    drops = list(getattr(line, measure))
    intervals = getattr(line, f"{measure}_intervals")
    low, high = axes.get_xlim()
    shift = (high / low) ** aside if intervals else 1.0
    xs = [r * shift for r in line.ranges]
    draw_intervals(axes, xs, intervals, color)
    axes.plot(xs, drops, color=color, marker=marker, ms=5, lw=1.6)
    values = [*drops, *(end for pair in intervals or () for end in pair)]
    return [value for value in values if not math.isnan(value)]


def _set_ranges(axes: Axes, ranges: Sequence[int]) -> None:
    """Make a logarithmic axis with a tick at each r, labelled where there is room."""
    low, high = ranges[0] / 1.25, ranges[-1] * 1.25
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    labels, free = [], -math.inf
    for r in ranges:
        middle = _WIDTH * math.log(r / low) / math.log(high / low)
        half = text_width(str(r), TICK_SIZE) / 2 + 0.03
        labels.append(str(r) if middle - half >= free else "")
        free = middle + half if labels[-1] else free
    axes.set_xticks(ranges, labels)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(color=PALE, lw=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)


def _draw_noise(axes: Axes, noise_floor: Mapping[int, float]) -> list[float]:
    """Draw the noise floor as steps that change half way between ranges."""
    ranges = sorted(noise_floor)
    floors = [noise_floor[r] for r in ranges]
    if ranges:
        low, high = axes.get_xlim()
        edges = [low, *(math.sqrt(r * s) for r, s in pairwise(ranges)), high]
        axes.stairs(
            floors, edges, baseline=[-f for f in floors], fill=True, color=NOISE, lw=0, zorder=0
        )
    axes.axhline(0, color=INK, lw=0.8)
    return [*floors, *(-f for f in floors)]
