"""Number circles that add a and b modulo N: figures 1 and 2 of the paper, for any a, b and N.

For a prime or a prime power N, one circle shows the answer, with the arcs of a and b end to end.
For other N, each prime power of N has a circle with the sum, and bars show how the Chinese
Remainder Theorem joins them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Patch, Wedge

from primefourier.arithmetic.integers import as_integer, as_integers
from primefourier.arithmetic.primes import factorize, format_factors, primes_from
from primefourier.encoding import PrimeBasis
from primefourier.figures import style

COLOR_A, COLOR_B, COLOR_SUM, COLOR_ACTIVE = style.VERMILLION, style.BLUE, style.PURPLE, style.GREEN

_LEFT = 6.2  # inches of the bars with their labels
_MOST_SEGMENTS = 100  # more could not be distinguished
_LARGEST_LABELLED = 999  # longer labels do not fit around a circle
_MARKS_APART = 0.04  # of a turn; marks closer than this would overlap

_Bar = tuple[str, list[tuple[float, float, str]], int]
"""A bar of length N: its label, coloured stretches (from, to, colour), and number of segments."""


def draw_circles(a: int, b: int, modulus: int, *, primes: Sequence[int] | None = None) -> Figure:
    """Draw how prime circles add a and b modulo N.

    Args:
        a: The first integer, of any size and sign.
        b: The second integer.
        modulus: N, at least 2.
        primes: The circles to draw (default: those of N and a few others).

    >>> figure = draw_circles(9, 17, 23)
    >>> draw_circles(13, 15, 21, primes=[4])
    Traceback (most recent call last):
    ValueError: primes must be distinct primes, got 4 = 2²; use depth for prime powers
    """
    n = as_integer(modulus, "modulus", at_least=2)
    a, b = as_integers([a, b]).tolist()
    powers = dict(factorize(n))
    chosen = _default_primes(powers) if primes is None else PrimeBasis(tuple(primes), 1).primes
    arcs = len(powers) == 1
    bars = list(_bars(a, b, n, arcs))
    rows = max(2, round((1 + len(bars)) * 0.72 / 2.5))
    columns = max(2, -(-len(chosen) // rows))
    rows = -(-len(chosen) // columns)
    height = max(rows * 2.5, len(bars) * 0.72)
    figure, body = style.new_page(
        _LEFT + columns * 2.3, height + 0.3, caption="", key=_key(arcs),
        title=f"({_short(a)} + {_signed(b)}) mod {_short(n)} = {_short((a + b) % n)}",
    )  # fmt: skip
    grid = body.add_gridspec(1, 2, width_ratios=[_LEFT, columns * 2.3])
    _draw_bars(body.add_subplot(grid[0]), bars)
    places = grid[1].subgridspec(rows, columns)
    for i, p in enumerate(chosen):
        axes = body.add_subplot(places[i // columns, i % columns], aspect="equal")
        _draw_dial(axes, a, b, p, powers.get(p, 0), arcs=arcs)
    return figure


def _default_primes(powers: dict[int, int]) -> list[int]:
    """Return the primes of N and a few others."""
    if len(powers) == 1:
        return list(islice(primes_from(max(powers)), 4))
    others = (p for p in primes_from(3) if p not in powers)
    return sorted(chain(powers, islice(others, max(1, 4 - len(powers)))))


def _bars(a: int, b: int, n: int, arcs: bool) -> Iterator[_Bar]:
    first, second, total = a % n, b % n, (a + b) % n
    answer = [(0.0, total / n, COLOR_SUM)]
    yield f"a = {_residue(a, n)}", [(0.0, first / n, COLOR_A)], 1
    yield f"b = {_residue(b, n)}", [(0.0, second / n, COLOR_B)], 1
    if arcs:
        laid = [(0.0, first / n, COLOR_A), (first / n, min((first + second) / n, 1.0), COLOR_B)]
        yield "a, then b", laid + (answer if first + second >= n else []), 1
    else:
        for p, e in factorize(n):
            q = p**e
            count, rest = divmod(total, q)
            text = f"{_short(count)}·{_short(q)} + {rest}" if count else f"{rest}"
            yield f"mod {_short(q)}: {text}", answer, n // q
    yield f"answer = {_short(total)}", answer, 1


def _draw_bars(axes: Axes, bars: Sequence[_Bar]) -> None:
    """Draw the bars from top to bottom, with labels at the left."""
    for y, (_, stretches, segments) in enumerate(bars):
        for start, stop, color in stretches:
            axes.barh(y, stop - start, 0.52, left=start, color=color)
        if 1 < segments <= _MOST_SEGMENTS:
            inner = [k / segments for k in range(1, segments)]
            axes.vlines(inner, y - 0.26, y + 0.26, color=style.INK, lw=0.7)
        axes.barh(y, 1, 0.52, fill=False, edgecolor=style.INK, lw=1.1)
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xticks([])
    axes.set_yticks(range(len(bars)), [label for label, _, _ in bars])
    axes.tick_params(length=0, labelsize=style.LABEL_SIZE, colors=style.INK)
    axes.spines[:].set_visible(False)


def _draw_dial(axes: Axes, a: int, b: int, p: int, power: int, *, arcs: bool) -> None:
    """Draw one circle, with a frame if its prime divides N."""
    period = p ** max(1, power)
    first, answer = a % period, (a + b) % period
    if arcs:
        end = first + b % period
        _draw_sector(axes, first / period, min(end / period, 1.0), COLOR_B)
        _draw_sector(axes, 0, first / period, COLOR_A)
        _draw_sector(axes, 0, end / period - 1, COLOR_SUM)
    else:
        _draw_sector(axes, 0, answer / period, COLOR_SUM)
    axes.add_patch(Circle((0, 0), 1, fill=False, edgecolor=style.INK, lw=1.1))
    axes.add_patch(Circle((0, 0), 0.05, color=style.INK, lw=0))
    values = [answer, 0, first] if arcs else [answer, 0]
    for i, value in enumerate(values):
        x, y = _point(value / period)
        inner = 0.86 if i else 0.0
        axes.plot(
            [inner * x, 1.06 * x], [inner * y, 1.06 * y], color=style.INK, lw=1.0 if i else 1.6
        )
    if period <= _LARGEST_LABELLED:
        _label_marks(axes, period, values)
    axes.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), xticks=[], yticks=[])
    axes.spines[:].set(visible=power > 0, color=COLOR_ACTIVE, linewidth=2)
    text = f"p = {_short(p)}"
    if power > 1:
        text += f", period {format_factors(((p, power),))}"
    if period > _LARGEST_LABELLED:
        text += f"\n{_short(answer)}"
    axes.set_xlabel(
        text, size=style.LABEL_SIZE, weight="bold", color=COLOR_ACTIVE if power else style.INK
    )


def _draw_sector(axes: Axes, start: float, stop: float, color: str) -> None:
    """Fill the circle from one fraction of a turn to another, clockwise from the top."""
    if stop > start:
        axes.add_patch(Wedge((0, 0), 1, 90 - 360 * stop, 90 - 360 * start, color=color, lw=0))


def _point(turn: float) -> tuple[float, float]:
    return math.sin(2 * math.pi * turn), math.cos(2 * math.pi * turn)


def _label_marks(axes: Axes, period: int, values: Sequence[int]) -> None:
    """Write values around a circle, the first in bold; skip those too close to an earlier one."""
    shown: list[float] = []
    for value in values:
        turn = value / period
        if all(min((turn - x) % 1, (x - turn) % 1) >= _MARKS_APART for x in shown):
            x, y = _point(turn)
            axes.text(1.27 * x, 1.24 * y, str(value), ha="center", va="center", size=8.5,
                      color=style.INK, weight="normal" if shown else "bold")  # fmt: skip
            shown.append(turn)


def _key(arcs: bool) -> list[tuple[Artist, str]]:
    answer = "answer, and where a and b overlap" if arcs else "(a + b) mod period"
    return [
        (Patch(color=COLOR_A), "a"),
        (Patch(color=COLOR_B), "b"),
        (Patch(color=COLOR_SUM), answer),
        (Patch(fill=False, edgecolor=COLOR_ACTIVE, lw=2), "active: period divides N"),
    ]


def _short(n: int) -> str:
    text = str(n).replace("-", "−")
    return text if len(text) <= 9 else f"{text[:4]}…{text[-3:]}"


def _signed(n: int) -> str:
    return f"({_short(n)})" if n < 0 else _short(n)


def _residue(a: int, n: int) -> str:
    return _short(a) if 0 <= a < n else f"{_short(a)} ≡ {_short(a % n)}"
