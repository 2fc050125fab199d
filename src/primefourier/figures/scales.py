"""The axes of lines: limits, ticks, grid, and the noise floor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from primefourier.figures.style import INK, NOISE, PALE, TICK_SIZE, write_number

Scale: TypeAlias = Literal["linear", "log"]


def set_scales(axes: Axes, xs: Sequence[float], scale: Scale, values: NDArray[np.float64]) -> None:
    """Include every x and value; ticks are at each x of a log scale, otherwise at round numbers."""
    axes.set_xscale(scale)
    low, high = xs[0], xs[-1]
    if scale == "log":
        axes.set_xlim(low / 1.25, high * 1.25)
        axes.set_xticks(xs, _labels(np.log(xs) / math.log(1.5625 * high / low), xs))
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
    axes.tick_params(labelsize=TICK_SIZE, colors=INK, length=3)
    axes.grid(color=PALE, lw=0.4)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)
    if least < 0:
        axes.axhline(0, color=INK, lw=0.8)


def _labels(places: NDArray[np.float64], xs: Sequence[float]) -> list[str]:
    """Return tick labels, empty where the label before is too near; places are from 0 to 1."""
    labels, free = [], -math.inf
    for place, x in zip(places, xs, strict=True):
        text = write_number(x, ".12g")
        half = 0.014 * len(text) + 0.01
        labels.append(text if place - half >= free else "")
        free = place + half if labels[-1] else free
    return labels


def draw_noise(axes: Axes, noise_floor: Mapping[float, float], scale: Scale) -> None:
    """Draw the noise floor as steps; they change half way between values of x on the scale."""
    if noise_floor:
        xs = np.array(sorted(noise_floor), float)
        middles = np.sqrt(xs[1:] * xs[:-1]) if scale == "log" else (xs[1:] + xs[:-1]) / 2
        floors = np.array([noise_floor[x] for x in xs])
        edges = [axes.get_xlim()[0], *middles, axes.get_xlim()[1]]
        axes.stairs(floors, edges, baseline=-floors, fill=True, color=NOISE, lw=0, zorder=0)
