"""Bar charts of the drops of one modulus each: figures 18 to 22."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike, NDArray

from primefourier.figures import style

_SLOT, _LEAST_WIDTH, _HEIGHT = 0.33, 2.4, 1.2  # inches: a bar and the space beside it; the axes


@dataclass(frozen=True)
class DropBars:
    """The drops of one configuration, with one bar per row of its networks.

    Attributes:
        name: Written above the panel.
        rows: The names of the rows, such as their primes.
        drops: The drop of test accuracy when each row is zeroed; NaN means not measured yet.
        relevant: The names of the relevant rows, such as the prime factors of N.
        points: The values behind each drop, such as one per seed; drawn as dots.
        note: A remark, such as "degenerate", or why the panel is empty.
    """

    name: str
    rows: Sequence[int | str]
    drops: ArrayLike
    relevant: Sequence[int | str]
    points: Sequence[ArrayLike] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if len(set(self.rows)) < len(self.rows):
            raise ValueError(f"rows of {self.name} must have different names, got {self.rows}")
        strange = [name for name in self.relevant if name not in self.rows]
        if strange:
            raise ValueError(f"relevant rows must be among the rows, got {strange[0]}")
        _ = self.table, self.dots  # raises for wrong values

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The drop of each row."""
        return style.read_table(self.drops, (len(self.rows),), f"drops of {self.name}")

    @cached_property
    def dots(self) -> list[NDArray[np.float64]]:
        """The values behind each drop."""
        given = [()] * len(self.rows) if self.points is None else self.points
        if len(given) != len(self.rows):
            raise ValueError(
                f"points of {self.name} must be given for each of {len(self.rows)} rows, got "
                f"{len(given)}"
            )
        return [np.asarray(values, float) for values in given]

    @property
    def empty(self) -> bool:
        """Whether nothing is measured."""
        return bool(np.isnan(self.table).all())


def draw_drop_bars(
    panels: Sequence[DropBars], *, title: str, caption: str = "", noise_floor: float
) -> Figure:
    """Draw one bar chart per configuration, all with the same scale.

    Drops that are not measured yet are hatched. A panel without any drop shows its note.

    Args:
        panels: One per configuration, row by row, two in each row.
        title: Text above.
        caption: Text below, wrapped.
        noise_floor: Drops closer to 0 cannot be distinguished from 0: a band, unless it is 0.

    >>> panel = DropBars("N = 15", (3, 5, 7), [0.6, 0.7, 0.0], relevant=(3, 5))
    >>> figure = draw_drop_bars([panel], title="Profiles at r = 500", noise_floor=0.011)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['.60', '.70', '.00']
    """
    if not panels:
        raise ValueError("panels must hold at least one DropBars, got none")
    if not 0 <= noise_floor < math.inf:
        raise ValueError(f"noise_floor must be a number of at least 0, got {noise_floor}")
    names = [[str(name) for name in panel.rows] for panel in panels]
    slot = max(_SLOT, 0.1 + max(style.room(some, style.TICK_SIZE) for some in names))
    width = max(_LEAST_WIDTH, slot * max(map(len, names)))
    figure, every = style.new_panels(
        len(panels), 2, width + 0.4, _HEIGHT + 0.55, share_y=True, title=title, caption=caption,
        key=_key(panels, noise_floor),
    )  # fmt: skip
    values = [values for panel in panels for values in (panel.table, *panel.dots)]
    known = np.concatenate([*values, [1.0, -noise_floor, noise_floor]])
    known = known[~np.isnan(known)]
    span = np.ptp(known)  # at least 1, since drops are shares and 1 is always seen
    for i, (axes, panel) in enumerate(zip(every, panels, strict=True)):
        axes.set_ylim(known.min() - 0.03 * span, known.max() + 0.16 * span)
        axes.axhspan(-noise_floor, noise_floor, color=style.NOISE, lw=0, zorder=0)
        _draw_panel(axes, panel)
        lowest = i + 2 >= len(panels)
        style.write_labels(axes, "ablated row" * lowest, "drop" * (i % 2 == 0))
    return figure


def _draw_panel(axes: Axes, panel: DropBars) -> None:
    note = f" ({panel.note})" if panel.note and not panel.empty else ""
    style.write_title(axes, f"{panel.name}{note}")
    axes.set_xlim(-0.6, len(panel.rows) - 0.4)
    axes.set_xticks(range(len(panel.rows)), [str(p) for p in panel.rows])
    style.style_axes(axes, grid="y")
    axes.tick_params(axis="x", length=0)
    axes.axhline(0, color=style.INK, lw=0.8)
    axes.spines["bottom"].set_visible(False)
    if panel.empty:
        style.write_note(axes, panel.note or "not measured yet")
        return
    drops = panel.table
    known = ~np.isnan(drops)
    relevant = np.array([name in panel.relevant for name in panel.rows], bool)
    for x in np.flatnonzero(~known):
        axes.axvspan(x - 0.36, x + 0.36, **style.GAP)
    dot: dict[str, Any] = {"ms": 2.4, "mec": "white", "mew": 0.4, "color": style.INK, "zorder": 3}
    for chosen, look in ((known & relevant, style.RELEVANT), (known & ~relevant, style.OTHER)):
        axes.bar(np.flatnonzero(chosen), drops[chosen], 0.72, **look)
    for place, dots in enumerate(panel.dots):
        # side by side, since seeds with equal drops would hide each other
        aside = np.linspace(-0.2, 0.2, len(dots)) if len(dots) > 1 else np.zeros(len(dots))
        axes.plot(place + aside, dots, "o", **dot)
    for x in np.flatnonzero(known):
        axes.annotate(
            style.write_short(drops[x]), (x, max(0, drops[x], *panel.dots[x])), (0, 1.5),
            ha="center", va="bottom", textcoords="offset points", size=style.CELL_SIZE,
            color=style.INK, path_effects=[withStroke(linewidth=2, foreground="white")],
        ).set_in_layout(False)  # fmt: skip


def _key(panels: Sequence[DropBars], noise_floor: float) -> list[tuple[Artist, str]]:
    several = any(len(dots) > 1 for panel in panels for dots in panel.dots)
    gaps = any(np.isnan(panel.table).any() for panel in panels if not panel.empty)
    dot = Line2D([], [], marker="o", ms=3, lw=0, color=style.INK)
    key: list[tuple[Artist, str, object]] = [
        (Patch(**style.RELEVANT), "relevant row", True),
        (Patch(**style.OTHER), "other row", True),
        (Patch(color=style.NOISE), f"noise floor ± {noise_floor:.3f}", noise_floor),
        (dot, "one seed", several),
        (Patch(**style.GAP), "not measured yet", gaps),
    ]
    return [(sample, meaning) for sample, meaning, occurs in key if occurs]
