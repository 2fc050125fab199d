"""Claims, the evidence for them, and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from primefourier.lab.agreement import Agreement
from primefourier.lab.cells import Cell

Verdict = Literal["holds", "holds in part", "does not hold", "cannot be told", "not measured yet"]


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
        by_seed: The verdict by each seed alone, where the claim counts configurations and all of
            them have these seeds.
    """

    verdict: Verdict
    measured: str
    evidence: tuple[Evidence, ...]
    asked: int
    unfinished: int = 0
    by_seed: tuple[Verdict, ...] = ()

    @property
    def depends_on_seed(self) -> bool:
        """Whether single seeds give different verdicts."""
        return len(set(self.by_seed)) > 1

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
    """Judge a claim about every configuration.

    >>> found = judge_all([Evidence("a", "1", True), Evidence("b", "2", False)], "1 of 2", 2)
    >>> found.verdict
    'holds in part'
    """
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
