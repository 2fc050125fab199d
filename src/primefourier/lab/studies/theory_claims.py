"""The claims about the theorem, and about how sharp the specialisation is."""

from __future__ import annotations

import math
from functools import cache

from primefourier.encoding import PAPER_BASIS
from primefourier.lab.cells import Bounds
from primefourier.lab.claims import (
    Agreement,
    Cells,
    Claim,
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
    is_above,
)
from primefourier.lab.studies.drop_claims import combine
from primefourier.lab.studies.experiment import PAPER_RANGES
from primefourier.lab.studies.paper import PAPER_SIZES, CompositeModuli
from primefourier.theory import Check, check_theorem

_RATIO = 500
_ALL = len(PAPER_SIZES) * len(PAPER_RANGES) + sum(
    not config.degenerate for config in CompositeModuli().configs
)


def _block_diagonal(_cells: Cells) -> Finding:
    evidence = tuple(
        Evidence(check.statement, f"{check.measured:.3g}", check.holds)
        for check in _check_paper_basis()
        if check.relation is not None
    )
    good = count_agreeing(evidence)
    measured = f"{good} of {len(evidence)} checks on the paper's basis"
    verdict: Verdict = "holds" if good == len(evidence) else "does not hold"
    return Finding(verdict, measured, evidence, len(evidence))


@cache  # it depends on no record, and takes a second
def _check_paper_basis() -> tuple[Check, ...]:
    return check_theorem(PAPER_BASIS)


def _specialisation(cells: Cells) -> Finding:
    evidence = []
    for cell in [*cells["exp1"], *(c for c in cells["exp2"] if not c.degenerate)]:
        if (bounds := cell.bounds()) is None:
            continue
        settled = is_above(combine(cell, 1, -_RATIO), 0).settled
        agreement = Agreement(_exceeds(*bounds), settled)
        evidence.append(Evidence.of(cell, _write_ratio(*bounds), agreement))
    above, below = count_agreeing(evidence), sum(item.agrees is False for item in evidence)
    measured = ""
    if evidence:
        measured = f"above {_RATIO} in {above} of {len(evidence)} configurations, below in {below}"
        undecided = len(evidence) - above - below
        measured += f", undecided in {undecided}" * bool(undecided)
    return Finding(_judge(len(evidence), above, below), measured, tuple(evidence), _ALL)


def _exceeds(relevant: Bounds, other: Bounds) -> bool | None:
    """Return whether one drop exceeds 500 times the other; None if the bounds do not decide it."""
    if relevant.low > _RATIO * other.high:
        return True
    return False if relevant.high <= _RATIO * other.low else None


def _write_ratio(relevant: Bounds, other: Bounds) -> str:
    """Write the ratio of two drops with its bounds; a lower bound where the other may be 0.

    >>> _write_ratio(Bounds(0.8, 0.75, 0.85), Bounds(0.02, 0.01, 0.03))
    '40 [25, 85]'
    >>> _write_ratio(Bounds(0.8, 0.75, 0.85), Bounds(0.0, -0.0005, 0.0005))
    '> 1500'
    """
    if other.high <= 0:
        return "the other drop is not above 0"
    if other.low <= 0:
        return f"> {math.floor(max(0.0, relevant.low) / other.high)}"
    ends = (relevant.mean / other.mean, relevant.low / other.high, relevant.high / other.low)
    ratio, low, high = (f"{end:.0f}" if end >= 100 else f"{end:.3g}" for end in ends)
    return f"{ratio} [{low}, {high}]"


def _judge(total: int, above: int, below: int) -> Verdict:
    """Judge by the configurations that are decided."""
    if not total:
        return "not measured yet"
    if above:
        return "holds" if above == total else "holds in part"
    return "does not hold" if below else "cannot be told"


THEORY_CLAIMS = (
    Claim(
        "T.1",
        "every linear map that commutes with addition is block-diagonal, one block for each (p, d)",
        "proven",
        "every check of the theorem on the paper's basis holds",
        _block_diagonal,
    ),
    Claim(
        "T.2",
        "specialisation ratio (relevant over other drop) above 500 (an earlier abstract)",
        "> 500",
        "the relevant drop exceeds 500 times the other one anywhere within exact 95 % bounds on "
        "both, from the answers lost and gained by every row; undecided if only in part of them",
        _specialisation,
    ),
)
