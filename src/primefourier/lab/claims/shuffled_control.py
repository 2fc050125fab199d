"""The claims about the control: without the tie of rows to primes every row matters."""

from __future__ import annotations

from primefourier.lab.claims.claim import (
    Claim,
    Evidence,
    Finding,
    count_agreeing,
    in_range,
    judge_all,
    spread,
)
from primefourier.lab.claims.single_prime import Cells, both, known
from primefourier.lab.experiments import ShuffledControl

COMPARABLE = 2
_ALL = len(ShuffledControl().sizes) * len(ShuffledControl().ranges)


def _diagonal(cells: Cells) -> Finding:
    drops = [(cell.name, known(cell.on).mean) for cell in cells["control"]]
    evidence = [Evidence(name, f"{drop:.3f}", in_range(drop, 0.10, 0.55)) for name, drop in drops]
    inside = count_agreeing(evidence)
    measured = f"{spread([d for _, d in drops])}; {inside} of {len(drops)} in it" if drops else ""
    return Finding(judge_all(evidence), measured, tuple(evidence), _ALL)


def _off_diagonal(cells: Cells) -> Finding:
    evidence, drops, inside, comparable = [], [], 0, 0
    for cell in cells["control"]:
        on, off = both(cell)
        fits = in_range(off, 0.14, 0.46)
        alike = off > 0 and 1 / COMPARABLE <= on / off <= COMPARABLE
        drops.append(off)
        inside += fits
        comparable += alike
        evidence.append(Evidence(cell.name, f"{off:.3f}, diagonal {on:.3f}", fits and alike))
    measured = ""
    if drops:
        measured = (
            f"{spread(drops)}; {inside} of {len(drops)} in it, {comparable} comparable to the "
            "diagonal"
        )
    return Finding(judge_all(evidence), measured, tuple(evidence), _ALL)


CONTROL_CLAIMS = (
    Claim(
        "C.1",
        "control: diagonal drops of 0.10–0.55",
        "0.10–0.55",
        "the drop, to two decimals, is in the range",
        _diagonal,
    ),
    Claim(
        "C.2",
        "control: off-diagonal drops of 0.14–0.46, comparable to the diagonal ones",
        "0.14–0.46",
        "the drop, to two decimals, is in the range, and the diagonal one within a factor of "
        f"{COMPARABLE}",
        _off_diagonal,
    ),
)
