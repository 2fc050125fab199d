"""The claims about the control: without the tie of rows to primes every row matters."""

from __future__ import annotations

from primefourier.lab.claims.answer import AT_LEAST_ZERO, is_above, is_inside
from primefourier.lab.claims.claim import Claim, Evidence, Finding, judge_all, spread
from primefourier.lab.claims.drops import Cells, combine, judge_range, off, on, write_drop
from primefourier.lab.experiments import ShuffledControl

COMPARABLE = 2
_ALL = len(ShuffledControl().sizes) * len(ShuffledControl().ranges)


def _diagonal(cells: Cells) -> Finding:
    return judge_range(cells["control"], on, 0.10, 0.55, _ALL)


def _off_diagonal(cells: Cells) -> Finding:
    evidence, drops, inside, comparable = [], [], 0, 0
    for cell in cells["control"]:
        fits = is_inside(off(cell), 0.14, 0.46)
        alike = is_above(combine(cell, COMPARABLE, -1), AT_LEAST_ZERO) & is_above(
            combine(cell, -1, COMPARABLE), AT_LEAST_ZERO
        )
        drops.append(off(cell).mean)
        inside += fits.agrees is True
        comparable += alike.agrees is True
        text = f"{write_drop(off(cell))}, diagonal {write_drop(on(cell))}"
        evidence.append(Evidence(cell.name, text, *(fits & alike)))
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
