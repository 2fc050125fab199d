"""Draw which row matters to which modulus, a bar chart for each: figures 18 to 22."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from primefourier.encoding import PrimeBasis
from primefourier.figures.intervals import draw_intervals, read_intervals
from primefourier.figures.page import lay_out, note
from primefourier.figures.style import (
    BLUE,
    GAP,
    INK,
    LABEL_SIZE,
    NOISE,
    PALE,
    TICK_SIZE,
    VERMILLION,
)
from primefourier.figures.table import Table, read_table, write_short
from primefourier.figures.text import text_width, wrap

_SLOT, _LEAST_WIDTH, _HEIGHT = 0.33, 2.4, 1.2  # a bar and the space beside it; the axes
_LEFT, _RIGHT, _ABOVE, _BELOW = 0.45, 0.2, 0.25, 0.35  # around the axes of a panel
_UP_LABEL, _ACROSS_LABEL = 0.2, 0.2
_VALUE_SIZE = 7.0


@dataclass(frozen=True)
class DropBars:
    """The drops of one modulus: one bar for each prime.

    Attributes:
        name: Written above the panel.
        primes: The primes of the rows.
        drops: The drop of test accuracy when each row is zeroed; NaN where it is not measured yet.
        relevant: The primes that should matter, such as the factors of N.
        intervals: The lower and upper end of an error bar for each prime, where there are any.
        note: Why the panel is empty, or what to mind about it, such as "degenerate".
    """

    name: str
    primes: Sequence[int]
    drops: Iterable[float]
    relevant: Sequence[int]
    intervals: Table | None = None
    note: str = ""

    def __post_init__(self) -> None:
        primes = PrimeBasis(tuple(self.primes), 1).primes
        (drops,) = read_table([self.drops], 1, len(primes), f"drops of {self.name}")
        strange = sorted(set(self.relevant) - set(primes))
        if strange:
            raise ValueError(f"relevant primes must be among the primes, got {strange[0]}")
        intervals = read_intervals(self.intervals, len(primes), f"intervals of {self.name}")
        object.__setattr__(self, "primes", primes)
        object.__setattr__(self, "drops", tuple(drops))
        object.__setattr__(self, "relevant", tuple(self.relevant))
        object.__setattr__(self, "intervals", intervals)

    @property
    def heading(self) -> str:
        """The name, with the note where the panel is not empty."""
        return f"{self.name} ({self.note})" if self.note and not self.empty else self.name

    @property
    def empty(self) -> bool:
        """Whether nothing is measured."""
        return all(math.isnan(drop) for drop in self.drops)


def draw_drop_bars(
    panels: Sequence[DropBars], *, title: str, caption: str = "", noise_floor: float
) -> Figure:
    """Draw a bar chart over the primes for each modulus, all with one scale.

    A drop that is NaN is not measured yet: its place is hatched. A panel without any drop says so,
    or bears its note.

    Args:
        panels: One for each modulus, in the order of reading; two stand side by side.
        title: Written above.
        caption: Written below, wrapped.
        noise_floor: Drops nearer to 0 than this cannot be told from 0; drawn as a band, unless 0.

    Returns:
        A figure; save it with ``figure.savefig("profiles.pdf")``.

    >>> panel = DropBars("N = 15", (3, 5, 7), [0.6, 0.7, 0.0], relevant=(3, 5))
    >>> figure = draw_drop_bars([panel], title="Profiles at r = 500", noise_floor=0.011)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['.60', '.70', '.00']
    """
    if not panels:
        raise ValueError("panels must hold at least one DropBars, got none")
    if not 0 <= noise_floor < math.inf:
        raise ValueError(f"noise_floor must be a number of at least 0, got {noise_floor}")
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    slot = max(_SLOT, *(text_width(str(max(p.primes)), TICK_SIZE) + 0.1 for p in panels))
    inner = max(
        _LEAST_WIDTH,
        *(slot * len(panel.primes) for panel in panels),
        *(text_width(panel.heading, LABEL_SIZE, bold=True) for panel in panels),
    )
    wide, high = _LEFT + inner + _RIGHT, _ABOVE + _HEIGHT + _BELOW
    page = lay_out(
        _UP_LABEL + columns * wide, rows * high + _ACROSS_LABEL, title=title, caption=caption,
        key=_key(panels, noise_floor),
    )  # fmt: skip
    scale = _scale(panels, noise_floor)
    for i, panel in enumerate(panels):
        left, top = _UP_LABEL + wide * (i % columns) + _LEFT, high * (i // columns)
        page.write(left, top, panel.heading, LABEL_SIZE, bold=True)
        axes = page.axes(left, top + _ABOVE, inner, _HEIGHT)
        axes.axhspan(-noise_floor, noise_floor, color=NOISE, lw=0, zorder=0)
        axes.set_ylim(scale)
        _draw_panel(axes, panel)
        page.label(
            axes,
            across="ablated row" if i + columns >= len(panels) else "",
            up="drop" if i % columns == 0 else "",
        )
    return page.figure


def _draw_panel(axes: Axes, panel: DropBars) -> None:
    axes.set_xlim(-0.6, len(panel.primes) - 0.4)
    axes.set_xticks(range(len(panel.primes)), [str(p) for p in panel.primes])
    axes.tick_params(axis="x", length=0)
    axes.axhline(0, color=INK, lw=0.8)
    axes.grid(axis="y", color=PALE, lw=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.spines["left"].set_color(PALE)
    if panel.empty:
        note(axes, wrap(panel.note or "not measured yet", LABEL_SIZE, 0.85 * _LEAST_WIDTH))
        return
    intervals = list(panel.intervals or [])
    for x, (p, drop) in enumerate(zip(panel.primes, panel.drops, strict=True)):
        if math.isnan(drop):
            axes.axvspan(x - 0.36, x + 0.36, **GAP)
            continue
        axes.bar(x, drop, 0.72, color=VERMILLION if p in panel.relevant else BLUE)
        ends = [end for end in intervals[x] if not math.isnan(end)] if intervals else []
        axes.annotate(
            write_short(drop), (x, max(0, drop, *ends)), (0, 1.5), textcoords="offset points",
            ha="center", va="bottom", fontsize=_VALUE_SIZE, color=INK,
            path_effects=[withStroke(linewidth=2, foreground="white")],
        )  # fmt: skip
    draw_intervals(axes, range(len(panel.primes)), panel.intervals, INK)


def _scale(panels: Sequence[DropBars], noise_floor: float) -> tuple[float, float]:
    """Return the ends of the common scale, with room above for the values."""
    ends = [1.0, -noise_floor, noise_floor]
    for panel in panels:
        ends += [drop for drop in panel.drops if not math.isnan(drop)]
        ends += [end for pair in panel.intervals or [] for end in pair if not math.isnan(end)]
    span = max(ends) - min(ends)
    return min(ends) - 0.03 * span, max(ends) + 0.16 * span


def _key(panels: Sequence[DropBars], noise_floor: float) -> list[tuple[Artist, str]]:
    key: list[tuple[Artist, str]] = [
        (Patch(color=VERMILLION), "relevant row"),
        (Patch(color=BLUE), "other row"),
    ]
    if noise_floor:
        key.append((Patch(color=NOISE), f"noise floor ± {noise_floor:.3f}"))
    if any(math.isnan(drop) for panel in panels if not panel.empty for drop in panel.drops):
        key.append((Patch(**GAP), "not measured yet"))
    return key
