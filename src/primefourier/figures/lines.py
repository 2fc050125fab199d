"""Draw the drops against the input range, a line for each set of primes: figure 17."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from primefourier.arithmetic.integers import as_integer
from primefourier.figures.intervals import read_intervals
from primefourier.figures.panels import Line, Panel, draw_panels
from primefourier.figures.table import Table, read_ascending, read_table


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
        read_ascending(ranges, f"ranges of {self.name}")
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

    def lines(measure: str) -> list[Line]:
        return [
            Line(s.name, s.ranges, getattr(s, measure), getattr(s, f"{measure}_intervals"))
            for s in series
        ]

    own = Panel("own row zeroed", "diagonal drop", lines("diagonal"), sees=(0, 1))
    other = Panel(
        "other rows zeroed (note the scale)",
        "off-diagonal drop",
        lines("off_diagonal"),
        noise_floor={float(r): floor for r, floor in noise_floor.items()},
        sees=(0, 0.02),  # drops of a thousandth should not look large
    )
    return draw_panels(
        [own, other], title=title, caption=caption, across="input range r", scale="log"
    )
