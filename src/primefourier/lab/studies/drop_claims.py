"""Judges that several claims share: drops in a range, below the noise floor, lower at r = 100."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from primefourier.analysis import Interval, mean_interval
from primefourier.lab.cells import Cell
from primefourier.lab.claims import (
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
    is_above,
    is_below_floor,
    is_inside,
    judge_all,
)
from primefourier.lab.tables import write_interval, write_spread

SMALLEST_RANGE = 100


def relevant_drop(cell: Cell) -> Interval:
    """Return the drop of the relevant rows, which every configuration of the paper has."""
    return _known(cell.relevant)


def other_drop(cell: Cell) -> Interval:
    """Return the drop of the other rows, which every configuration of the paper has."""
    return _known(cell.other)


def _known(drop: Interval | None) -> Interval:
    if drop is None:
        raise ValueError("a configuration of the paper has relevant and other rows")
    return drop


def combine(cell: Cell, relevant: float, other: float) -> Interval:
    """Return a linear combination of both drops, computed seed by seed.

    Its interval is narrower than the intervals of the two drops suggest, since both are of the same
    networks.

    Args:
        cell: The cell.
        relevant: The factor of the relevant drop.
        other: The factor of the other drop.
    """
    return mean_interval([relevant * a + other * b for a, b in both_by_seed(cell).values()])


def both_by_seed(cell: Cell) -> dict[int, tuple[float, float]]:
    """Return both drops of each seed."""
    return {
        seed: (a, b) for seed, (a, b) in cell.by_seed.items() if a is not None and b is not None
    }


def write_drop(drop: Interval, digits: int = 3) -> str:
    """Write a drop, with its 95 % interval and the number of seeds where there are several."""
    return write_interval(drop, digits, seeds=True)


def judge_range(
    cells: Sequence[Cell], read: Callable[[Cell], Interval], low: float, high: float, asked: int
) -> Finding:
    """Judge whether the drop of every configuration lies in a range."""
    evidence = [
        Evidence.of(cell, write_drop(read(cell)), is_inside(read(cell), low, high))
        for cell in cells
    ]
    measured = ""
    if evidence:
        drops = write_spread([read(cell).mean for cell in cells])
        measured = f"{drops}; {count_agreeing(evidence)} of {len(evidence)} in range"
    return judge_all(evidence, measured, asked)


def judge_below_floor(
    cells: Sequence[Cell], judge: Callable[[float], Verdict], asked: int, *, percent: bool = False
) -> Finding:
    """Judge in how many configurations the drop of the other rows is below the noise floor.

    Args:
        cells: The configurations.
        judge: Takes their share; returns a verdict.
        asked: How many configurations the claim is about.
        percent: Whether to write the share, too.
    """
    if not cells:
        return judge_all([], "", asked)
    evidence = [
        Evidence.of(
            cell,
            f"{write_drop(other_drop(cell), 4)}, floor {cell.noise_floor:.4f}",
            is_below_floor(other_drop(cell), cell.noise_floor),
        )
        for cell in cells
    ]
    below, total = count_agreeing(evidence), len(evidence)
    measured = f"{below} of {total} below the noise floor"
    if percent:
        measured = f"{100 * below / total:.0f} %: {below} of {total}"
    counts = _below_by_seed(cells)
    if counts:
        measured += f"; seed by seed {', '.join(map(str, counts))}"
    by_seed = tuple(judge(count / total) for count in counts)
    return Finding(judge(below / total), measured, tuple(evidence), asked, by_seed=by_seed)


def _below_by_seed(cells: Sequence[Cell]) -> list[int]:
    """Count the configurations below the noise floor for each seed, if all share several seeds.

    A mean over seeds does not show how much the count depends on the seed.
    """
    shared = set.intersection(*(set(cell.seeds) for cell in cells))
    if len(shared) < 2:
        return []
    return [
        sum(abs(both_by_seed(cell)[seed][1]) < cell.noise_floor for cell in cells)
        for seed in sorted(shared)
    ]


def judge_lower_at_100(
    values: Mapping[str, Mapping[int, Mapping[int, float]]], *, ranges: int, asked: int, noun: str
) -> Finding:
    """Judge whether a value is lower at r = 100 than its mean over the larger ranges.

    Args:
        values: For each name and each measured r, the value of each seed.
        ranges: How many r the paper has.
        asked: How many names the claim is about.
        noun: What the names are.
    """
    evidence, unfinished = [], 0
    for name, by_range in values.items():
        larger = [by_seed for r, by_seed in by_range.items() if r > SMALLEST_RANGE]
        if SMALLEST_RANGE in by_range and larger:
            smallest = by_range[SMALLEST_RANGE]
            here = mean_interval(list(smallest.values()))
            beyond = statistics.mean(statistics.mean(by_seed.values()) for by_seed in larger)
            unfinished += len(by_range) < ranges
            text = f"{write_drop(here)} at r = {SMALLEST_RANGE}, {beyond:.3f} beyond"
            settled = _is_settled_by_seeds(smallest, larger)
            evidence.append(Evidence(name, text, here.mean < beyond, settled))
    lower, count = count_agreeing(evidence), len(evidence)
    measured = f"lower at r = {SMALLEST_RANGE} for {lower} of {count} {noun}"
    return replace(judge_all(evidence, measured, asked), unfinished=unfinished)


def _is_settled_by_seeds(
    smallest: Mapping[int, float], larger: Sequence[Mapping[int, float]]
) -> bool | None:
    """Return whether the seeds that all ranges share settle which is lower; None for one seed."""
    shared = set(smallest).intersection(*larger)
    if len(shared) < 2:
        return None
    gaps = [statistics.mean(values[seed] for values in larger) - smallest[seed] for seed in shared]
    return is_above(mean_interval(gaps), 0).settled
