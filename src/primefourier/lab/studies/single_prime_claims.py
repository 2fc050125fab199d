"""The claims about experiment 1 and the control.

In experiment 1 a network trained modulo p relies on the row of p; in the control, where rows do not
belong to primes, every row matters.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import and_

from primefourier.lab.claims import (
    AT_LEAST_ZERO,
    Agreement,
    Cells,
    Claim,
    Evidence,
    Finding,
    count_agreeing,
    is_above,
    is_inside,
    judge_all,
)
from primefourier.lab.studies.drop_claims import (
    both_by_seed,
    combine,
    judge_below_floor,
    judge_lower_at_100,
    judge_range,
    other_drop,
    relevant_drop,
    write_drop,
)
from primefourier.lab.studies.experiment import PAPER_RANGES
from primefourier.lab.studies.paper import PAPER_SIZES, SinglePrime
from primefourier.lab.studies.paper_grids import modulus_of
from primefourier.lab.tables import write_spread

FAR_ABOVE = 3
COMPARABLE = 2
_FEW, _MANY = 8, 10
_RANGES = len(PAPER_RANGES)
_ALL = len(PAPER_SIZES) * _RANGES
_SMALL_CONFIGURATIONS = _RANGES * sum(size <= _FEW for size in PAPER_SIZES)
_LARGE_SIZES = sum(size >= _MANY for size in PAPER_SIZES)
_DIAGONAL_RANGES = ((0.60, 0.92), (0.54, 0.93), (0.82, 0.92))
"""Of the abstract, of the control section, and for many primes."""


def _far_above(cells: Cells) -> Finding:
    evidence, ratios = [], []
    for cell in cells["exp1"]:
        relevant, other = relevant_drop(cell), other_drop(cell)
        times = is_above(combine(cell, 1, -FAR_ABOVE), AT_LEAST_ZERO)
        above_other = is_above(combine(cell, 1, -1), cell.noise_floor)
        above_zero = is_above(relevant, cell.noise_floor)
        text = f"{write_drop(relevant)} against {write_drop(other)}"
        evidence.append(Evidence.of(cell, text, times & above_other & above_zero))
        ratios.append(relevant.mean / other.mean if other.mean > 0 else math.inf)
    worst = min(ratios, default=math.inf)
    least = f"smallest ratio {worst:.1f}" if worst < math.inf else "off-diagonal never above 0"
    measured = f"{count_agreeing(evidence)} of {len(evidence)} configurations; {least}"
    return judge_all(evidence, measured, _ALL)


def _diagonal_ranges(cells: Cells) -> Finding:
    evidence, inside = [], [0, 0, 0]
    drops = [relevant_drop(cell).mean for cell in cells["exp1"]]
    large = [relevant_drop(cell).mean for cell in cells["exp1"] if cell.row >= _MANY]
    for cell in cells["exp1"]:
        ranges = _DIAGONAL_RANGES if cell.row >= _MANY else _DIAGONAL_RANGES[:2]
        answers = [is_inside(relevant_drop(cell), *ends) for ends in ranges]
        for i, answer in enumerate(answers):
            inside[i] += answer.agrees is True
        text = write_drop(relevant_drop(cell))
        evidence.append(Evidence.of(cell, text, reduce(and_, answers)))
    measured = ""
    if drops:
        spread = write_spread(drops)
        measured = f"{spread}; {inside[0]} of {len(drops)} in 0.60–0.92, {inside[1]} in 0.54–0.93"
    if large:
        spread = write_spread(large)
        measured += f"; |P| ≥ 10: {spread}, {inside[2]} of {len(large)} in 0.82–0.92"
    return judge_all(evidence, measured, _ALL)


def _off_diagonal_small(cells: Cells) -> Finding:
    small = [cell for cell in cells["exp1"] if cell.row <= _FEW]
    return judge_below_floor(
        small, lambda share: "holds" if share > 0.5 else "does not hold", _SMALL_CONFIGURATIONS
    )


def _off_diagonal_large(cells: Cells) -> Finding:
    large = [cell for cell in cells["exp1"] if cell.row >= _MANY]
    return judge_range(large, other_drop, 0.03, 0.09, _LARGE_SIZES * _RANGES)


def _convergence(cells: Cells) -> Finding:
    threshold = SinglePrime.threshold
    evidence, models, converged, fallen = [], 0, 0, 0
    for cell in cells["exp1"]:
        by_seed: dict[int, list[float]] = {}
        for record in cell.records:
            if cell.column > modulus_of(record):
                accuracy = max(record.measured.accuracy_by_epoch)
                by_seed.setdefault(record.config.seed, []).append(accuracy)
                fallen += accuracy > threshold >= record.measured.accuracy
        best = [accuracy for group in by_seed.values() for accuracy in group]
        if best:
            good = sum(value > threshold for value in best)
            models, converged = models + len(best), converged + good
            text = f"{good} of {len(best)} models, lowest {min(best):.3f}"
            answers = {min(group) > threshold for group in by_seed.values()}
            settled = len(answers) == 1 if len(by_seed) > 1 else None
            evidence.append(Evidence.of(cell, text, Agreement(good == len(best), settled)))
    measured = f"{converged} of {models} models"
    if fallen:
        measured += f"; {fallen} of them fall back later and end below it"
    return judge_all(evidence, measured, _ALL)


def _small_range(cells: Cells) -> Finding:
    gaps: dict[str, dict[int, dict[int, float]]] = {}
    for cell in cells["exp1"]:
        if cell.row >= _MANY:
            gap = {seed: relevant - other for seed, (relevant, other) in both_by_seed(cell).items()}
            gaps.setdefault(f"|P| = {cell.row}", {})[cell.column] = gap
    return judge_lower_at_100(gaps, ranges=_RANGES, asked=_LARGE_SIZES, noun="sizes")


def _control_diagonal(cells: Cells) -> Finding:
    return judge_range(cells["control"], relevant_drop, 0.10, 0.55, _ALL)


def _control_off_diagonal(cells: Cells) -> Finding:
    evidence, inside, comparable = [], 0, 0
    for cell in cells["control"]:
        fits = is_inside(other_drop(cell), 0.14, 0.46)
        alike = is_above(combine(cell, COMPARABLE, -1), AT_LEAST_ZERO) & is_above(
            combine(cell, -1, COMPARABLE), AT_LEAST_ZERO
        )
        inside += fits.agrees is True
        comparable += alike.agrees is True
        text = f"{write_drop(other_drop(cell))}, diagonal {write_drop(relevant_drop(cell))}"
        evidence.append(Evidence.of(cell, text, fits & alike))
    measured = ""
    if evidence:
        spread = write_spread([other_drop(cell).mean for cell in cells["control"]])
        measured = (
            f"{spread}; {inside} of {len(evidence)} in range, {comparable} comparable to the "
            "diagonal"
        )
    return judge_all(evidence, measured, _ALL)


SINGLE_PRIME_CLAIMS = (
    Claim(
        "E1.1",
        "diagonal drop far above off-diagonal drop in all 35 configurations",
        "35 of 35",
        f"the diagonal drop is at least {FAR_ABOVE} times the off-diagonal one, and above both it "
        "and zero by more than the noise floor",
        _far_above,
    ),
    Claim(
        "E1.2",
        "diagonal drops lie in the paper's three ranges",
        "0.60–0.92 (abstract), 0.54–0.93 (control section), 0.82–0.92 at |P| ≥ 10",
        "a configuration agrees if its drop, to two decimals, is in every range that is about it",
        _diagonal_ranges,
    ),
    Claim(
        "E1.3",
        "off-diagonal drop below the noise floor in the majority of configurations with |P| ≤ 8",
        "more than half of 15",
        "|drop| is below the noise floor in more than half of them",
        _off_diagonal_small,
    ),
    Claim(
        "E1.4",
        "off-diagonal drops of 0.03–0.09 at |P| ≥ 10",
        "0.03–0.09",
        "the drop, to two decimals, is in the range",
        _off_diagonal_large,
    ),
    Claim(
        "E1.5",
        "convergence above 0.85 in every configuration once r exceeds the task prime",
        "all",
        "every model with r > p exceeds 0.85 test accuracy after some epoch",
        _convergence,
    ),
    Claim(
        "E1.6",
        "selectivity is lower at r = 100 with many primes",
        "lower",
        "for each |P| ≥ 10, diagonal less off-diagonal drop is lower at r = 100 than its mean over "
        "the larger ranges",
        _small_range,
    ),
)
CONTROL_CLAIMS = (
    Claim(
        "C.1",
        "control: diagonal drops of 0.10–0.55",
        "0.10–0.55",
        "the drop, to two decimals, is in the range",
        _control_diagonal,
    ),
    Claim(
        "C.2",
        "control: off-diagonal drops of 0.14–0.46, comparable to the diagonal ones",
        "0.14–0.46",
        "the drop, to two decimals, is in the range, and the diagonal one within a factor of "
        f"{COMPARABLE}",
        _control_off_diagonal,
    ),
)
