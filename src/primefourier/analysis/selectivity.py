"""Selectivity: how much more a network needs the relevant rows than the others."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True)
class Ratio:
    """How many times larger the drop of relevant rows is, or a number it certainly exceeds.

    Attributes:
        value: The ratio or its bound.
        is_lower_bound: Whether the value only bounds the ratio from below.

    >>> str(Ratio(12.34, is_lower_bound=False)), str(Ratio(78.6, is_lower_bound=True))
    ('12.3', '> 78')
    """

    value: float
    is_lower_bound: bool

    def __str__(self) -> str:
        if not self.is_lower_bound:
            return f"{self.value:.0f}" if abs(self.value) >= 100 else f"{self.value:.3g}"
        if self.value >= 10:  # bounds are rounded down, to stay bounds
            return f"> {math.floor(self.value)}"
        return f"> {math.floor(self.value * 10) / 10}"


@dataclass(frozen=True)
class Selectivity:
    """The mean drops of the relevant rows and of all others.

    The paper's diagonal and off-diagonal drop (experiment 1, where the task prime alone is
    relevant), and its factor and nonfactor drop (experiment 2).

    Attributes:
        on: The mean drop of the relevant rows.
        off: The mean drop of the other rows; None if there are none.
    """

    on: float
    off: float | None

    def ratio(self, floor: float) -> Ratio | None:
        """Return :func:`specialisation_ratio` of the two drops.

        >>> str(Selectivity(on=0.86, off=0.002).ratio(floor=0.011))
        '> 78'
        """
        return specialisation_ratio(self.on, self.off, floor)


def selectivity(drops: Mapping[Row, float], relevant: Collection[Row]) -> Selectivity:
    """Average the drops of the relevant rows, and those of the other rows.

    Args:
        drops: For every row its drop. Rows are named by their primes; any other kind of group does
            as well, such as the (p, d) channels that :func:`primefourier.plan` speaks of.
        relevant: The rows that the theory says matter: the primes that divide the modulus.

    Returns:
        Both means; without other rows, as when every prime divides the modulus, ``off`` is None.

    >>> selectivity({3: 0.75, 5: 0.25, 7: 0.0, 11: 0.125}, relevant=(3, 5))
    Selectivity(on=0.5, off=0.0625)
    >>> selectivity({3: 0.75, 5: 0.25}, relevant=(3, 5)).off is None
    True
    """
    missing = [row for row in relevant if row not in drops]
    if missing or not relevant:
        got = f"{missing[0]!r} without one" if missing else "none"
        raise ValueError(
            f"relevant must name at least one row, and only rows that have a drop, got {got}; the "
            f"rows are {list(drops)}"
        )
    for row, drop in drops.items():
        if not math.isfinite(drop):
            raise ValueError(f"drops must be finite, got {drop} for row {row!r}")
    on = [drop for row, drop in drops.items() if row in relevant]
    off = [drop for row, drop in drops.items() if row not in relevant]
    return Selectivity(math.fsum(on) / len(on), math.fsum(off) / len(off) if off else None)


def specialisation_ratio(on: float, off: float | None, floor: float) -> Ratio | None:
    """Return on / off, or what can be said about it where off cannot be told from zero.

    Dividing by a drop below the noise floor gives any number, so there the ratio is only bounded:
    off < floor, and therefore on / off > on / floor. A drop of -floor or less is no noise: the
    ratio is then on / off like any other, and negative.

    Args:
        on: The mean drop of the relevant rows.
        off: The mean drop of the other rows; None if there are none.
        floor: The noise floor of the drops, see :func:`noise_floor`.

    Returns:
        The ratio or its lower bound. None where nothing can be said: without other rows, or if off
        is below the floor and on is negative, which no multiple bounds.

    >>> specialisation_ratio(0.5, 0.25, floor=0.125)
    Ratio(value=2.0, is_lower_bound=False)
    >>> specialisation_ratio(0.5, -0.001, floor=0.125)
    Ratio(value=4.0, is_lower_bound=True)
    """
    if not 0 < floor < math.inf:
        raise ValueError(f"floor must be positive and finite, got {floor}; use noise_floor(n)")
    if off is None:
        return None
    if not (math.isfinite(on) and math.isfinite(off)):
        raise ValueError(f"drops must be finite, got on = {on} and off = {off}")
    if abs(off) >= floor:
        return Ratio(on / off, is_lower_bound=False)
    return Ratio(on / floor, is_lower_bound=True) if on >= 0 else None
