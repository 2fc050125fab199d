"""Lines or dots in panels with one key: drops against r (figure 17) or depth, curves by epoch."""

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
from numpy.typing import ArrayLike, NDArray

from primefourier.figures.style import (
    INK,
    NOISE,
    SEQUENTIAL,
    new_page,
    panel_axes,
    read_table,
    spaced_labels,
    style_axes,
    write_labels,
    write_note,
    write_title,
)

Scale: TypeAlias = Literal["linear", "log"]

_WIDTH, _HEIGHT = 3.1, 2.6  # inches of the axes of a panel
_FEW = 12  # longer lines have no markers
_ASIDE = 0.75  # of the distance between two categories is filled with the dots of one
_MARKERS = "os^DvPX*"
_LEVEL: dict[str, Any] = {"color": INK, "ls": "--", "lw": 1.2}


@dataclass(frozen=True, eq=False)
class Line:
    """Values at ascending x, drawn as one line.

    Attributes:
        name: The entry in the key, such as "r = 100"; a name looks the same in every panel.
        xs: Ascending positions.
        ys: The value at each x, or a row of several, such as one per seed: the line is their mean,
            and each is drawn, too. NaN means not measured yet; it breaks the line.
    """

    name: str
    xs: Sequence[float]
    ys: ArrayLike

    def __post_init__(self) -> None:
        _ = self.table  # raises for wrong values

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The columns x and y, then one for each seed if there are several."""
        xs = read_table(self.xs, (len(self.xs),), f"xs of {self.name}")
        if not (np.diff(xs) > 0).all() or np.isnan(xs).any():
            raise ValueError(
                f"xs of {self.name} must ascend, got {xs.tolist()}; pass them sorted, each once"
            )
        columns = np.shape(self.ys)[1:2]
        ys = read_table(self.ys, (*xs.shape, *columns), f"ys of {self.name}")
        if not columns:
            return np.column_stack([xs, ys])
        means = np.ma.masked_invalid(ys).mean(axis=1).filled(np.nan)
        return np.column_stack([xs, means, ys if columns[0] > 1 else ys[:, :0]])

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
        names: The names of the categories 0, 1, … along x. The values of a category are dots side
            by side, which no line joins: all single values, or the means if there are no others.
        across: The label of the x axis, if it is not that of the page.
        level: A value that is marked by a dashed line, and its meaning.
    """

    heading: str
    label: str
    lines: Sequence[Line]
    noise_floor: Mapping[float, float] = field(default_factory=dict)
    sees: Sequence[float] = (0.0,)
    names: Sequence[object] = ()
    across: str = ""
    level: tuple[float, str] | None = None

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


def draw_panels(
    panels: Sequence[Panel],
    *,
    title: str,
    caption: str = "",
    across: str,
    scale: Scale = "linear",
    columns: int = 2,
    share_y: bool = False,
    linear_below: float | None = None,
) -> Figure:
    """Draw panels in a grid; all without categories of their own have the same x axis.

    A line of at most 12 points has markers, and its single values are dots. A longer line is plain,
    and its single values are thin lines. NaN means not measured yet.

    Args:
        panels: The panels, row by row.
        title: Text above.
        caption: Text below, wrapped.
        across: The label of the x axis.
        scale: "linear", or "log" with a tick at each x.
        columns: The largest number of panels in a row.
        share_y: Whether all panels share one y axis.
        linear_below: The y axis is logarithmic above this, and linear around 0 (default: linear).

    >>> line = Line("r = 100", (0, 1, 2), [(0.6, 0.5), (0.2, 0.1), (0.0, 0.0)])
    >>> panel = Panel("own row zeroed", "drop", [line], sees=(0, 1))
    >>> figure = draw_panels([panel], title="Drop against depth", across="depth")
    >>> figure.axes[0].get_ylabel()
    'drop'
    """
    if not panels or columns < 1:
        raise ValueError(f"at least one Panel and one column are required, got {len(panels)} "
                         f"panels and {columns} columns")  # fmt: skip
    lines = [line for panel in panels for line in panel.lines]
    plain = [panel for panel in panels if not panel.names]
    found = chain(*(p.noise_floor for p in plain), *(line.xs for p in plain for line in p.lines))
    xs = sorted({float(x) for x in found})
    if plain and (not xs or (scale == "log" and xs[0] <= 0)):
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
        _set_x(axes, xs, scale, panel.names)
        _set_y(axes, together if share_y else panel.values, linear_below)
        _draw_noise(axes, panel.noise_floor, scale)
        if panel.level:
            axes.axhline(panel.level[0], **_LEVEL)
        _draw_lines(axes, panel, looks)
        write_title(axes, panel.heading, _WIDTH)
        lowest = i + columns >= len(panels)  # of its column; only this one labels x
        first = not share_y or i % columns == 0
        write_labels(axes, across=(panel.across or across) if lowest else "",
                     up=panel.label if first else "", inches=(_WIDTH, _HEIGHT))  # fmt: skip
    return figure


def _set_x(axes: Axes, xs: Sequence[float], scale: Scale, names: Sequence[object]) -> None:
    """Include every x; ticks are at each category or x of a log scale, or at round numbers."""
    if names:
        axes.set_xlim(-0.6, len(names) - 0.4)
        axes.set_xticks(range(len(names)), [str(name) for name in names])
        return
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


def _set_y(axes: Axes, values: NDArray[np.float64], linear_below: float | None) -> None:
    """Include every value, with some room."""
    least, most = min(values, default=0.0), max(values, default=0.0)
    if math.isclose(least, most):  # a single value is compared with 0
        least, most = min(least, 0.0), max(most, 0.0) or float(least == 0)
    if linear_below is None:
        margin = 0.05 * (most - least)
        axes.set_ylim(least - margin, most + margin)
        axes.yaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    else:
        axes.set_yscale("symlog", linthresh=linear_below, linscale=0.5)
        axes.set_ylim(1.5 * least - 0.3 * linear_below, 1.5 * most)
        axes.yaxis.set_major_formatter("{x:g}")
    style_axes(axes, grid="both")
    if least < 0 or linear_below is not None:
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
    unjoined = {"lw": 0} if all(panel.names for panel in panels) else {}
    key: list[tuple[Artist, str]] = []
    for name, look in looks.items():
        sample = Line2D([], [], **look | unjoined)
        key.append((sample, name if name in known else f"{name}, not measured yet"))
    curves = {line.few for panel in panels if not panel.names for line in panel.lines
              if line.table.shape[1] > 2}  # fmt: skip
    if curves:
        look = {"marker": "o", "lw": 0} if True in curves else {"lw": 0.6}
        key.append((Line2D([], [], color=INK, ms=3, **look), "one seed"))
    if any(panel.noise_floor for panel in panels):
        key.append((Patch(color=NOISE), "noise floor"))
    meanings = dict.fromkeys(panel.level[1] for panel in panels if panel.level)
    return key + [(Line2D([], [], **_LEVEL), meaning) for meaning in meanings]


def _draw_lines(axes: Axes, panel: Panel, looks: Mapping[str, dict[str, Any]]) -> None:
    """Draw lines in front of their single values, or the values alone in a panel of categories."""
    if all(np.isnan(line.table[:, 1]).all() for line in panel.lines):
        write_note(axes, "not measured yet")
    for i, line in enumerate(panel.lines):
        xs, ys, singles = line.table[:, 0], line.table[:, 1], line.table[:, 2:]
        look = looks[line.name]
        if panel.names:
            aside = _ASIDE * ((i + 0.5) / len(panel.lines) - 0.5)
            dots, size = (singles, 3.6) if singles.size else (ys, 6.0)
            axes.plot(xs + aside, dots, **look | {"lw": 0, "ms": size, "mec": "none"})
            continue
        small: dict[str, Any] = {"marker": "o", "ms": 3, "mec": "none", "lw": 0, "alpha": 0.7}
        if not line.few:
            small = {"lw": 0.6, "alpha": 0.4}
            look = look | {
                "marker": ".",
                "ms": 3,
                "mew": 0,
            }  # else a value between two gaps is not seen
        axes.plot(xs, singles, color=look["color"], zorder=1.5, **small)
        axes.plot(xs, ys, **look)
