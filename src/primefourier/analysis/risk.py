"""How often published networks used a circle that N does not need, by their nearest alias."""

from __future__ import annotations

import math
from dataclasses import dataclass

from primefourier.encoding import Plan
from primefourier.encoding.aliases import find_aliases

USES = (
    (0.1, 34, 39),
    (0.2, 25, 32),
    (0.4, 20, 50),
    (0.7, 11, 56),
    (1.0, 5, 30),
    (2.0, 7, 87),
    (4.0, 1, 106),
    (math.inf, 0, 550),
)
"""For a drift of the nearest alias up to each number: networks that used a circle they did not
need, and all networks, among those of paper/results whose rows include every factor of N."""


@dataclass(frozen=True)
class PublishedRisk:
    """How many published networks with so near an alias used a circle without need."""

    used: int
    networks: int  # all whose nearest alias drifts by as much
    low: float  # the smallest of these drifts, in turns
    high: float

    @property
    def share(self) -> float:
        """The share of networks that used such a circle."""
        return self.used / self.networks

    def explain(self) -> str:
        """Describe the risk in a sentence."""
        near = f"{self.low:g} to {self.high:g} turns"
        if self.high == math.inf:
            near = f"more than {self.low:g} turns"
        return (
            f"Risk: of {self.networks} published networks whose nearest alias drifts by {near}, "
            f"{self.used} used a circle that N does not need."
        )


def published_risk(plan: Plan) -> PublishedRisk | None:
    """Look up how many published networks with so near an alias used a circle without need.

    The networks are those of the paper's experiments, measured here. There is no count (None) if
    the plan has no input range, if no sum wraps around, if every circle is needed, or if the basis
    lacks a factor of N, since all published networks have them.

    >>> from primefourier import PrimeBasis, plan
    >>> basis = PrimeBasis((3, 5, 7, 11, 13, 17, 19, 23), depth=6)
    >>> [round(published_risk(plan(n, basis, input_range=500)).share, 2) for n in (15, 77, 231)]
    [0.01, 0.4, 0.87]
    """
    r = plan.input_range
    if r is None or not plan.complete or plan.degenerate(r):
        return None
    found = find_aliases(plan.modulus, plan.basis, input_range=r)
    if not found:
        return None
    lows = (0.0, *(high for high, _, _ in USES[:-1]))
    pairs = zip(lows, USES, strict=True)
    risks = (PublishedRisk(used, networks, low, high) for low, (high, used, networks) in pairs)
    return next(risk for risk in risks if found[0].drift <= risk.high)
