"""Lines in panels with one key: drops against r (figure 17), depth or epoch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal, TypeAlias

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike, NDArray

from primefourier.figures.style import (
    INK,
    NOISE,
    SEQUENTIAL,
    new_page,
    panel_axes,
    read_intervals,
    read_table,
    spaced_labels,
    style_axes,
    write_labels,
    write_note,
    write_title,
)

Scale: TypeAlias = Literal["linear", "log"]

_WIDTH, _HEIGHT = 3.1, 2.6  # inches of the axes of a panel
_FEW = 12  # longer lines have a band instead of markers and error bars
_MARKERS = "os^DvPX*"


@dataclass(frozen=True, eq=False)
class Line:
    """Values at ascending x, drawn as one line.

    Attributes:
        name: The entry in the key, such as "r = 100"; a name looks the same in every panel.
        xs: Ascending positions.
        ys: The value at each x; NaN breaks the line.
        intervals: The lower and upper end of the interval around each value, NaN where unknown.
    """

    name: str
    xs: Sequence[float]
    ys: ArrayLike
    intervals: ArrayLike | None = None

    def __post_init__(self) -> None:
        _ = self.table  # raises for wrong values

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The columns x, y, low and high."""
        xs = read_table(self.xs, (len(self.xs),), f"xs of {self.name}")
        if not (np.diff(xs) > 0).all() or np.isnan(xs).any():
            raise ValueError(
                f"xs of {self.name} must ascend, got {xs.tolist()}; pass them sorted, each once"
            )
        ys = read_table(self.ys, xs.shape, f"ys of {self.name}")
        intervals = read_intervals(self.intervals, len(xs), f"intervals of {self.name}")
        return np.column_stack([xs, ys, intervals])

    @property
    def few(self) -> bool:
        """Whether its points have markers."""
        return len(self.xs) <= _FEW


@dataclass(frozen=True)
class Panel:
    """Lines with one y axis.

    Attributes:
        heading: Text above.
        label: The label of the y axis.
        lines: The lines, in the order of the key.
        noise_floor: For each x, the largest value that cannot be distinguished from 0: a band.
        sees: Values that the y axis always includes.
    """

    heading: str
    label: str
    lines: Sequence[Line]
    noise_floor: Mapping[float, float] = field(default_factory=dict)
    sees: Sequence[float] = (0.0,)

    def __post_init__(self) -> None:
        floors = [*self.noise_floor.values()]
        if not all(0 <= floor < math.inf for floor in floors):
            raise ValueError(
                f"noise_floor of {self.heading} must be finite and at least 0, got {floors}; leave "
                "out the x where it is unknown"
            )

    @property
    def values(self) -> NDArray[np.float64]:
        """All known values that the y axis must include."""
        floors = np.array([*self.noise_floor.values()], float)
        drawn = [line.table[:, 1:].ravel() for line in self.lines]
        values = np.concatenate([np.asarray(self.sees, float), floors, -floors, *drawn])
        return np.asarray(values[~np.isnan(values)])


def draw_drop_lines(
    diagonal: Sequence[Line],
    off_diagonal: Sequence[Line],
    *,
    title: str,
    caption: str = "",
    noise_floor: Mapping[Any, float],
) -> Figure:
    """Draw the diagonal and the off-diagonal drop against r in two panels with own scales.

    Args:
        diagonal: For each set of primes, the mean drop of the task prime's own row at each r.
        off_diagonal: The same for the other rows.
        title: Text above.
        caption: Text below, wrapped.
        noise_floor: For each r, the largest drop that cannot be distinguished from 0: a band in the
            right panel.

    >>> own, others = (Line("|P| = 4", (100, 500), drops) for drops in ([0.6, 0.7], [0.01, 0.0]))
    >>> figure = draw_drop_lines(
    ...     [own], [others], title="Drop against r", noise_floor={100: 0.032, 500: 0.011}
    ... )
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['diagonal drop', 'off-diagonal drop']
    """
    left = Panel("own row zeroed", "diagonal drop", diagonal, sees=(0, 1))
    # Drops of a thousandth should not look large.
    heading, sees = "other rows zeroed (note the scale)", (0, 0.02)
    right = Panel(heading, "off-diagonal drop", off_diagonal, noise_floor, sees)
    return draw_panels(
        [left, right], title=title, caption=caption, across="input range r", scale="log"
    )


def draw_panels(
    panels: Sequence[Panel],
    *,
    title: str,
    caption: str = "",
    across: str,
    scale: Scale = "linear",
    columns: int = 2,
    share_y: bool = False,
) -> Figure:
    """Draw panels in a grid, all with the same x axis.

    A line of at most 12 points has markers, and error bars for its intervals. A longer line is
    plain, with a band for its intervals. NaN means not measured yet.

    Args:
        panels: The panels, row by row.
        title: Text above.
        caption: Text below, wrapped.
        across: The label of the x axis.
        scale: "linear", or "log" with a tick at each x.
        columns: The largest number of panels in a row.
        share_y: Whether all panels share one y axis.

    >>> line = Line("r = 100", (0, 1, 2), [0.6, 0.2, 0.0], intervals=[(0.5, 0.7)] * 3)
    >>> panel = Panel("own row zeroed", "drop", [line], sees=(0, 1))
    >>> figure = draw_panels([panel], title="Drop against depth", across="depth")
    >>> figure.axes[0].get_ylabel()
    'drop'
    """
    if not panels or columns < 1:
        raise ValueError(f"at least one Panel and one column are required, got {len(panels)} "
                         f"panels and {columns} columns")  # fmt: skip
    lines = [line for panel in panels for line in panel.lines]
    xs = sorted({float(x) for x in chain(*(p.noise_floor for p in panels), *(n.xs for n in lines))})
    if not xs or (scale == "log" and xs[0] <= 0):
        raise ValueError(f"lines need an x, above 0 on a log scale; got {xs[:1] or 'none'}")
    looks = _looks(lines)
    rows, columns = -(-len(panels) // columns), min(columns, len(panels))
    figure, body = new_page(
        columns * (_WIDTH + 0.9) + 0.2, rows * (_HEIGHT + 0.55) + 0.3, title=title, caption=caption,
        key=_key(panels, looks),
    )  # fmt: skip
    together = np.concatenate([panel.values for panel in panels])
    for i, axes in enumerate(panel_axes(body, len(panels), columns, share_y=share_y)):
        panel = panels[i]
        _set_scales(axes, xs, scale, together if share_y else panel.values)
        _draw_noise(axes, panel.noise_floor, scale)
        _draw_lines(axes, panel, looks)
        write_title(axes, panel.heading, _WIDTH)
        lowest = i + columns >= len(panels)  # of its column; only this one labels x
        first = not share_y or i % columns == 0
        write_labels(axes, across=across if lowest else "", up=panel.label if first else "",
                     inches=(_WIDTH, _HEIGHT))  # fmt: skip
    return figure


def _set_scales(axes: Axes, xs: Sequence[float], scale: Scale, values: NDArray[np.float64]) -> None:
    """Include every x and value; ticks are at each x of a log scale, otherwise at round numbers."""
    axes.set_xscale(scale)
    low, high = xs[0], xs[-1]
    if scale == "log":
        axes.set_xlim(low / 1.25, high * 1.25)
        axes.set_xticks(xs, spaced_labels(np.log(xs) / math.log(1.5625 * high / low), xs))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        margin = 0.05 * (high - low) or max(0.5, 0.05 * abs(low))
        axes.set_xlim(low - margin, high + margin)
        whole = all(x.is_integer() for x in xs)
        axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10], integer=whole))
    least, most = min(values, default=0.0), max(values, default=0.0)
    if math.isclose(least, most):  # a single value is compared with 0
        least, most = min(least, 0.0), max(most, 0.0) or float(least == 0)
    margin = 0.05 * (most - least)
    axes.set_ylim(least - margin, most + margin)
    axes.yaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    style_axes(axes, grid="both")
    if least < 0:
        axes.axhline(0, color=INK, lw=0.8)


def _draw_noise(axes: Axes, noise_floor: Mapping[float, float], scale: Scale) -> None:
    """Draw the noise floor as steps; they change half way between values of x on the scale."""
    if noise_floor:
        xs = np.array(sorted(noise_floor), float)
        middles = np.sqrt(xs[1:] * xs[:-1]) if scale == "log" else (xs[1:] + xs[:-1]) / 2
        floors = np.array([noise_floor[x] for x in xs])
        edges = [axes.get_xlim()[0], *middles, axes.get_xlim()[1]]
        axes.stairs(floors, edges, baseline=-floors, fill=True, color=NOISE, lw=0, zorder=0)


def _looks(lines: Sequence[Line]) -> dict[str, dict[str, Any]]:
    """Give each name a colour and a marker, in order of appearance."""
    names = list(dict.fromkeys(line.name for line in lines))
    shown = matplotlib.colormaps[SEQUENTIAL](np.linspace(0, 0.88, max(2, len(names))))
    return {
        name: {"color": tuple(color), "marker": _MARKERS[i % len(_MARKERS)], "ms": 5, "lw": 1.6}
        for i, (name, color) in enumerate(zip(names, shown, strict=False))
    }


def _key(panels: Sequence[Panel], looks: Mapping[str, dict[str, Any]]) -> list[tuple[Artist, str]]:
    """Explain the look of each name, and the noise floor if there is one."""
    lines = [line for panel in panels for line in panel.lines]
    known = {line.name for line in lines if not np.isnan(line.table[:, 1]).all()}
    marked = {line.name for line in lines if line.few}
    key: list[tuple[Artist, str]] = []
    for name, look in looks.items():
        sample = Line2D([], [], **(look if name in marked else look | {"marker": ""}))
        key.append((sample, name if name in known else f"{name}, not measured yet"))
    if any(panel.noise_floor for panel in panels):
        key.append((Patch(color=NOISE), "noise floor"))
    return key


def _draw_lines(axes: Axes, panel: Panel, looks: Mapping[str, dict[str, Any]]) -> None:
    """Draw lines and their intervals; lines with error bars are moved aside a little."""
    if all(np.isnan(line.table[:, 1]).all() for line in panel.lines):
        write_note(axes, "not measured yet")
    barred = [n for n in panel.lines if n.few and not np.isnan(n.table[:, 2]).all()]
    step = min(1.8, 16 / max(1, len(barred)))  # points
    aside = -step * (len(barred) - 1) / 2
    root = axes.get_figure(root=True)
    assert root is not None
    for line in panel.lines:
        xs, ys, lows, highs = line.table.T.copy()
        look, place = looks[line.name], axes.transData
        shown: Any = None  # a marker at each point
        if line in barred:
            place = place + ScaledTranslation(aside / 72, 0, root.dpi_scale_trans)
            aside += step
        elif not line.few:
            axes.fill_between(xs, lows, highs, color=look["color"], alpha=0.18, lw=0)
            # A value between two gaps makes no line; a marker shows it.
            shown = _alone(ys)
            lows[~_alone(lows + highs)] = np.nan
        if not np.isnan(lows + highs).all():
            axes.errorbar(xs, (lows + highs) / 2, yerr=(highs - lows) / 2, fmt="none", capsize=2,
                          elinewidth=1, ecolor=look["color"], transform=place)  # fmt: skip
        axes.plot(xs, ys, markevery=shown, transform=place, **look)


def _alone(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which values are known and have no known neighbour."""
    known = np.pad(~np.isnan(values), 1)
    return np.asarray(known[1:-1] & ~known[:-2] & ~known[2:])
