"""The claims about experiment 2: a network trained modulo N relies on the rows of N's factors."""

from __future__ import annotations

import statistics

from primefourier.arithmetic.primes import factorize
from primefourier.lab.claims.claim import (
    Claim,
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
    in_range,
    judge_all,
    spread,
)
from primefourier.lab.claims.single_prime import Cells, known
from primefourier.lab.experiments import CompositeModuli
from primefourier.lab.results import Cell

_CONFIGS = [config for config in CompositeModuli().configs() if not config.degenerate]
_RANGES = len(CompositeModuli().ranges)
_SHARE = 0.77


def _three_factors(modulus: int) -> bool:
    return len(factorize(modulus)) == 3


def _judged(cells: Cells) -> list[Cell]:
    return [cell for cell in cells["exp2"] if not cell.degenerate]


def _nonfactor(cells: Cells) -> Finding:
    evidence = [
        Evidence(
            cell.name,
            f"{known(cell.off).mean:.4f}, floor {cell.noise_floor:.4f}",
            abs(known(cell.off).mean) < cell.noise_floor,
        )
        for cell in _judged(cells)
    ]
    if not evidence:
        return Finding("not measured yet", "", (), len(_CONFIGS))
    below = count_agreeing(evidence)
    share = below / len(evidence)
    verdict: Verdict = "does not hold"
    if round(share, 2) >= _SHARE:
        verdict = "holds"
    elif share > 0.5:
        verdict = "holds in part"
    measured = f"{share:.0%}: {below} of {len(evidence)}"
    return Finding(verdict, measured, tuple(evidence), len(_CONFIGS))


def _factor(cells: Cells) -> Finding:
    drops = [(cell.name, known(cell.on).mean) for cell in _judged(cells)]
    evidence = [Evidence(name, f"{drop:.3f}", in_range(drop, 0.29, 0.88)) for name, drop in drops]
    inside = count_agreeing(evidence)
    measured = f"{spread([d for _, d in drops])}; {inside} of {len(drops)} in it" if drops else ""
    return Finding(judge_all(evidence), measured, tuple(evidence), len(_CONFIGS))


def _accuracy(cells: Cells) -> Finding:
    found = [(c.name, c.accuracy.mean) for c in _judged(cells) if c.input_range >= 500]
    evidence = [Evidence(name, f"{value:.4f}", round(value, 2) == 1.0) for name, value in found]
    perfect = count_agreeing(evidence)
    measured = ""
    if found:
        lowest = min(value for _, value in found)
        measured = f"{perfect} of {len(found)} at 1.00; lowest {lowest:.4f}"
    asked = sum(config.input_range >= 500 for config in _CONFIGS)
    return Finding(judge_all(evidence), measured, tuple(evidence), asked)


def _small_range(cells: Cells) -> Finding:
    evidence, unfinished = [], 0
    for modulus in sorted({cell.row for cell in _judged(cells) if _three_factors(cell.row)}):
        drops = {c.input_range: known(c.on).mean for c in _judged(cells) if c.row == modulus}
        others = [drop for input_range, drop in drops.items() if input_range > 100]
        if 100 in drops and others:
            unfinished += len(drops) < _RANGES
            mean = statistics.mean(others)
            text = f"{drops[100]:.3f} at r = 100, {mean:.3f} beyond"
            evidence.append(Evidence(f"N = {modulus}", text, drops[100] < mean))
    lower = count_agreeing(evidence)
    measured = f"lower at r = 100 for {lower} of {len(evidence)} moduli" if evidence else ""
    asked = sum(c.input_range == 100 and _three_factors(c.modulus) for c in _CONFIGS)
    return Finding(judge_all(evidence), measured, tuple(evidence), asked, unfinished)


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
