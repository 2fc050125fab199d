"""All claims of the paper as data, and what a run says of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np

from primefourier._files import write_file
from primefourier.analysis import drop_bounds
from primefourier.analysis.ablation import Kind
from primefourier.arithmetic.primes import factorize
from primefourier.encoding import PAPER_BASIS
from primefourier.lab import Run
from primefourier.lab.cells import Cell, split_drops
from primefourier.lab.config import prime_parts
from primefourier.lab.record import Record
from primefourier.theory import check_theorem
from primefourier_paper.cells import WITHOUT, cells_of, usable_places
from primefourier_paper.control import COSTLY, control_rows, count_costly
from primefourier_paper.experiments import PAPER_RANGES, SinglePrime
from primefourier_paper.grids import modulus_of
from primefourier_paper.rule import (
    Claim,
    Evidence,
    Finding,
    Margins,
    Values,
    claims_as_data,
    claims_as_markdown,
    judge_claim,
)

MANY, SMALLEST_RANGE = 10, 100
_TINY = 1e-9
"""How far a value may be off a threshold that it is allowed to reach, for rounding."""

Cells = Mapping[str, Sequence[Cell]]


# Which cells a claim is about.

Choice = Callable[[int, int], bool]
About = Callable[[Cells], tuple[list[Cell], int]]


def _anywhere(_row: int, _range: int) -> bool:
    return True


def _cells(*names: str, where: Choice = _anywhere) -> About:
    """Choose cells of experiments by row and input range, and count all there are."""

    def about(cells: Cells) -> tuple[list[Cell], int]:
        asked = sorted((name, *at) for name in names for at in usable_places(name) if where(*at))
        found = {(name, c.row, c.column): c for name in names for c in cells.get(name, ())}
        return [found[place] for place in asked if place in found], len(asked)

    return about


def _rows(name: str, where: Choice) -> About:
    """Choose rows that are measured at every input range, as one cell each, with shared seeds."""

    def about(cells: Cells) -> tuple[list[Cell], int]:
        asked = sorted(
            row for row, r in usable_places(name) if r == SMALLEST_RANGE and where(row, r)
        )
        rows = []
        for row in asked:
            some = [cell for cell in cells.get(name, ()) if cell.row == row]
            # Without every range the mean beyond 100 would be another one for each row.
            if len(some) == len(PAPER_RANGES):
                seeds = sorted(set.intersection(*(set(cell.seeds) for cell in some)))
                # Only seeds that every range has can be compared within a row.
                by_seed = {s: [r for cell in some for r in cell.by_seed[s]] for s in seeds}
                title, lost = some[0].name.partition(",")[0], sum(c.diverged for c in some)
                row_cell = replace(some[0], name=title, column=None, by_seed=by_seed, diverged=lost)
                rows += [row_cell] * bool(seeds)
        return rows, len(asked)

    return about


# Values of one seed of a cell.


def _drops(records: Sequence[Record], cell: Cell) -> Values:
    """Return the mean drop of the relevant and of the other rows."""
    pairs = zip(*(split_drops(record, cell.kind) for record in records), strict=True)
    relevant, other = (fmean(drop for drop in some if drop is not None) for some in pairs)
    return relevant, other


def _accuracy(records: Sequence[Record], _cell: Cell) -> Values:
    """Return the mean accuracy, and the mean of 1/N."""
    accuracy = fmean(record.measured.accuracy for record in records)
    return accuracy, fmean(1 / modulus_of(record) for record in records)


def _lowest_best(records: Sequence[Record], cell: Cell) -> Values | None:
    """Return the lowest of the best accuracies of the models whose r exceeds their prime."""
    best = [max(r.measured.accuracy_by_epoch) for r in records if modulus_of(r) < cell.column]
    return (min(best),) if best else None


def _at_100_and_beyond(other: int) -> Callable[[Sequence[Record], Cell], Values | None]:
    """Read relevant plus ``other`` times other drop, at r = 100 and as a mean beyond."""

    def value(records: Sequence[Record], cell: Cell) -> Values | None:
        parts: tuple[list[Record], list[Record]] = ([], [])
        for record in records:
            parts[prime_parts(record.config)[1].input_range > SMALLEST_RANGE].append(record)
        if not all(parts):
            return None
        means = (_drops(some, cell) for some in parts)
        return tuple(relevant + other * rest for relevant, rest in means)

    return value


def _distances(records: Sequence[Record], cell: Cell) -> Values | None:
    """Return how far both drops of a seed are from their means over all seeds."""
    if len(cell.by_seed) < 2:
        return None
    means = map(fmean, zip(*(_drops(some, cell) for some in cell.by_seed.values()), strict=True))
    return tuple(abs(a - b) for a, b in zip(_drops(records, cell), means, strict=True))


def _most_used(records: Sequence[Record], _cell: Cell) -> Values | None:
    """Return the largest drop of a row that N does not need, replaced by another pair's."""
    # Zeros move a network off its data, so they cannot say what a row tells it.
    if not all(record.knows("permute") for record in records):
        return None
    return (max(map(largest_unneeded_drop, records)),)


def largest_unneeded_drop(record: Record) -> float:
    """Return the largest drop of a row that N does not need, replaced by another pair's."""
    drops = zip(record.measured.row_names, record.row_drops("permute"), strict=True)
    return max(drop for name, drop in drops if name not in (record.measured.relevant or ()))


def _costly_share(records: Sequence[Record], _cell: Cell) -> Values:
    """Return the share of rows of the control that cost much."""
    rows = control_rows(records)
    return (fmean(row.drop >= COSTLY for row in rows),)


def _by_columns(records: Sequence[Record], _cell: Cell) -> Values | None:
    """Return the mean drop of rows with a needed column, and of rows with none."""
    rows = control_rows(records)
    parts = [[r.drop for r in rows if bool(r.held) == held] for held in (True, False)]
    return tuple(map(fmean, parts)) if all(parts) else None


# Margins, which must be above 0. ``of`` is the number of the value that they are about.


def _within(low: float, high: float, of: int = 0) -> Margins:
    """Require a number, to two decimals, in a range."""
    # The paper rounds to two decimals, so half of the last one belongs to the range.
    return lambda v, _: (v[of] - low + 0.005 + _TINY, high + 0.005 - v[of] + _TINY)


def _far_above(times: float) -> Margins:
    """Require the first number far above the second and above 0."""
    return lambda v, cell: (
        v[0] - times * v[1] + _TINY, v[0] - v[1] - cell.noise_floor, v[0] - cell.noise_floor,
    )  # fmt: skip


def _comparable(times: float) -> Margins:
    """Require the first two numbers within a factor of each other."""
    return lambda v, _: (times * v[0] - v[1] + _TINY, times * v[1] - v[0] + _TINY)


def _below_floor(*of: int) -> Margins:
    """Require the absolute value of some numbers below the noise floor."""
    return lambda v, cell: tuple(cell.noise_floor + sign * v[i] for i in of for sign in (1, -1))


def _above(bound: float) -> Margins:
    """Require the first number to reach a bound."""
    return lambda v, _: (v[0] - bound + _TINY,)


def _many(margins: Margins) -> Margins:
    """Require something where |P| ≥ 10, and nothing elsewhere."""
    return lambda v, cell: margins(v, cell) if cell.row >= MANY else ()


def _both(*margins: Margins) -> Margins:
    return lambda v, cell: tuple(one for some in margins for one in some(v, cell))


# Further words.


def _exact_ratios(cells: Sequence[Cell]) -> str:
    """Count the ratios above and below 500 by exact 95 % bounds on all rows of a configuration."""
    above = below = 0
    for cell in cells:
        rows = [
            (name in (record.measured.relevant or ()), *counts, record.measured.test_size)
            for record in cell.records
            for name, *counts in zip(
                record.measured.row_names, *record.row_counts(cell.kind), strict=True
            )
        ]
        # All rows of a configuration share the 5 % of error, hence one call for all of them.
        own, lost, gained, size = map(np.array, zip(*rows, strict=True))
        low, high = drop_bounds(lost, gained, size)
        above += bool(low[own].mean() > 500 * high[~own].mean())
        below += bool(high[own].mean() <= 500 * low[~own].mean())
    return f"by exact bounds {above} above, {below} below, {len(cells) - above - below} undecided"


def _control(cells: Sequence[Cell]) -> str:
    """Count the rows of the control that cost much, by whether they hold a needed column."""
    records = [record for cell in cells for record in cell.records]
    good = [record for record in records if record.measured.accuracy > SinglePrime.threshold]
    return f"{count_costly(records)}; networks that end above 0.85 alone: {count_costly(good)}"


def _users(cells: Sequence[Cell]) -> str:
    """Count the networks that use a row without need."""
    records = [(r, cell.noise_floor) for cell in cells for r in cell.records if r.knows("permute")]
    drops = [(largest_unneeded_drop(record), floor) for record, floor in records]
    above, much = sum(d > floor for d, floor in drops), sum(d > COSTLY for d, _ in drops)
    return f"{above} of {len(drops)} networks use such a row, {much} with a drop above {COSTLY}"


def _right(cells: Sequence[Cell]) -> str:
    found = [record.measured.accuracy >= 0.99 for cell in cells for record in cell.records]
    return f"{sum(found)} of {len(found)} networks are right on 99 % of the test pairs"


@cache  # depends on no record, and takes a second
def _theorem() -> tuple[Evidence, ...]:
    return tuple(
        Evidence(check.statement, f"{check.measured:.3g}", check.holds)
        for check in check_theorem(PAPER_BASIS)
        if check.relation is not None
    )


# fmt: off
CLAIMS = (
    Claim("E1.1", "diagonal drop far above off-diagonal drop in all 35 configurations", "35 of 35",
          "the diagonal drop is at least 3 times the off-diagonal one (our threshold), and above "
          "both it and zero by more than the noise floor",
          _cells("exp1"), _drops, _far_above(3), text="{} against {}",
          also={f"at {times} times": _far_above(times) for times in (2, 5, 10)}),
    Claim("E1.2", "diagonal drops lie in the paper's three ranges",
          "0.60–0.92 (abstract), 0.54–0.93 (control section), 0.82–0.92 at |P| ≥ 10",
          "the drop, to two decimals, is in every range that is about the configuration",
          _cells("exp1"), _drops, _both(_within(0.60, 0.92), _many(_within(0.82, 0.92))),
          also={"in 0.60–0.92": _within(0.60, 0.92), "in 0.54–0.93": _within(0.54, 0.93),
                "with |P| ≥ 10 in 0.82–0.92": _many(_within(0.82, 0.92))}),
    Claim("E1.3", "off-diagonal drop below the noise floor in the majority of configurations with "
          "|P| ≤ 8", "more than half of 15",
          "|drop| is below the noise floor of one network; 8 of the 15 configurations must agree",
          _cells("exp1", where=lambda size, _: size < MANY), _drops, _below_floor(1),
          text="{1}, floor {floor}", digits=4, needed=8),
    Claim("E1.4", "off-diagonal drops of 0.03–0.09 at |P| ≥ 10", "0.03–0.09",
          "the drop, to two decimals, is in the range",
          _cells("exp1", where=lambda size, _: size >= MANY), _drops, _within(0.03, 0.09, of=1),
          text="{1}"),
    Claim("E1.5", "convergence above 0.85 in every configuration once r exceeds the task prime",
          "all", "of the models with r > p, the lowest of the best accuracies after any epoch is "
          "above 0.85",
          _cells("exp1"), _lowest_best, lambda v, _: (v[0] - 0.85,), text="lowest {}"),
    Claim("E1.6", "selectivity is lower at r = 100 with many primes", "lower",
          "for each |P| ≥ 10, diagonal less off-diagonal drop is lower at r = 100 than its mean "
          "over the larger ranges",
          _rows("exp1", lambda size, _: size >= MANY), _at_100_and_beyond(-1),
          lambda v, _: (v[1] - v[0],), text="{} at r = 100, {} beyond"),
    Claim("C.1", "control: diagonal drops of 0.10–0.55", "0.10–0.55",
          "the drop, to two decimals, is in the range",
          _cells("control"), _drops, _within(0.10, 0.55)),
    Claim("C.2", "control: off-diagonal drops of 0.14–0.46, comparable to the diagonal ones",
          "0.14–0.46", "the off-diagonal drop, to two decimals, is in the range, and within a "
          "factor of 2 of the diagonal one (our threshold)",
          _cells("control"), _drops, _both(_within(0.14, 0.46, of=1), _comparable(2)),
          text="{1}, diagonal {0}",
          also={"in range": _within(0.14, 0.46, of=1), "comparable": _comparable(2),
                "at 1.5 times": _comparable(1.5), "at 3 times": _comparable(3)}),
    Claim("E2.1", "nonfactor drop below the noise floor in 77 % of the 48 configurations",
          "77 %: 37 of 48",
          "|drop| is below the noise floor of one network; 37 of the 48 configurations must agree",
          _cells("exp2"), _drops, _below_floor(1), text="{1}, floor {floor}", digits=4, needed=37),
    Claim("E2.2", "factor drops of 0.29–0.88", "0.29–0.88",
          "the drop, to two decimals, is in the range",
          _cells("exp2"), _drops, _within(0.29, 0.88)),
    Claim("E2.3", "test accuracy 1.00 in every non-degenerate configuration at r ≥ 500", "1.00",
          "the accuracy, to two decimals, is 1.00",
          _cells("exp2", where=lambda _, r: r >= 500), _accuracy, _above(0.995), digits=4),
    Claim("E2.4", "three-factor moduli: factor drops lower at r = 100", "lower",
          "for each such N that is not degenerate at r = 100, the factor drop there is lower than "
          "its mean over the larger ranges",
          _rows("exp2", lambda modulus, _: len(factorize(modulus)) == 3), _at_100_and_beyond(0),
          lambda v, _: (v[1] - v[0],), text="{} at r = 100, {} beyond"),
    Claim("T.1", "every linear map that commutes with addition is block-diagonal, one block for "
          "each (p, d)", "proven", "every check of the theorem on the paper's basis holds",
          checks=_theorem),
    Claim("S.1", "one seed is enough, since the variance over the sweep is negligible",
          "no error bars",
          "the distances of both drops, relevant and other, from their means over all seeds are "
          "below the noise floor, by their means over seeds and for each seed alone",
          _cells("exp1", "exp2"), _distances, _below_floor(0, 1), text="{} and {}, floor {floor}",
          section="statements"),
    Claim("S.2", "control: zeroing any row costs about as much accuracy", "any row",
          "at least half of all rows cost 0.1 or more (our thresholds, generous for “any”)",
          _cells("control"), _costly_share, _above(0.5), text="share {}",
          also={"with every row": _above(1.0)}, section="statements"),
    Claim("S.3", "control: the information is distributed over all rows", "all rows",
          "rows that hold none of the four needed columns (sine and cosine of both operands on "
          "the circle of period N) cost within a factor of 2 of rows that hold one or more",
          _cells("control"), _by_columns, _comparable(2),
          text="{} with a needed column, {} with none", note=_control, section="statements"),
    Claim("S.4", "two-factor moduli: selectivity is clean at every r ≥ 500", "all 24",
          "|nonfactor drop| is below the noise floor of one network",
          _cells("exp2", where=lambda modulus, r: len(factorize(modulus)) == 2 and r >= 500),
          _drops, _below_floor(1), text="{1}, floor {floor}", digits=4, section="statements"),
    Claim("S.5", "off-diagonal drops are reliably above the noise floor at |P| ≥ 10", "all 20",
          "the drop is above the noise floor of one network",
          _cells("exp1", where=lambda size, _: size >= MANY), _drops,
          lambda v, cell: (v[1] - cell.noise_floor,), text="{1}, floor {floor}", digits=4,
          section="statements"),
    Claim("S.6", "inactive primes carry no information about the modulus", "none",
          "the largest drop of a row whose prime does not divide N, replaced by the row of "
          "another pair, over all models of a seed, is below the noise floor",
          _cells("exp1", "exp2"), _most_used, _below_floor(0), text="{}, floor {floor}",
          note=_users, section="statements"),
    Claim("S.7", "a task prime without a row is invisible to the network", "invisible",
          "networks of experiments 1 (|P| ≤ 8) and 2 without the rows of N have an accuracy of at "
          "most the mean of 1/N and the noise floor together",
          _cells(*WITHOUT), _accuracy, lambda v, cell: (v[1] + cell.noise_floor - v[0],),
          text="accuracy {}, 1/N {}", note=_right, section="statements"),
    Claim("T.2", "specialisation ratio (relevant over other drop) above 500", "> 500",
          "the relevant drop is more than 500 times the other one. The exact bounds beside it are "
          "on the answers that every row loses and gains, jointly at 95 %: the 5 % are divided "
          "among all rows of a configuration, lost and gained answers, and both ends",
          _cells("exp1", "exp2"), _drops, lambda v, _: (v[0] - 500 * v[1],),
          text="{} against {}", digits=4, note=_exact_ratios, section="earlier"),
)
# fmt: on


def judge(run: Run, kind: Kind = "zero") -> dict[Claim, Finding]:
    """Judge every claim of the paper by the records of a run that follow its protocol.

    Args:
        run: The run; models of further folders that it was opened with count, too.
        kind: The kind of ablation: zero in the paper. Only records that know it count.
    """
    cells = cells_of(run, kind)
    return {claim: judge_claim(claim, cells) for claim in CLAIMS}


def save_claims(run: Run) -> list[Path]:
    """Write the judged claims as claims.json and claims.md in the folder; return the files."""
    findings = judge(run)
    text = claims_as_markdown(findings, heading="The paper's claims")
    data = json.dumps(claims_as_data(findings), ensure_ascii=False, indent=1)
    files = [run.folder / "claims.json", run.folder / "claims.md"]
    write_file(files[0], f"{data}\n".encode())
    write_file(files[1], text.encode())
    return files
