"""Specialisation: how much more a network needs the relevant rows than the other rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from primefourier._checks import require_number
from primefourier.arithmetic.integers import describe

Row = TypeVar("Row")


@dataclass(frozen=True)
class Ratio:
    """The drop of the relevant rows divided by the drop of the other rows, or a lower bound on it.

    >>> str(Ratio(12.34, is_lower_bound=False)), str(Ratio(78.6, is_lower_bound=True))
    ('12.3', '> 78')
    """

    value: float
    is_lower_bound: bool

    def __str__(self) -> str:
        if not self.is_lower_bound:
            return f"{self.value:.0f}" if abs(self.value) >= 100 else f"{self.value:.3g}"
        if self.value >= 10:  # a rounded bound must not exceed the bound
            return f"> {math.floor(self.value)}"
        return f"> {math.floor(self.value * 10) / 10}"


@dataclass(frozen=True)
class Selectivity:
    """The mean drops of the relevant rows and of the other rows; None without other rows.

    The paper calls them diagonal and off-diagonal drop (experiment 1, where the task prime is the
    only relevant row), and factor and nonfactor drop (experiment 2).
    """

    relevant: float
    other: float | None

    def ratio(self, floor: float) -> Ratio | None:
        """Return the :func:`specialisation_ratio` of the two drops.

        >>> str(Selectivity(relevant=0.86, other=0.002).ratio(floor=0.011))
        '> 78'
        """
        return specialisation_ratio(self.relevant, self.other, floor)


def selectivity(drops: Mapping[Row, float], relevant: Collection[Row]) -> Selectivity:
    """Average the drops of the relevant rows, and the drops of the other rows.

    Rows are named by their primes; other groups work as well, for example the (p, d) channels of
    :func:`primefourier.plan`. Relevant in theory are the primes that divide the modulus.

    >>> selectivity({3: 0.75, 5: 0.25, 7: 0.0, 11: 0.125}, relevant=(3, 5))
    Selectivity(relevant=0.5, other=0.0625)
    >>> selectivity({3: 0.75, 5: 0.25}, relevant=(3, 5)).other is None
    True
    """
    if not isinstance(drops, Mapping) or not isinstance(relevant, Collection):
        raise TypeError(
            "drops must be a mapping from rows to numbers, and relevant a collection of rows, got "
            f"{describe(drops)}, and {describe(relevant)}"
        )
    missing = [row for row in relevant if row not in drops]
    if missing or not relevant:
        got = f"{missing[0]!r} without a drop" if missing else "none"
        raise ValueError(
            f"relevant must name at least one row, and only rows with a drop, got {got}; the rows "
            f"are {list(drops)}"
        )
    for row, drop in drops.items():
        require_number(drop, f"the drop of row {row!r}")
        if not math.isfinite(drop):
            raise ValueError(f"drops must be finite, got {drop} for row {row!r}")
    inside = [drop for row, drop in drops.items() if row in relevant]
    outside = [drop for row, drop in drops.items() if row not in relevant]
    return Selectivity(
        math.fsum(inside) / len(inside), math.fsum(outside) / len(outside) if outside else None
    )


def specialisation_ratio(relevant: float, other: float | None, floor: float) -> Ratio | None:
    """Return relevant / other, or a lower bound if ``other`` is indistinguishable from zero.

    A quotient by a drop below the noise floor is arbitrary. In this case other < floor, so
    relevant / other > relevant / floor is a lower bound. A drop of -floor or less is no noise: the
    ratio is then relevant / other, and negative. There is none without other rows, and none if
    ``other`` is below the floor and ``relevant`` is negative, because no bound follows.

    >>> specialisation_ratio(0.5, 0.25, floor=0.125)
    Ratio(value=2.0, is_lower_bound=False)
    >>> specialisation_ratio(0.5, -0.001, floor=0.125)
    Ratio(value=4.0, is_lower_bound=True)
    """
    require_number(floor, "floor")
    require_number(relevant, "relevant")
    if other is not None:
        require_number(other, "other")
    if not 0 < floor < math.inf:
        raise ValueError(f"floor must be positive and finite, got {floor}; use noise_floor(n)")
    if other is None:
        return None
    if not (math.isfinite(relevant) and math.isfinite(other)):
        raise ValueError(f"drops must be finite, got relevant = {relevant} and other = {other}")
    if abs(other) >= floor:
        return Ratio(relevant / other, is_lower_bound=False)
    return Ratio(relevant / floor, is_lower_bound=True) if relevant >= 0 else None
