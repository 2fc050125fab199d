"""Draw lines in several panels over one range of x, with one key: drops by depth, loss by epoch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from primefourier.arithmetic.integers import as_integer
from primefourier.figures.curves import Look, draw_curve, few, looks
from primefourier.figures.intervals import read_intervals
from primefourier.figures.page import lay_out, note
from primefourier.figures.style import INK, LABEL_SIZE, NOISE, PALE, TICK_SIZE
from primefourier.figures.table import Table, read_ascending, read_table
from primefourier.figures.text import text_height, wrap
from primefourier.figures.x_axis import Scale, XAxis, x_axis
from primefourier.figures.y_axis import YAxis, y_axis

_WIDTH, _HEIGHT = 3.1, 2.6  # of the axes of a panel
_LEFT, _RIGHT = 0.75, 0.15  # beside them; the left grows with what is written there
_SPACE = 0.1  # between a panel, its heading, its labels and the next panel
_APART = 0.009  # of the axis: how far lines are moved aside so that error bars can be told apart
_SPREAD = 0.4  # of the way to the next x: what all lines together may take for that


@dataclass(frozen=True)
class Line:
    """Values at ascending x, drawn as one line.

    Attributes:
        name: What the line stands for, such as "r = 100"; the same name looks the same everywhere.
        xs: Where the values stand, ascending.
        ys: The value at each x; NaN breaks the line.
        intervals: Lower and upper end of what surrounds each value, NaN where unknown.
    """

    name: str
    xs: Sequence[float]
    ys: Iterable[float]
    intervals: Table | None = None

    def __post_init__(self) -> None:
        xs = read_ascending(self.xs, f"xs of {self.name}")
        (ys,) = read_table([self.ys], 1, len(xs), f"ys of {self.name}")
        intervals = read_intervals(self.intervals, len(xs), f"intervals of {self.name}")
        object.__setattr__(self, "xs", xs)
        object.__setattr__(self, "ys", tuple(ys))
        object.__setattr__(self, "intervals", intervals)

    @property
    def known(self) -> bool:
        """Whether any value is measured."""
        return not all(math.isnan(y) for y in self.ys)


@dataclass(frozen=True)
class Panel:
    """Lines that share a scale of y.

    Attributes:
        heading: Written above.
        label: What the values are, written along the y axis.
        lines: The lines, in the order of the key.
        noise_floor: For each x, below what a value cannot be told from 0: a band around 0.
        sees: Values that the y axis includes whatever the lines are.
    """

    heading: str
    label: str
    lines: Sequence[Line]
    noise_floor: Mapping[float, float] = field(default_factory=dict)
    sees: Sequence[float] = (0.0,)

    def __post_init__(self) -> None:
        xs = read_ascending(sorted(self.noise_floor), f"noise_floor of {self.heading}")
        floors = [float(self.noise_floor[x]) for x in xs]
        for floor in floors:
            if not 0 <= floor < math.inf:
                raise ValueError(
                    f"noise_floor of {self.heading} must be finite and at least 0, got {floor}; "
                    "leave out the x where it is unknown"
                )
        sees = tuple(float(y) for y in self.sees)
        if not all(map(math.isfinite, sees)):
            raise ValueError(f"sees of {self.heading} must be finite numbers, got {sees}")
        object.__setattr__(self, "lines", tuple(self.lines))
        object.__setattr__(self, "noise_floor", dict(zip(xs, floors, strict=True)))
        object.__setattr__(self, "sees", sees)

    @property
    def values(self) -> list[float]:
        """All that is drawn or has to be seen, NaN where something is unknown."""
        floors = self.noise_floor.values()
        ends = (end for line in self.lines for pair in line.intervals or () for end in pair)
        ys = (y for line in self.lines for y in line.ys)
        return [*self.sees, *floors, *(-floor for floor in floors), *ys, *ends]


def draw_panels(
    panels: Sequence[Panel],
    *,
    title: str,
    caption: str = "",
    across: str,
    scale: Scale = "linear",
    columns: int = 2,
) -> Figure:
    """Draw panels in a grid, each with a y axis of its own, all over the same x.

    A line of at most 12 points has a marker at each and its intervals are error bars; a longer one
    is plain and its intervals are a band. A value that is NaN is not measured yet.

    Args:
        panels: The panels, row by row.
        title: Written above.
        caption: Written below, wrapped.
        across: What x is.
        scale: "linear", or "log" with a tick at each x.
        columns: How many panels stand side by side at most.

    Returns:
        A figure; save it with ``figure.savefig("panels.pdf")``.

    >>> line = Line("r = 100", (0, 1, 2), [0.6, 0.2, 0.0], intervals=[(0.5, 0.7)] * 3)
    >>> panel = Panel("own row zeroed", "drop", [line], sees=(0, 1))
    >>> figure = draw_panels([panel], title="Drop against depth", across="depth")
    >>> figure.axes[0].get_xticks().tolist()
    [0.0, 1.0, 2.0]
    """
    panels = tuple(panels)
    if not panels:
        raise ValueError("panels must be at least one Panel, got none")
    columns = min(as_integer(columns, "columns", at_least=1), len(panels))
    lines = [line for panel in panels for line in panel.lines]
    floors = [x for panel in panels for x in panel.noise_floor]
    x = x_axis(chain(floors, *(line.xs for line in lines)), scale)
    ys = [y_axis(panel.values) for panel in panels]
    look_of = looks(line.name for line in lines)

    headings = [wrap(panel.heading, LABEL_SIZE, _WIDTH, bold=True) for panel in panels]
    above = max(text_height(heading, LABEL_SIZE) for heading in headings) + _SPACE
    up = max(text_height(wrap(panel.label, LABEL_SIZE, _HEIGHT), LABEL_SIZE) for panel in panels)
    left = max(_LEFT, up + max(y.room for y in ys) + 1.5 * _SPACE)
    wide = left + _WIDTH + _RIGHT
    high = above + _HEIGHT + text_height("0", TICK_SIZE) + 2 * _SPACE
    rows = math.ceil(len(panels) / columns)
    below = text_height(wrap(across, LABEL_SIZE, _WIDTH), LABEL_SIZE) - _SPACE
    key = _key(lines, look_of, noise=bool(floors))
    page = lay_out(columns * wide, rows * high + below, title=title, caption=caption, key=key)

    for i, (panel, heading, y) in enumerate(zip(panels, headings, ys, strict=True)):
        row, column = divmod(i, columns)
        corner, top = wide * column + left, high * row
        over = above - _SPACE - text_height(heading, LABEL_SIZE)  # short ones stand near the axes
        page.write(corner, top + over, heading, LABEL_SIZE, bold=True)
        axes = page.axes(corner, top + above, _WIDTH, _HEIGHT)
        _draw_panel(axes, panel, x, y, look_of)
        lowest = i + columns >= len(panels)  # of its column: the only one that names x
        page.label(axes, across=across if lowest else "", up=panel.label)
    return page.figure


def _key(
    lines: Sequence[Line], look_of: Mapping[str, Look], *, noise: bool
) -> list[tuple[Artist, str]]:
    """Explain what each name looks like, and the noise floor where there is one."""
    known = {line.name for line in lines if line.known}
    marked = {line.name for line in lines if few(line.xs)}
    key: list[tuple[Artist, str]] = [
        (
            Line2D([], [], **look.style(marked=name in marked)),
            name if name in known else f"{name}, not measured yet",
        )
        for name, look in look_of.items()
    ]
    return [*key, (Patch(color=NOISE), "noise floor")] if noise else key


def _draw_panel(axes: Axes, panel: Panel, x: XAxis, y: YAxis, look_of: Mapping[str, Look]) -> None:
    """Draw one panel into its axes."""
    x.set_on(axes, _WIDTH)
    y.set_on(axes)
    axes.grid(color=PALE, lw=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)
    _draw_noise(axes, panel.noise_floor, x)
    if panel.noise_floor or any(value < 0 for value in panel.values):
        axes.axhline(0, color=INK, lw=0.8)
    for line, aside in zip(panel.lines, _asides(panel.lines, x), strict=True):
        xs = [x.value(x.place(at) + aside) if aside else at for at in line.xs]
        draw_curve(axes, xs, list(line.ys), line.intervals, look_of[line.name])
    if not any(line.known for line in panel.lines):
        note(axes, "not measured yet")


def _asides(lines: Sequence[Line], x: XAxis) -> list[float]:
    """Return how far each line is moved, so that no error bar stands on another one."""
    stands = [
        (x.place(at), i)
        for i, line in enumerate(lines)
        for at, (low, high) in zip(line.xs, line.intervals or (), strict=False)
        if few(line.xs) and not math.isnan(low + high)
    ]
    barred = sorted({i for _, i in stands})
    gaps = [b - a for (a, _), (b, _) in pairwise(sorted(stands))]
    asides = [0.0] * len(lines)
    if 0 in gaps:
        nearest = min((gap for gap in gaps if gap), default=1.0)
        apart = min(_APART, _SPREAD * nearest / len(barred))
        for k, i in enumerate(barred):
            asides[i] = (k - (len(barred) - 1) / 2) * apart
    return asides


def _draw_noise(axes: Axes, noise_floor: Mapping[float, float], x: XAxis) -> None:
    """Draw the noise floor as steps that change half way between values of x."""
    if not noise_floor:
        return
    floors = list(noise_floor.values())
    places = [x.place(at) for at in noise_floor]
    edges = [x.low, *(x.value((a + b) / 2) for a, b in pairwise(places)), x.high]
    axes.stairs(
        floors, edges, baseline=[-f for f in floors], fill=True, color=NOISE, lw=0, zorder=0
    )
