"""The claims about experiment 2: a network trained modulo N relies on the rows of N's factors."""

from __future__ import annotations

import math

from primefourier.arithmetic.primes import factorize
from primefourier.lab.cells import Cell
from primefourier.lab.claims import (
    Cells,
    Claim,
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
    is_inside,
    judge_all,
)
from primefourier.lab.studies.drop_claims import (
    SMALLEST_RANGE,
    both_by_seed,
    judge_below_floor,
    judge_lower_at_100,
    judge_range,
    relevant_drop,
    write_drop,
)
from primefourier.lab.studies.experiment import PAPER_RANGES
from primefourier.lab.studies.paper import CompositeModuli
from primefourier.lab.studies.paper_grids import paper_places

_PLACES = [
    place
    for place, configs in paper_places(CompositeModuli.short_name).items()
    if not configs[0].degenerate
]
_SHARE = 0.77


def _three_factors(modulus: int) -> bool:
    return len(factorize(modulus)) == 3


def _judged(cells: Cells) -> list[Cell]:
    return [cell for cell in cells["exp2"] if not cell.degenerate]


def _nonfactor(cells: Cells) -> Finding:
    return judge_below_floor(_judged(cells), _judge_share, len(_PLACES), percent=True)


def _judge_share(share: float) -> Verdict:
    if round(share, 2) >= _SHARE:
        return "holds"
    return "holds in part" if share > 0.5 else "does not hold"


def _factor(cells: Cells) -> Finding:
    return judge_range(_judged(cells), relevant_drop, 0.29, 0.88, len(_PLACES))


def _accuracy(cells: Cells) -> Finding:
    found = [cell for cell in _judged(cells) if cell.column >= 500]
    evidence = [
        Evidence.of(cell, write_drop(cell.accuracy, 4), is_inside(cell.accuracy, 1.0, math.inf))
        for cell in found
    ]
    lowest = min((cell.accuracy.mean for cell in found), default=math.nan)
    measured = f"{count_agreeing(evidence)} of {len(found)} at 1.00; lowest {lowest:.4f}"
    asked = sum(input_range >= 500 for _, input_range in _PLACES)
    return judge_all(evidence, measured, asked)


def _small_range(cells: Cells) -> Finding:
    drops: dict[str, dict[int, dict[int, float]]] = {}
    for cell in _judged(cells):
        if _three_factors(cell.row):
            drops.setdefault(f"N = {cell.row}", {})[cell.column] = {
                seed: relevant for seed, (relevant, _) in both_by_seed(cell).items()
            }
    asked = sum(
        input_range == SMALLEST_RANGE and _three_factors(modulus)
        for modulus, input_range in _PLACES
    )
    return judge_lower_at_100(drops, ranges=len(PAPER_RANGES), asked=asked, noun="moduli")


COMPOSITE_CLAIMS = (
    Claim(
        "E2.1",
        "nonfactor drop below the noise floor in 77 % of the 48 configurations",
        "77 %: 37 of 48",
        "|drop| is below the noise floor in at least 77 % of them; in part if in more than half",
        _nonfactor,
    ),
    Claim(
        "E2.2",
        "factor drops of 0.29–0.88",
        "0.29–0.88",
        "the drop, to two decimals, is in the range",
        _factor,
    ),
    Claim(
        "E2.3",
        "test accuracy 1.00 in every non-degenerate configuration at r ≥ 500",
        "1.00",
        "the accuracy, to two decimals, is 1.00",
        _accuracy,
    ),
    Claim(
        "E2.4",
        "three-factor moduli: factor drops lower at r = 100",
        "lower",
        "for each such N that is not degenerate at r = 100, the factor drop there is lower than "
        "its mean over the larger ranges",
        _small_range,
    ),
)
