"""Claims, the evidence for them, verdicts, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from primefourier.analysis import Interval
from primefourier.lab.cells import Cell
from primefourier.lab.tables import Table

Verdict = Literal["holds", "holds in part", "does not hold", "undecided", "not measured yet"]
_AGREES = {True: "yes", False: "no", None: "undecided"}
_EVIDENCE = ("configuration", "value", "agrees", "settled")
NOT_SETTLED = ", not settled"
AT_LEAST_ZERO = -1e-12
"""A bound that allows a difference of 0 up to rounding."""
_ABOUT_INTERVALS = (
    "Verdicts go by means over seeds, or seed by seed where that is said. Intervals are Student's, "
    "over the seeds of a configuration; one seed has none. A configuration is not settled if part "
    "of its interval, or one of its seeds, agrees with the claim and another does not: the count "
    "within intervals has it either way."
)


class Agreement(NamedTuple):
    """Whether a configuration agrees with a claim.

    Two conditions join with ``&``: both must hold; one that certainly does not hold settles the
    answer.

    Args:
        agrees: Whether the mean agrees; None if it is undecided.
        settled: Whether every value of the 95 % interval over seeds gives the same answer; None
            where one seed leaves the interval unknown.

    >>> Agreement(False, True) & Agreement(True, False)
    Agreement(agrees=False, settled=True)
    """

    agrees: bool | None
    settled: bool | None

    def __and__(self, other: Agreement) -> Agreement:
        agrees = bool(self.agrees and other.agrees)
        if self.settled is None or other.settled is None:
            return Agreement(agrees, None)
        if agrees:
            return Agreement(agrees, self.settled and other.settled)
        return Agreement(agrees, any(one.settled and not one.agrees for one in (self, other)))


def is_inside(drop: Interval, low: float, high: float) -> Agreement:
    """Return whether a drop, rounded to two decimals as in the paper, lies in a range.

    >>> is_inside(Interval(0.58, 0.55, 0.61, 5), 0.60, 0.92)
    Agreement(agrees=False, settled=False)
    """
    return _compare(drop, lambda value: (round(value, 2) > high) - (round(value, 2) < low))


def is_above(value: Interval, bound: float) -> Agreement:
    """Return whether a value is above a bound.

    >>> is_above(Interval(0.5, 0.2, 0.8, 5), 0.1)
    Agreement(agrees=True, settled=True)
    """
    return _compare(value, lambda value: -(value <= bound))


def _compare(value: Interval, side: Callable[[float], int]) -> Agreement:
    """Compare with a range, given whether a number is below it (-1), inside (0) or above it (1)."""
    agrees = side(value.mean) == 0
    if value.low is None or value.high is None:
        return Agreement(agrees, None)
    return Agreement(agrees, side(value.low) == side(value.high))


@dataclass(frozen=True)
class Evidence:
    """One configuration behind a verdict.

    Args:
        configuration: Its name.
        value: The measured value, in words.
        agrees: Whether the value agrees with the claim; None if it is undecided.
        settled: Whether all of the 95 % interval over seeds gives the same answer; None where one
            seed leaves the interval unknown.
        cell: The cell; None if the evidence compares several cells, or concerns no model.
    """

    configuration: str
    value: str
    agrees: bool | None
    settled: bool | None = None
    cell: Cell | None = None

    @classmethod
    def of(cls, cell: Cell, value: str, agreement: Agreement) -> Evidence:
        """Return the evidence that one cell gives."""
        return cls(cell.name, value, *agreement, cell)

    @property
    def doubtful(self) -> bool:
        """Whether the mean gives an answer that part of its interval contradicts."""
        return self.agrees is not None and self.settled is False


@dataclass(frozen=True)
class Finding:
    """The result of judging a claim by records.

    Args:
        verdict: The verdict on what is measured so far.
        measured: The measured value, in words.
        evidence: The configurations behind it.
        asked: How many configurations the claim is about. With less evidence the verdict is
            preliminary.
        unfinished: How many pieces of evidence lack part of what they compare.
        by_seed: Whether the claim holds with each seed alone, where it counts configurations and
            all of them have these seeds.
    """

    verdict: Verdict
    measured: str
    evidence: tuple[Evidence, ...]
    asked: int
    unfinished: int = 0
    by_seed: tuple[bool, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every configuration that the claim is about is measured."""
        return len(self.evidence) >= self.asked and not self.unfinished

    @property
    def agreeing(self) -> tuple[int, int]:
        """How many configurations agree at least and at most, anywhere within their intervals."""
        sure = [item for item in self.evidence if item.settled is not False]
        fewest = sum(item.agrees is True for item in sure)
        certainly_not = sum(item.agrees is False for item in sure)
        return fewest, len(self.evidence) - certainly_not

    @property
    def intervals(self) -> int:
        """How many configurations have several seeds, and so an interval."""
        return sum(item.settled is not None for item in self.evidence)


Cells = Mapping[str, Sequence[Cell]]
"""The cells of the paper's configurations, by experiment."""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Args:
        name: Its short name, such as E1.1.
        statement: The claim.
        paper: The paper's value.
        rule: When the claim counts as true, exactly as it is judged.
        judge: Takes the cells of the paper's configurations, by experiment; returns a finding.
    """

    name: str
    statement: str
    paper: str
    rule: str
    judge: Callable[[Cells], Finding]


def judge_all(evidence: Sequence[Evidence], measured: str, asked: int) -> Finding:
    """Judge a claim about every configuration."""
    if not evidence:
        return Finding("not measured yet", "", (), asked)
    agreeing = count_agreeing(evidence)
    verdict: Verdict = "holds in part" if agreeing else "does not hold"
    if agreeing == len(evidence):
        verdict = "holds"
    return Finding(verdict, measured, tuple(evidence), asked)


def count_agreeing(evidence: Sequence[Evidence]) -> int:
    """Return how many configurations agree with a claim."""
    return sum(item.agrees is True for item in evidence)


def claims_as_data(findings: Mapping[Claim, Finding]) -> list[dict[str, Any]]:
    """Return the claims with the paper's value, measured value, verdict and evidence."""
    return [
        {
            "claim": claim.name,
            "statement": claim.statement,
            "paper": claim.paper,
            "rule": claim.rule,
            "measured": finding.measured,
            "verdict": finding.verdict,
            "verdict_so_far": verdict_so_far(finding),
            "within_intervals": within_intervals(finding),
            "by_seed": list(finding.by_seed),
            "complete": finding.complete,
            "configurations": len(finding.evidence),
            "configurations_asked": finding.asked,
            "evidence": [
                {name: getattr(item, name) for name in _EVIDENCE} for item in finding.evidence
            ],
        }
        for claim, finding in findings.items()
    ]


def claims_as_markdown(findings: Mapping[Claim, Finding], *, heading: str) -> str:
    """Return the table of claims, and below it the evidence for each."""
    columns = ["claim", "the paper says", "measured", "agree within 95 % intervals", "verdict"]
    summary = Table(
        [*columns, "configurations"],
        [
            [
                f"**{claim.name}** {claim.statement}",
                claim.paper,
                finding.measured or "—",
                within_intervals(finding) or "—",
                f"**{verdict_so_far(finding)}**",
                coverage(finding),
            ]
            for claim, finding in findings.items()
        ],
    )
    parts = [f"# {heading}", summary.markdown(), _ABOUT_INTERVALS]
    for claim, finding in findings.items():
        parts += [f"## {claim.name}: {verdict_so_far(finding)}", f"Rule: {claim.rule}."]
        if finding.evidence:
            rows = [[e.configuration, e.value, write_agrees(e)] for e in finding.evidence]
            parts.append(Table(["configuration", "measured", "agrees"], rows).markdown())
    return "\n\n".join(parts) + "\n"


def coverage(finding: Finding) -> str:
    """Write how many of the configurations that a claim is about are measured."""
    return f"{len(finding.evidence)} of {finding.asked}"


def within_intervals(finding: Finding) -> str:
    """Write how many configurations agree if each mean may be anywhere in its 95 % interval.

    >>> sure, unsure = (Evidence("", "", agrees=True, settled=value) for value in (True, False))
    >>> within_intervals(Finding("holds", "", (sure, unsure), 2))
    '1 to 2 of 2'
    """
    if not finding.intervals:
        return ""
    total = len(finding.evidence)
    counts = " to ".join(dict.fromkeys(map(str, finding.agreeing)))
    some = f"; {finding.intervals} with an interval" if finding.intervals < total else ""
    return f"{counts} of {total}{some}"


def write_agrees(item: Evidence) -> str:
    """Write whether a configuration agrees, and whether part of its interval contradicts that."""
    return _AGREES[item.agrees] + NOT_SETTLED * item.doubtful


def verdict_so_far(finding: Finding) -> str:
    """Write a verdict with the share that agrees, and whether measurements are missing.

    >>> verdict_so_far(Finding("holds in part", "", (), 0, by_seed=(True, False, True)))
    'holds with 2 of 3 seeds'
    """
    words: str = finding.verdict
    if finding.verdict == "holds in part":
        agreeing, total, unit = count_agreeing(finding.evidence), len(finding.evidence), ""
        if finding.by_seed:
            agreeing, total, unit = sum(finding.by_seed), len(finding.by_seed), " seeds"
        words = f"holds {'with' if unit else 'in'} {agreeing} of {total}{unit}"
    unfinished = finding.verdict != "not measured yet" and not finding.complete
    return words + " so far" * unfinished
