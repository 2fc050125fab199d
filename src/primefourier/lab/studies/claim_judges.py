"""How the paper's claims are judged: each function takes measured cells, and returns a finding.

``asked`` is how many configurations a claim is about. Cells are those of the paper's
configurations, so they have relevant and other rows.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np

from primefourier.analysis import Interval, mean_interval
from primefourier.analysis.statistics import paired_p_values
from primefourier.lab.cells import Bounds, Cell
from primefourier.lab.claims import (
    AT_LEAST_ZERO,
    Agreement,
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
    is_above,
    is_inside,
    judge_all,
)
from primefourier.lab.studies.experiment import PAPER_RANGES
from primefourier.lab.studies.paper import SinglePrime
from primefourier.lab.studies.paper_grids import modulus_of
from primefourier.lab.tables import write_interval, write_spread

SMALLEST_RANGE = 100
FAR_ABOVE = 3
COMPARABLE = 2
MANY = 10
_RATIO = 500


def relevant_drop(cell: Cell) -> Interval:
    """Return the drop of the relevant rows."""
    return _combine(cell, 1, 0)


def other_drop(cell: Cell) -> Interval:
    """Return the drop of the other rows."""
    return _combine(cell, 0, 1)


def _combine(cell: Cell, relevant: float, other: float) -> Interval:
    """Return a linear combination of both drops, computed seed by seed.

    Its interval is narrower than the intervals of the two drops suggest, since both are of the same
    networks.
    """
    return mean_interval(list(_by_seed(cell, relevant, other).values()))


def _by_seed(cell: Cell, relevant: float, other: float) -> dict[int, float]:
    return {
        seed: relevant * a + other * b
        for seed, (a, b) in cell.by_seed.items()
        if a is not None and b is not None
    }


def _write(drop: Interval, digits: int = 3) -> str:
    return write_interval(drop, digits, seeds=True)


def in_range(
    cells: Sequence[Cell], asked: int, *, read: Callable[[Cell], Interval], low: float, high: float
) -> Finding:
    """Judge whether the drop of every configuration lies in a range."""
    drops = [read(cell) for cell in cells]
    evidence = [
        Evidence.of(cell, _write(drop), is_inside(drop, low, high))
        for cell, drop in zip(cells, drops, strict=True)
    ]
    measured = ""
    if drops:
        spread = write_spread([drop.mean for drop in drops])
        measured = f"{spread}; {count_agreeing(evidence)} of {len(evidence)} in range"
        measured += _write_failed(cells)
    return judge_all(evidence, measured, asked)


def in_diagonal_ranges(cells: Sequence[Cell], asked: int) -> Finding:
    """Judge whether diagonal drops lie in all three ranges that the paper gives."""
    evidence, drops, large, inside = [], [], [], [0, 0, 0]
    for cell in cells:
        drop = relevant_drop(cell)
        drops.append(drop.mean)
        ranges = [(0.60, 0.92), (0.54, 0.93)]
        if cell.row >= MANY:
            large.append(drop.mean)
            ranges.append((0.82, 0.92))
        answers = [is_inside(drop, *ends) for ends in ranges]
        for i, answer in enumerate(answers):
            inside[i] += answer.agrees is True
        evidence.append(Evidence.of(cell, _write(drop), reduce(and_, answers)))
    measured = ""
    if drops:
        spread = write_spread(drops)
        measured = f"{spread}; {inside[0]} of {len(drops)} in 0.60–0.92, {inside[1]} in 0.54–0.93"
    if large:
        spread = write_spread(large)
        measured += f"; |P| ≥ 10: {spread}, {inside[2]} of {len(large)} in 0.82–0.92"
    measured += _write_failed(cells)
    return judge_all(evidence, measured, asked)


def _write_sensitivity(
    ratios: Sequence[float], bounds: Sequence[float], agrees: Callable[[float, float], bool]
) -> str:
    """Write how many configurations would agree if our own threshold were another."""
    counts = (
        f"{sum(agrees(ratio, times) for ratio in ratios)} at {times:g} times" for times in bounds
    )
    return ", ".join(counts)


def _write_failed(cells: Sequence[Cell]) -> str:
    """Write how many networks end below the threshold of convergence, if any do."""
    records = [record for cell in cells for record in cell.records]
    failed = sum(record.measured.accuracy <= SinglePrime.threshold for record in records)
    if not failed:
        return ""
    return f"; {failed} of {len(records)} networks end at an accuracy of 0.85 or less"


def far_above(cells: Sequence[Cell], asked: int) -> Finding:
    """Judge whether relevant drops are far above other ones, and both above noise."""
    evidence, ratios = [], []
    for cell in cells:
        relevant, other = relevant_drop(cell), other_drop(cell)
        times = is_above(_combine(cell, 1, -FAR_ABOVE), AT_LEAST_ZERO)
        above_other = is_above(_combine(cell, 1, -1), cell.noise_floor)
        above_zero = is_above(relevant, cell.noise_floor)
        text = f"{_write(relevant)} against {_write(other)}"
        evidence.append(Evidence.of(cell, text, times & above_other & above_zero))
        ratios.append(relevant.mean / other.mean if other.mean > 0 else math.inf)
    worst = min(ratios, default=math.inf)
    others = _write_sensitivity(ratios, (2, 5, 10), lambda ratio, times: ratio >= times)
    least = f"smallest ratio {worst:.1f}" if worst < math.inf else "off-diagonal never above 0"
    measured = f"{count_agreeing(evidence)} of {len(evidence)} configurations; {least}; {others}"
    return judge_all(evidence, f"{measured}{_write_failed(cells)}", asked)


def comparable(cells: Sequence[Cell], asked: int) -> Finding:
    """Judge whether the control's off-diagonal drops are in range and like the diagonal ones."""
    evidence, drops, ratios, inside, comparable = [], [], [], 0, 0
    for cell in cells:
        drop = other_drop(cell)
        fits = is_inside(drop, 0.14, 0.46)
        alike = is_above(_combine(cell, COMPARABLE, -1), AT_LEAST_ZERO) & is_above(
            _combine(cell, -1, COMPARABLE), AT_LEAST_ZERO
        )
        drops.append(drop.mean)
        ratios.append(relevant_drop(cell).mean / drop.mean if drop.mean > 0 else math.inf)
        inside += fits.agrees is True
        comparable += alike.agrees is True
        text = f"{_write(drop)}, diagonal {_write(relevant_drop(cell))}"
        evidence.append(Evidence.of(cell, text, fits & alike))
    measured = ""
    if drops:
        counts = f"{inside} of {len(drops)} in range, {comparable} comparable to the diagonal"
        others = _write_sensitivity(
            ratios, (1.5, 3), lambda ratio, times: 1 / times <= ratio <= times
        )
        measured = f"{write_spread(drops)}; {counts}; {others}{_write_failed(cells)}"
    return judge_all(evidence, measured, asked)


def seeds_below_floor(cells: Sequence[Cell]) -> dict[int, int]:
    """Count, for each seed of all cells, those where the drop of the other rows is noise."""
    seeds = sorted(set.intersection(*(set(cell.seeds) for cell in cells))) if cells else ()
    drops = [(_by_seed(cell, 0, 1), cell.noise_floor) for cell in cells]
    return {seed: sum(abs(drop[seed]) < floor for drop, floor in drops) for seed in seeds}


def below_floor(cells: Sequence[Cell], asked: int, *, least: float) -> Finding:
    """Judge in how many configurations the drop of the other rows is below the noise floor.

    The floor is that of one network, so each seed is judged alone: the claim holds with a seed if
    more than half of the configurations, and the share ``least`` to two decimals, are below it.
    """
    if not cells:
        return judge_all([], "", asked)
    counts = seeds_below_floor(cells)
    evidence = []
    for cell in cells:
        good, count = sum(seeds_below_floor([cell]).values()), len(cell.seeds)
        text = f"{_write(other_drop(cell), 4)}, floor {cell.noise_floor:.4f}"
        text += f"; below it with {good} of {count} seeds" * (count > 1)
        settled = good in (0, count) if count > 1 else None
        evidence.append(Evidence.of(cell, text, Agreement(2 * good > count, settled)))
    total = len(cells)
    by_seed = [n / total > 0.5 and round(n / total, 2) >= least for n in counts.values()]
    verdict: Verdict = "holds in part" if any(by_seed) else "does not hold"
    if all(by_seed) and by_seed:
        verdict = "holds"
    shares = ", ".join(f"{n}" for n in counts.values())
    measured = f"{shares} of {total} below the noise floor{', seed by seed' * (len(counts) > 1)}"
    measured += f"; {_write_paired(cells)}"
    return Finding(verdict, measured, tuple(evidence), asked, by_seed=tuple(by_seed))


def _write_paired(cells: Sequence[Cell]) -> str:
    """Write how many other rows differ from zero by the exact paired test, all rows together."""
    rows = [
        counts
        for cell in cells
        for record in cell.records
        for name, *counts in zip(
            record.measured.row_names, *record.row_counts(cell.kind), strict=True
        )
        if name not in (record.measured.relevant or ())
    ]
    lost, gained = np.array(rows).T
    different = int((paired_p_values(lost, gained) * len(rows) < 0.05).sum())
    return (
        f"by the paired test {different} of {len(rows)} other rows differ from 0 "
        f"(p < 0.05 over {len(rows)} comparisons)"
    )


def lower_at_100_by_row(
    cells: Sequence[Cell], asked: int, *, name: str, noun: str, other: float
) -> Finding:
    """Judge whether the relevant drop plus a multiple of the other one is lower at r = 100."""
    values: dict[str, dict[int, dict[int, float]]] = {}
    for cell in cells:
        by_range = values.setdefault(f"{name} = {cell.row}", {})
        by_range[cell.column] = _by_seed(cell, 1, other)
    return judge_lower_at_100(values, asked=asked, noun=noun)


def judge_lower_at_100(
    values: Mapping[str, Mapping[int, Mapping[int, float]]], *, asked: int, noun: str
) -> Finding:
    """Judge whether a value is lower at r = 100 than its mean over the larger ranges.

    Args:
        values: For each name and each measured r, the value of each seed.
        asked: How many names the claim is about.
        noun: What the names are.
    """
    evidence, unfinished = [], 0
    for name, by_range in values.items():
        larger = [by_seed for r, by_seed in by_range.items() if r > SMALLEST_RANGE]
        if SMALLEST_RANGE not in by_range or not larger:
            continue
        smallest = by_range[SMALLEST_RANGE]
        here = mean_interval(list(smallest.values()))
        beyond = statistics.mean(statistics.mean(by_seed.values()) for by_seed in larger)
        shared = set(smallest).intersection(*larger)
        gaps = [statistics.mean(some[seed] for some in larger) - smallest[seed] for seed in shared]
        settled = is_above(mean_interval(gaps), 0).settled if len(gaps) > 1 else None
        unfinished += len(by_range) < len(PAPER_RANGES)
        text = f"{_write(here)} at r = {SMALLEST_RANGE}, {beyond:.3f} beyond"
        evidence.append(Evidence(name, text, here.mean < beyond, settled))
    lower, count = count_agreeing(evidence), len(evidence)
    measured = f"lower at r = {SMALLEST_RANGE} for {lower} of {count} {noun}"
    return replace(judge_all(evidence, measured, asked), unfinished=unfinished)


def fully_accurate(cells: Sequence[Cell], asked: int) -> Finding:
    """Judge whether the test accuracy of every configuration is 1.00."""
    evidence = [
        Evidence.of(cell, _write(cell.accuracy, 4), is_inside(cell.accuracy, 1.0, math.inf))
        for cell in cells
    ]
    lowest = min((cell.accuracy.mean for cell in cells), default=math.nan)
    measured = f"{count_agreeing(evidence)} of {len(cells)} at 1.00; lowest {lowest:.4f}"
    return judge_all(evidence, measured, asked)


def converging(cells: Sequence[Cell], asked: int) -> Finding:
    """Judge whether every model whose r exceeds its task prime converges."""
    threshold = SinglePrime.threshold
    evidence, models, converged, fallen = [], 0, 0, 0
    for cell in cells:
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
    return judge_all(evidence, measured, asked)


def specialised(cells: Sequence[Cell], asked: int) -> Finding:
    """Judge whether relevant drops exceed 500 times the other ones, by exact bounds on both."""
    evidence = []
    for cell in cells:
        if (bounds := cell.bounds()) is None:
            continue
        relevant, other = bounds
        exceeds = None  # the bounds do not decide it
        if relevant.low > _RATIO * other.high:
            exceeds = True
        elif relevant.high <= _RATIO * other.low:
            exceeds = False
        settled = is_above(_combine(cell, 1, -_RATIO), 0).settled
        agreement = Agreement(exceeds, settled)
        evidence.append(Evidence.of(cell, _write_ratio(relevant, other), agreement))
    if not evidence:
        return judge_all([], "", asked)
    above, below = count_agreeing(evidence), sum(item.agrees is False for item in evidence)
    undecided = len(evidence) - above - below
    verdict: Verdict = "holds" if above == len(evidence) else "holds in part"
    if not above:
        verdict = "does not hold" if below else "undecided"
    measured = f"above {_RATIO} in {above} of {len(evidence)} configurations, below in {below}"
    measured += f", undecided in {undecided}" * bool(undecided)
    return Finding(verdict, measured, tuple(evidence), asked)


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
