"""The claims about the theorem, and about how sharp the specialisation is."""

from __future__ import annotations

from functools import cache

from primefourier.encoding import PAPER_BASIS
from primefourier.lab.claims.answer import Answer, is_above
from primefourier.lab.claims.claim import (
    Claim,
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
)
from primefourier.lab.claims.drops import Cells, combine
from primefourier.lab.experiments import CompositeModuli, SinglePrime
from primefourier.theory import Check, check_theorem

_RATIO = 500
_ALL = len(SinglePrime().sizes) * len(SinglePrime().ranges) + sum(
    not config.degenerate for config in CompositeModuli().configs()
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


@cache  # no record enters, and it takes a second
def _check_paper_basis() -> tuple[Check, ...]:
    return check_theorem(PAPER_BASIS)


def _specialisation(cells: Cells) -> Finding:
    evidence, told, undecided = [], [], 0
    for cell in [*cells["exp1"], *(c for c in cells["exp2"] if not c.degenerate)]:
        if (ratio := cell.ratio) is None:
            continue
        answer = is_above(combine(cell, 1, -_RATIO), 0)
        if ratio.is_lower_bound and ratio.value <= _RATIO:
            answer = Answer(None, None if answer.settled is None else False)
        evidence.append(Evidence(cell.name, str(ratio), *answer))
        if ratio.is_lower_bound:
            undecided += 1
        else:
            told.append(ratio.value)
    measured = ""
    if evidence:
        sure = count_agreeing(evidence)
        measured = f"above {_RATIO} in {sure} of {len(evidence)} configurations"
        if told:
            ends = dict.fromkeys([f"{min(told):.1f}", f"{max(told):.1f}"])
            measured += f"; {'–'.join(ends)} in {len(told)}"
        if undecided:
            measured += (
                f"; {undecided} have an off drop below the noise floor, which only bounds it"
            )
    return Finding(_judge(evidence, len(told)), measured, tuple(evidence), _ALL)


def _judge(evidence: list[Evidence], told: int) -> Verdict:
    """Judge only by what can be told: a bound below 500 neither confirms nor refutes."""
    above = count_agreeing(evidence)
    if above == len(evidence) > 0:
        return "holds"
    if above:
        return "holds in part"
    if told:
        return "does not hold"
    return "cannot be told" if evidence else "not measured yet"


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
        "the ratio, or its lower bound where the other drop is below the noise floor, exceeds 500",
        _specialisation,
    ),
)
