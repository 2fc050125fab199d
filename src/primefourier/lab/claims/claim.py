"""What a claim is, and how configurations that agree or disagree with it make a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from primefourier.lab.results import Cell

Verdict = Literal["holds", "holds in part", "does not hold", "cannot be told", "not measured yet"]


@dataclass(frozen=True)
class Evidence:
    """One configuration behind a verdict.

    Args:
        configuration: Its name.
        value: What was measured, in words.
        agrees: Whether that agrees with the claim; None if it can be read either way.
        settled: Whether all of the 95 % interval over seeds gives the same answer; None where one
            seed leaves it unknown.
    """

    configuration: str
    value: str
    agrees: bool | None
    settled: bool | None = None

    @property
    def doubtful(self) -> bool:
        """Whether the mean gives an answer that part of its interval contradicts."""
        return self.agrees is not None and self.settled is False


@dataclass(frozen=True)
class Finding:
    """What the records say about a claim.

    Args:
        verdict: The judgement, over what has been measured.
        measured: The measured value, in words.
        evidence: The configurations behind it.
        asked: How many configurations the claim is about; more than there is evidence of means
            that the verdict is one so far.
        unfinished: How many of the evidence rest on part of what they compare.
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
        """Whether one seed alone would give another verdict than another seed."""
        return len(set(self.by_seed)) > 1

    @property
    def complete(self) -> bool:
        """Whether every configuration the claim is about has been measured."""
        return len(self.evidence) >= self.asked and not self.unfinished

    @property
    def agreeing(self) -> tuple[int, int]:
        """How many configurations agree at least and at most, anywhere within their intervals."""
        sure = [item for item in self.evidence if item.settled is not False]
        fewest = sum(item.agrees is True for item in sure)
        surely_not = sum(item.agrees is False for item in sure)
        return fewest, len(self.evidence) - surely_not

    @property
    def intervals(self) -> int:
        """How many configurations have several seeds, hence an interval."""
        return sum(item.settled is not None for item in self.evidence)


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Args:
        name: Its short name, such as E1.1.
        statement: What is claimed.
        paper: The paper's value.
        rule: When it counts as true, as exactly as it is judged.
        judge: Cells of the paper's configurations, by experiment, in; finding out.
    """

    name: str
    statement: str
    paper: str
    rule: str
    judge: Callable[[dict[str, list[Cell]]], Finding]


def judge_all(evidence: Sequence[Evidence]) -> Verdict:
    """Judge a claim about every configuration.

    >>> judge_all([Evidence("a", "1", True), Evidence("b", "2", False)])
    'holds in part'
    """
    if not evidence:
        return "not measured yet"
    agreeing = count_agreeing(evidence)
    if agreeing == len(evidence):
        return "holds"
    return "holds in part" if agreeing else "does not hold"


def count_agreeing(evidence: Sequence[Evidence]) -> int:
    """Return how many configurations agree with a claim."""
    return sum(item.agrees is True for item in evidence)


def spread(values: Sequence[float]) -> str:
    """Write the range of some drops.

    >>> spread([0.615, 0.9, 0.7]), spread([0.9])
    ('0.61–0.90', '0.90')
    """
    ends = (round(end, 2) + 0.0 for end in (min(values), max(values)))  # + 0.0 makes -0.0 plain 0
    return "–".join(dict.fromkeys(f"{end:.2f}" for end in ends))
