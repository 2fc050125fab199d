"""Draw a + b modulo N as number circles: figures 1 and 2 of the paper, for any a, b and N.

For a prime (or a prime power) N one circle carries the answer, and the arcs of a and b are laid end
to end on it. For other N each prime power of N has a circle with the sum, and bars show how the
Chinese Remainder Theorem joins them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle, Wedge

from primefourier.arithmetic.integers import as_integer, as_integers
from primefourier.arithmetic.primes import factorize, format_factors, primes_from
from primefourier.encoding import PrimeBasis
from primefourier.figures.style import BLUE, GREEN, INK, PURPLE, VERMILLION

COLOR_A, COLOR_B, COLOR_SUM, COLOR_ACTIVE = VERMILLION, BLUE, PURPLE, GREEN

_CELL, _CELL_HEIGHT, _RADIUS = 3.1, 3.55, 1.0
_BAR_LEFT, _BAR_WIDTH, _BAR_HEIGHT = 0.0, 6.0, 0.52
_MOST_SEGMENTS = 100  # more would be a grey smear
_LARGEST_LABELLED = 999  # longer labels do not fit around a circle
_MARKS_APART = 0.04  # of a turn; marks closer than this would run into each other


@dataclass(frozen=True)
class _Dial:
    """One circle: a period, and whether it divides the modulus."""

    prime: int
    power: int
    active: bool

    @property
    def period(self) -> int:
        return int(self.prime**self.power)


def draw_circles(a: int, b: int, modulus: int, *, primes: Sequence[int] | None = None) -> Figure:
    """Draw how prime circles add a and b modulo N.

    Args:
        a: The first integer, of any size and sign.
        b: The second integer.
        modulus: N, at least 2.
        primes: Which circles to draw; by default those of N and enough others to compare.

    Returns:
        A figure; save it with ``figure.savefig("circles.png")``.

    >>> figure = draw_circles(9, 17, 23)
    >>> draw_circles(13, 15, 21, primes=[4])
    Traceback (most recent call last):
    ValueError: primes must be distinct primes, got 4 = 2²; use depth for prime powers
    """
    n = as_integer(modulus, "modulus", at_least=2)
    a, b = as_integers([a, b]).tolist()
    dials = _dials(n, primes)
    arcs = len(factorize(n)) == 1
    bars = _bars(a, b, n, arcs)
    columns = max(2, -(-len(dials) // max(2, round((1.9 + len(bars)) / _CELL_HEIGHT))))
    rows = -(-len(dials) // columns)
    height = max(rows * _CELL_HEIGHT + 1.1, 1.9 + len(bars) * 1.0)
    top = -1.35 - max(0.0, (height - 2.3 - len(bars)) / 2)
    left, right = -max(2.1, 0.4 + 0.125 * max(len(bar.label) for bar in bars)), 7.4
    width = right + columns * _CELL + 0.4 - left
    figure = Figure(figsize=(0.72 * width, 0.72 * height), dpi=150)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(left, left + width)
    axes.set_ylim(-height, 0.45)
    axes.set_aspect("equal")
    axes.axis("off")

    title = f"({_short(a)} + {_signed(b)}) mod {_short(n)} = {_short((a + b) % n)}"
    axes.text(left + 0.25, 0.02, title, fontsize=15, fontweight="bold", color=INK, va="center")
    for i, bar in enumerate(bars):
        _draw_bar(axes, bar, top - i * 1.0)
    for i, dial in enumerate(dials):
        x = right + _CELL * (i % columns + 0.5)
        y = -_CELL_HEIGHT * (i // columns + 0.5) - 0.02
        _draw_dial(axes, dial, a, b, x, y, arcs=arcs)
    _draw_legend(axes, left + 0.25, -height + 0.35, arcs=arcs)
    return figure


def _dials(n: int, primes: Sequence[int] | None) -> list[_Dial]:
    powers = dict(factorize(n))
    if primes is not None:
        chosen = list(PrimeBasis(tuple(primes), 1).primes)
    elif len(powers) == 1:
        chosen = list(islice(primes_from(max(powers)), 4))
    else:
        others = (p for p in primes_from(3) if p not in powers)
        chosen = sorted(chain(powers, islice(others, max(1, 4 - len(powers)))))
    return [_Dial(p, powers.get(p, 1), p in powers) for p in chosen]


@dataclass(frozen=True)
class _Bar:
    """A bar of length N: a label, coloured stretches (from, to, colour), and a grid."""

    label: str
    stretches: tuple[tuple[float, float, str], ...]
    step: int = 0
    length: int = 1


def _bars(a: int, b: int, n: int, arcs: bool) -> list[_Bar]:
    total = (a + b) % n
    bars = [
        _Bar(f"a = {_residue(a, n)}", ((0, a % n / n, COLOR_A),)),
        _Bar(f"b = {_residue(b, n)}", ((0, b % n / n, COLOR_B),)),
    ]
    if arcs:
        end, over = a % n / n, (a % n + b % n) / n
        laid = [(0.0, end, COLOR_A), (end, min(over, 1.0), COLOR_B)]
        if over >= 1:
            laid.append((0.0, over - 1, COLOR_SUM))
        bars.append(_Bar("a, then b", tuple(laid)))
    else:
        for p, e in factorize(n):
            q = p**e
            count, rest = divmod(total, q)
            text = f"{_short(count)}·{_short(q)} + {rest}" if count else f"{rest}"
            bars.append(_Bar(f"mod {_short(q)}: {text}", ((0, total / n, COLOR_SUM),), q, n))
    bars.append(_Bar(f"answer = {_short(total)}", ((0, total / n, COLOR_SUM),)))
    return bars


def _draw_bar(axes: Axes, bar: _Bar, y: float) -> None:
    for start, stop, color in bar.stretches:
        axes.add_patch(
            Rectangle(
                (_BAR_LEFT + start * _BAR_WIDTH, y - _BAR_HEIGHT / 2),
                (stop - start) * _BAR_WIDTH,
                _BAR_HEIGHT,
                color=color,
                lw=0,
            )
        )
    if bar.step and bar.length // bar.step <= _MOST_SEGMENTS:
        for k in range(bar.step, bar.length, bar.step):
            x = _BAR_LEFT + k / bar.length * _BAR_WIDTH
            axes.plot([x, x], [y - _BAR_HEIGHT / 2, y + _BAR_HEIGHT / 2], color=INK, lw=0.7)
    axes.add_patch(
        Rectangle(
            (_BAR_LEFT, y - _BAR_HEIGHT / 2),
            _BAR_WIDTH,
            _BAR_HEIGHT,
            fill=False,
            edgecolor=INK,
            lw=1.1,
        )
    )
    axes.text(_BAR_LEFT - 0.15, y, bar.label, ha="right", va="center", fontsize=10, color=INK)


def _draw_dial(axes: Axes, dial: _Dial, a: int, b: int, x: float, y: float, *, arcs: bool) -> None:
    m = dial.period
    first, total = a % m / m, (a + b) % m / m
    if arcs:
        end = first + b % m / m
        _sector(axes, x, y, first, min(end, 1.0), COLOR_B)
        _sector(axes, x, y, 0, first, COLOR_A)
        if end > 1:
            _sector(axes, x, y, 0, end - 1, COLOR_SUM)
    else:
        _sector(axes, x, y, 0, total, COLOR_SUM)
    axes.add_patch(Circle((x, y), _RADIUS, fill=False, edgecolor=INK, lw=1.1))
    axes.add_patch(Circle((x, y), 0.05, color=INK, lw=0))
    _tick(axes, x, y, total, hand=True)
    _tick(axes, x, y, 0, hand=False)
    if arcs:
        _tick(axes, x, y, first, hand=False)
    if m <= _LARGEST_LABELLED:
        _label_marks(axes, x, y, m, [(a + b) % m, 0, a % m] if arcs else [(a + b) % m, 0])
    axes.text(
        x,
        y - _RADIUS - 0.58,
        _caption(dial, (a + b) % m),
        ha="center",
        va="center",
        fontsize=10.5,
        fontweight="bold",
        color=COLOR_ACTIVE if dial.active else INK,
    )
    if dial.active:
        half = _CELL / 2 - 0.1
        axes.add_patch(
            FancyBboxPatch(
                (x - half, y - 1.88),
                2 * half,
                _CELL_HEIGHT - 0.2,
                boxstyle="round,pad=0,rounding_size=0.2",
                fill=False,
                edgecolor=COLOR_ACTIVE,
                lw=2,
            )
        )


def _sector(axes: Axes, x: float, y: float, start: float, stop: float, color: str) -> None:
    """Fill the circle from one fraction of a turn to another, clockwise from the top."""
    if stop > start:
        axes.add_patch(Wedge((x, y), _RADIUS, 90 - 360 * stop, 90 - 360 * start, color=color, lw=0))


def _caption(dial: _Dial, answer: int) -> str:
    """Name the prime, its power if that is the period, and the answer if no mark shows it."""
    text = f"p = {_short(dial.prime)}"
    if dial.power > 1:
        text += f", period {format_factors(((dial.prime, dial.power),))}"
    return text if dial.period <= _LARGEST_LABELLED else f"{text}\n{_short(answer)}"


def _label_marks(axes: Axes, x: float, y: float, period: int, values: list[int]) -> None:
    """Write values around a circle, the first in bold; those too close to an earlier one not."""
    shown: list[float] = []
    for value in values:
        turn = value / period
        apart = [min((turn - other) % 1, (other - turn) % 1) for other in shown]
        if all(distance >= _MARKS_APART for distance in apart):
            dx, dy = math.sin(2 * math.pi * turn), math.cos(2 * math.pi * turn)
            axes.text(
                x + 1.25 * _RADIUS * dx,
                y + 1.22 * _RADIUS * dy,
                str(value),
                ha="center",
                va="center",
                fontsize=8.5,
                color=INK,
                fontweight="normal" if shown else "bold",
            )
            shown.append(turn)


def _tick(axes: Axes, x: float, y: float, turn: float, *, hand: bool) -> None:
    dx, dy = math.sin(2 * math.pi * turn), math.cos(2 * math.pi * turn)
    inner = 0.0 if hand else 0.86
    axes.plot(
        [x + inner * _RADIUS * dx, x + 1.06 * _RADIUS * dx],
        [y + inner * _RADIUS * dy, y + 1.06 * _RADIUS * dy],
        color=INK,
        lw=1.6 if hand else 1.0,
        solid_capstyle="round",
    )


def _draw_legend(axes: Axes, x: float, y: float, *, arcs: bool) -> None:
    answer = "answer, and where a and b overlap" if arcs else "(a + b) mod period"
    entries = [(COLOR_A, "a"), (COLOR_B, "b"), (COLOR_SUM, answer)]
    for color, text in entries:
        axes.add_patch(Rectangle((x, y - 0.14), 0.4, 0.28, color=color, lw=0))
        axes.text(x + 0.52, y, text, va="center", fontsize=9, color=INK)
        x += 0.95 + 0.125 * len(text)
    axes.add_patch(Rectangle((x, y - 0.14), 0.4, 0.28, fill=False, edgecolor=COLOR_ACTIVE, lw=2))
    axes.text(x + 0.52, y, "active: period divides N", va="center", fontsize=9, color=INK)


def _short(n: int) -> str:
    text = str(n).replace("-", "−")
    return text if len(text) <= 9 else f"{text[:4]}…{text[-3:]}"


def _signed(n: int) -> str:
    return f"({_short(n)})" if n < 0 else _short(n)


def _residue(a: int, n: int) -> str:
    return _short(a) if 0 <= a < n else f"{_short(a)} ≡ {_short(a % n)}"
