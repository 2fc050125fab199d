"""Lines in panels with one key: drops against r (figure 17), accuracy by size of integers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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

from primefourier.figures import style

Scale: TypeAlias = Literal["linear", "log"]

_WIDTH, _HEIGHT = 3.1, 2.6  # inches of the axes of a panel, about
_LABELS_APART = 0.42  # inches
_MARKERS = "os^DvPX*"


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
        xs = style.read_table(self.xs, (len(self.xs),), f"xs of {self.name}")
        if not (np.diff(xs) > 0).all() or np.isnan(xs).any():
            raise ValueError(
                f"xs of {self.name} must ascend, got {xs.tolist()}; pass them sorted, each once"
            )
        columns = np.shape(self.ys)[1:2]
        ys = style.read_table(self.ys, (*xs.shape, *columns), f"ys of {self.name}")
        if not columns:
            return np.column_stack([xs, ys])
        means = np.ma.masked_invalid(ys).mean(axis=1).filled(np.nan)
        return np.column_stack([xs, means, ys if columns[0] > 1 else ys[:, :0]])

    @property
    def empty(self) -> bool:
        """Whether nothing is measured."""
        return bool(np.isnan(self.table[:, 1]).all())


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


def draw_panels(
    panels: Sequence[Panel],
    *,
    title: str,
    caption: str = "",
    across: str,
    scale: Scale = "linear",
    columns: int = 2,
) -> Figure:
    """Draw panels in a grid, all with the same x axis and one key.

    NaN means not measured yet.

    Args:
        panels: The panels, row by row.
        title: Text above.
        caption: Text below, wrapped.
        across: The label of the x axis.
        scale: "linear", or "log" with a tick at each x.
        columns: The largest number of panels in a row.

    >>> line = Line("r = 100", (0, 1, 2), [(0.6, 0.5), (0.2, 0.1), (0.0, 0.0)])
    >>> panel = Panel("own row zeroed", "drop", [line], sees=(0, 1))
    >>> figure = draw_panels([panel], title="Drop against depth", across="depth")
    >>> figure.axes[0].get_ylabel()
    'drop'
    """
    if not panels or columns < 1:
        raise ValueError(f"at least one Panel and one column are required, got {len(panels)} "
                         f"panels and {columns} columns")  # fmt: skip
    places = (some for p in panels for some in (p.noise_floor, *(line.xs for line in p.lines)))
    xs = sorted({float(x) for some in places for x in some})
    if not xs or (scale == "log" and xs[0] <= 0):
        raise ValueError(f"lines need an x, above 0 on a log scale; got {xs[:1] or 'none'}")
    looks = _looks([line for panel in panels for line in panel.lines])
    figure, every = style.new_panels(
        len(panels), columns, _WIDTH + 0.9, _HEIGHT + 0.55, share_y=False, title=title,
        caption=caption, key=_key(panels, looks),
    )  # fmt: skip
    for i, (axes, panel) in enumerate(zip(every, panels, strict=True)):
        style.write_title(axes, panel.heading)
        _set_scales(axes, panel, xs, scale)
        _draw_noise(axes, panel.noise_floor, scale)
        _draw_lines(axes, panel, looks)
        lowest = i + columns >= len(panels)
        style.write_labels(axes, across * lowest, panel.label)
    return figure


def _set_scales(axes: Axes, panel: Panel, xs: Sequence[float], scale: Scale) -> None:
    """Include every x; ticks are at each x of a log scale, or at round numbers."""
    if scale == "log":
        axes.set_xscale("log")
        axes.set_xlim(xs[0] / 1.25, xs[-1] * 1.25)
        axes.set_xticks(xs, _spaced_labels(xs))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        # a single x spans nothing, so the margin follows its size
        margin = 0.05 * (xs[-1] - xs[0]) or max(0.5, 0.05 * abs(xs[0]))
        axes.set_xlim(xs[0] - margin, xs[-1] + margin)
        whole = all(x.is_integer() for x in xs)
        axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10], integer=whole))
    axes.update_datalim([(0, y) for y in panel.sees], updatex=False)
    style.style_axes(axes, grid="both")
    if panel.noise_floor or any((line.table[:, 1:] < 0).any() for line in panel.lines):
        axes.axhline(0, color=style.INK, lw=0.8)


def _spaced_labels(xs: Sequence[float]) -> list[str]:
    """Return the labels of ticks on a log scale, empty where the one before is too near."""
    inches = _WIDTH / math.log(1.5625 * xs[-1] / xs[0])
    labels, last = [], 0.0
    for x in xs:
        near = last and inches * math.log(x / last) < _LABELS_APART
        labels.append("" if near else f"{x:g}")
        last = last if near else x
    return labels


def _draw_noise(axes: Axes, noise_floor: Mapping[float, float], scale: Scale) -> None:
    """Draw the noise floor as steps; they change half way between values of x on the scale."""
    if noise_floor:  # which depends on the number of test examples, and so on x
        xs = np.array(sorted(noise_floor), float)
        middles = np.sqrt(xs[1:] * xs[:-1]) if scale == "log" else (xs[1:] + xs[:-1]) / 2
        floors = np.array([noise_floor[x] for x in xs])
        edges = [axes.get_xlim()[0], *middles, axes.get_xlim()[1]]
        axes.stairs(floors, edges, baseline=-floors, fill=True, color=style.NOISE, lw=0, zorder=0)


def _looks(lines: Sequence[Line]) -> dict[str, dict[str, Any]]:
    """Give each name a colour and a marker, in order of appearance."""
    # the yellow end of the map is too pale for a thin line
    names = list(dict.fromkeys(line.name for line in lines))
    shown = matplotlib.colormaps[style.SEQUENTIAL](np.linspace(0, 0.88, max(2, len(names))))
    return {
        name: {"color": tuple(color), "marker": _MARKERS[i % len(_MARKERS)], "ms": 5, "lw": 1.6}
        for i, (name, color) in enumerate(zip(names, shown, strict=False))
    }


def _key(panels: Sequence[Panel], looks: Mapping[str, dict[str, Any]]) -> list[tuple[Artist, str]]:
    """Explain the look of each name, and what else is drawn."""
    lines = [line for panel in panels for line in panel.lines]
    known = {line.name for line in lines if not line.empty}
    key: list[tuple[Artist, str]] = [
        (Line2D([], [], **look), name + ", not measured yet" * (name not in known))
        for name, look in looks.items()
    ]
    if any(line.table.shape[1] > 2 for line in lines):
        key.append((Line2D([], [], color=style.INK, marker="o", ms=3, lw=0), "one seed"))
    if any(panel.noise_floor for panel in panels):
        key.append((Patch(color=style.NOISE), "noise floor"))
    return key


def _draw_lines(axes: Axes, panel: Panel, looks: Mapping[str, dict[str, Any]]) -> None:
    """Draw lines in front of the dots of their single values."""
    if all(line.empty for line in panel.lines):
        style.write_note(axes, "not measured yet")
    dots: dict[str, Any] = {"marker": "o", "ms": 3, "mec": "none", "lw": 0, "alpha": 0.7}
    for line in panel.lines:
        xs, means, singles = line.table[:, 0], line.table[:, 1], line.table[:, 2:]
        look = looks[line.name]
        # NaN breaks the line, so a gap is never bridged
        axes.plot(xs, singles, color=look["color"], zorder=1.5, **dots)
        axes.plot(xs, means, **look)
