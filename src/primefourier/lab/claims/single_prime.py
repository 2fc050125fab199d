"""The claims about experiment 1: a network trained modulo p relies on the row of p."""

from __future__ import annotations

import math
from functools import reduce
from operator import and_

from primefourier.lab.claims.answer import AT_LEAST_ZERO, is_above, is_inside
from primefourier.lab.claims.claim import (
    Claim,
    Evidence,
    Finding,
    count_agreeing,
    judge_all,
    spread,
)
from primefourier.lab.claims.drops import (
    Cells,
    both_by_seed,
    combine,
    judge_below_floor,
    judge_lower_at_100,
    judge_range,
    off,
    on,
    write_drop,
)
from primefourier.lab.experiments import EXPERIMENTS, SinglePrime

FAR_ABOVE = 3
_FEW, _MANY = 8, 10
_RANGES = len(SinglePrime().ranges)
_SIZES = SinglePrime().sizes
_ALL = len(_SIZES) * _RANGES
_SMALL_CONFIGURATIONS = _RANGES * sum(size <= _FEW for size in _SIZES)
_LARGE_SIZES = sum(size >= _MANY for size in _SIZES)
_DIAGONAL_RANGES = ((0.60, 0.92), (0.54, 0.93), (0.82, 0.92))
"""Of the abstract, of the control section, and for many primes."""


def _far_above(cells: Cells) -> Finding:
    evidence, ratios = [], []
    for cell in cells["exp1"]:
        own, other = on(cell).mean, off(cell).mean
        times = is_above(combine(cell, 1, -FAR_ABOVE), AT_LEAST_ZERO)
        above_other = is_above(combine(cell, 1, -1), cell.noise_floor)
        above_zero = is_above(on(cell), cell.noise_floor)
        text = f"{write_drop(on(cell))} against {write_drop(off(cell))}"
        evidence.append(Evidence(cell.name, text, *(times & above_other & above_zero)))
        ratios.append(own / other if other > 0 else math.inf)
    measured = ""
    if evidence:
        worst = min(ratios)
        least = f"smallest ratio {worst:.1f}" if worst < math.inf else "off-diagonal never above 0"
        measured = f"{count_agreeing(evidence)} of {len(evidence)} configurations; {least}"
    return Finding(judge_all(evidence), measured, tuple(evidence), _ALL)


def _diagonal_ranges(cells: Cells) -> Finding:
    evidence, inside = [], [0, 0, 0]
    drops = [on(cell).mean for cell in cells["exp1"]]
    large = [on(cell).mean for cell in cells["exp1"] if cell.row >= _MANY]
    for cell in cells["exp1"]:
        ranges = _DIAGONAL_RANGES if cell.row >= _MANY else _DIAGONAL_RANGES[:2]
        answers = [is_inside(on(cell), *ends) for ends in ranges]
        for i, answer in enumerate(answers):
            inside[i] += answer.agrees is True
        evidence.append(Evidence(cell.name, write_drop(on(cell)), *reduce(and_, answers)))
    measured = ""
    if drops:
        measured = (
            f"{spread(drops)}; {inside[0]} of {len(drops)} in 0.60–0.92, {inside[1]} in 0.54–0.93"
        )
    if large:
        measured += f"; |P| ≥ 10: {spread(large)}, {inside[2]} of {len(large)} in 0.82–0.92"
    return Finding(judge_all(evidence), measured, tuple(evidence), _ALL)


def _off_diagonal_small(cells: Cells) -> Finding:
    small = [cell for cell in cells["exp1"] if cell.row <= _FEW]
    return judge_below_floor(
        small, lambda share: "holds" if share > 0.5 else "does not hold", _SMALL_CONFIGURATIONS
    )


def _off_diagonal_large(cells: Cells) -> Finding:
    large = [cell for cell in cells["exp1"] if cell.row >= _MANY]
    return judge_range(large, off, 0.03, 0.09, _LARGE_SIZES * _RANGES)


def _convergence(cells: Cells) -> Finding:
    threshold = EXPERIMENTS["exp1"].threshold
    evidence, models, converged, fallen = [], 0, 0, 0
    for cell in cells["exp1"]:
        by_seed: dict[int, list[float]] = {}
        for record in cell.records:
            if record.config.input_range > record.config.modulus:
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
            evidence.append(Evidence(cell.name, text, good == len(best), settled))
    measured = f"{converged} of {models} models" if evidence else ""
    if fallen:
        measured += f"; {fallen} of them fall back later and end below it"
    return Finding(judge_all(evidence), measured, tuple(evidence), _ALL)


def _small_range(cells: Cells) -> Finding:
    gaps: dict[str, dict[int, dict[int, float]]] = {}
    for cell in cells["exp1"]:
        if cell.row >= _MANY:
            gap = {seed: own - other for seed, (own, other) in both_by_seed(cell).items()}
            gaps.setdefault(f"|P| = {cell.row}", {})[cell.input_range] = gap
    return judge_lower_at_100(gaps, ranges=_RANGES, asked=_LARGE_SIZES, noun="sizes")


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
