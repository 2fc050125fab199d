"""Claims as data, the one rule that judges them all, and how verdicts are written.

A claim names cells, a value of each of their seeds, and margins of that value. A configuration
agrees with the claim if all its margins, as means over its seeds, are above 0. The same rule with
the margins of one seed says whether the configuration agrees with that seed alone. Margins are
linear in the value, so a margin of means is the mean of the margins, and has Student's interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from primefourier._checks import plural
from primefourier.analysis import Interval, mean_interval
from primefourier.lab.cells import Cell
from primefourier.lab.record import Record
from primefourier.lab.tables import Table, write_interval, write_spread

Verdict = Literal[
    "holds", "holds in part", "mostly fails", "does not hold", "undecided", "not measured yet"
]
Section = Literal["claims", "statements", "earlier"]
SECTIONS: dict[Section, str] = {
    "claims": "The claims",
    "statements": "Further statements in the text",
    "earlier": "An earlier abstract of the same work",
}
COLUMNS = (
    *("claim", "the paper says", "measured", "by means", "seed by seed"),
    *("within 95 % intervals", "verdict"),
)
_ABOUT = (
    "One rule judges every claim. A configuration agrees if its mean over seeds does. *By means* "
    "counts the configurations that agree. *Seed by seed* counts those that agree with each seed "
    "alone; only seeds count that every configuration has. *Within 95 % intervals* counts what "
    "agrees at least and at most if each mean may be anywhere in its interval (Student's, over "
    "seeds; one seed has none). The verdict goes by means: *holds* if as many configurations "
    "agree as the claim says, otherwise *holds in k of n* if at least half agree, *mostly fails* "
    "if fewer do, and *does not hold* if none does. Where the means and most single seeds "
    "disagree on whether it holds, the verdict says both. Networks that diverged are left out "
    "and counted."
)
NOT_SETTLED = ", not settled"
_PARTS: tuple[Verdict, ...] = ("holds in part", "mostly fails")
_SEVERAL = {
    "holds": "hold", "holds in part": "hold in part", "mostly fails": "mostly fail",
    "does not hold": "do not hold",
}  # fmt: skip

Values = tuple[float, ...]
Margins = Callable[[Values, Cell], Values]


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim of the paper.

    Args:
        name: Its short name, such as E1.1.
        statement: The claim.
        paper: The paper's value.
        rule: When a configuration agrees with the claim, exactly as it is judged.
        about: Return the cells that a claim is about among those of the paper, and their number
            when all of them are measured.
        value: Return the value of one seed of a cell, from its records; None if it has none.
        margins: Return what must be above 0 for the claim to be true, linear in a value.
        text: How the means of a value are written, with the noise floor as ``floor``.
        needed: How many configurations must agree for the claim to hold; None for all.
        also: Counts for other margins, such as other thresholds, by their words.
        note: Return further words about the cells.
        digits: The decimals of a value.
        section: Where it stands; only ``claims`` are counted.
        checks: For a theorem, which is about no cells: returns the checks of it.
    """

    name: str
    statement: str
    paper: str
    rule: str
    about: Callable[[Mapping[str, Sequence[Cell]]], tuple[Sequence[Cell], int]] = lambda _: ((), 0)
    value: Callable[[Sequence[Record], Cell], Values | None] = lambda _records, _cell: None
    margins: Margins = lambda _value, _cell: ()
    text: str = "{}"
    needed: int | None = None
    also: Mapping[str, Margins] = field(default_factory=dict)
    note: Callable[[Sequence[Cell]], str] = lambda _cells: ""
    digits: int = 3
    section: Section = "claims"
    checks: Callable[[], Sequence[Evidence]] | None = None


@dataclass(frozen=True)
class Evidence:
    """One configuration behind a verdict.

    Args:
        configuration: Its name.
        value: The measured value, in words.
        agrees: Whether its mean over seeds agrees with the claim.
        settled: Whether all of the 95 % interval over seeds gives the same answer; None where one
            seed leaves the interval unknown.
        by_seed: Whether it agrees with each seed alone.
        cell: The cell, or all cells of a row together; None for a check of a theorem.
        means: The means of the value over seeds.
    """

    configuration: str
    value: str
    agrees: bool
    settled: bool | None = None
    by_seed: Mapping[int, bool] = field(default_factory=dict)
    cell: Cell | None = None
    means: Values = ()

    @property
    def words(self) -> str:
        """Whether it agrees, and whether part of its interval contradicts that."""
        return ("yes" if self.agrees else "no") + NOT_SETTLED * (self.settled is False)

    @property
    def seeds(self) -> str:
        """With how many of its seeds it agrees, in words."""
        seeds = len(self.by_seed)
        return f"{sum(self.by_seed.values())} of {seeds}" if seeds > 1 else "—"


@dataclass(frozen=True)
class Finding:
    """The result of judging a claim by records.

    Args:
        evidence: The configurations that are measured.
        asked: How many configurations the claim is about.
        needed: How many of them must agree for the claim to hold.
        measured: The measured value, in words.
    """

    evidence: tuple[Evidence, ...]
    asked: int
    needed: int
    measured: str = ""

    @property
    def complete(self) -> bool:
        """Whether every configuration that the claim is about is measured."""
        return len(self.evidence) >= self.asked

    @property
    def agreeing(self) -> int:
        """How many configurations agree by their means over seeds."""
        return sum(item.agrees for item in self.evidence)

    @property
    def seeds(self) -> dict[int, int]:
        """How many configurations agree with each seed alone, for seeds that all of them have."""
        every = [set(item.by_seed) for item in self.evidence]
        # A seed that only some configurations have would count another set of them.
        shared = sorted(set.intersection(*every)) if every else []
        return {seed: sum(item.by_seed[seed] for item in self.evidence) for seed in shared}

    @property
    def seeds_that_hold(self) -> int:
        """With how many single seeds the claim holds."""
        return sum(count >= self.needed for count in self.seeds.values())

    @property
    def verdict(self) -> Verdict:
        """The verdict by means; undecided while configurations are missing."""
        return "undecided" if self.evidence and not self.complete else self.so_far

    @property
    def so_far(self) -> Verdict:
        """What the verdict would be if the measured configurations were all."""
        if not self.evidence:
            return "not measured yet"
        # Integers, so that a share of exactly what is needed holds; while cells are missing, in
        # proportion to those that are measured.
        if self.agreeing * self.asked >= self.needed * len(self.evidence):
            return "holds"
        if not self.agreeing:
            return "does not hold"
        return "holds in part" if 2 * self.agreeing >= len(self.evidence) else "mostly fails"

    @property
    def words(self) -> str:
        """The verdict with the share that agrees, and with single seeds where they contradict it.

        >>> Finding((Evidence("", "", True), Evidence("", "", False)), 2, 2).words
        'holds in 1 of 2'
        >>> Finding((Evidence("", "", True),), 35, 35).words
        'undecided: 1 of 1 agree so far (35 asked)'
        """
        share = f"{self.agreeing} of {len(self.evidence)}"
        if self.verdict == "undecided":
            return f"undecided: {share} agree so far ({self.asked} asked)"
        text, details = str(self.verdict), []
        if self.verdict == "holds in part":
            text = f"holds in {share}"
        elif self.verdict == "mostly fails":
            details.append(share)
        if self.needed < self.asked and self.verdict in _PARTS:
            details.append(f"{self.needed} are claimed")
        seeds, hold = len(self.seeds), self.seeds_that_hold
        # A claim that one draw of seeds decides must not read as if it were settled.
        contradicted = seeds > 0 and (2 * hold > seeds) != (self.verdict == "holds")
        text += " by means" * contradicted
        text += f" ({', '.join(details)})" if details else ""
        but = " holds" * (self.verdict != "holds")
        return text + f", but{but} with {hold} of {plural(seeds, 'seed')} alone" * contradicted

    @property
    def by_means(self) -> str:
        """The number of configurations that agree by their means, in words."""
        return f"{self.agreeing} of {len(self.evidence)}" if self.evidence else ""

    @property
    def seed_by_seed(self) -> str:
        """The number of configurations that agree with each seed alone, in words."""
        if not self.seeds:
            return ""
        names = ", ".join(map(str, self.seeds))
        counts = ", ".join(map(str, self.seeds.values()))
        return f"{counts} of {len(self.evidence)} (seed{'s' * (len(self.seeds) > 1)} {names})"

    @property
    def within_intervals(self) -> str:
        """How many agree if each mean may be anywhere in its 95 % interval, in words."""
        known = sum(item.settled is not None for item in self.evidence)
        if not known:
            return ""
        # What its interval leaves open may agree or not, so it counts for neither end.
        sure = [item for item in self.evidence if item.settled is not False]
        fewest = sum(item.agrees for item in sure)
        most = len(self.evidence) - sum(not item.agrees for item in sure)
        total, some = len(self.evidence), f"; {known} with an interval"
        counts = " to ".join(dict.fromkeys((str(fewest), str(most))))
        return f"{counts} of {total}{some * (known < total)}"


def judge_claim(claim: Claim, cells: Mapping[str, Sequence[Cell]]) -> Finding:
    """Judge a claim by the cells of the paper's configurations, by experiment."""
    if claim.checks:
        checks = tuple(claim.checks())
        return Finding(checks, len(checks), len(checks))
    chosen, asked = claim.about(cells)
    evidence = tuple(filter(None, (_weigh(claim, cell) for cell in chosen)))
    needed = asked if claim.needed is None else claim.needed
    return Finding(evidence, asked, needed, _describe(claim, evidence) if evidence else "")


def _weigh(claim: Claim, cell: Cell) -> Evidence | None:
    """Return what one cell says about a claim; None without a value."""
    found = {seed: claim.value(records, cell) for seed, records in cell.by_seed.items()}
    values = {seed: value for seed, value in found.items() if value is not None}
    if not values:
        return None
    margins = {seed: claim.margins(value, cell) for seed, value in values.items()}
    # Margins are linear, so these are the margins of the means, with Student's intervals.
    conditions = [mean_interval(some) for some in zip(*margins.values(), strict=True)]
    means = [mean_interval(some) for some in zip(*values.values(), strict=True)]
    written = (write_interval(mean, claim.digits, seeds=True) for mean in means)
    return Evidence(
        cell.name,
        claim.text.format(*written, floor=f"{cell.noise_floor:.4f}"),
        all(condition.mean > 0 for condition in conditions),
        _settled(conditions),
        {seed: min(some) > 0 for seed, some in margins.items()},
        cell,
        tuple(mean.mean for mean in means),
    )


def _describe(claim: Claim, evidence: Sequence[Evidence]) -> str:
    """Return the measured values in words, with counts for other margins."""
    pairs = [(item.means, item.cell) for item in evidence if item.cell]
    cells = [cell for _, cell in pairs]
    spreads = (
        write_spread(some, claim.digits) for some in zip(*(m for m, _ in pairs), strict=True)
    )
    floors = write_spread([cell.noise_floor for cell in cells], 3)
    parts = [claim.text.format(*spreads, floor=floors)]
    for words, margins in claim.also.items():
        known = list(filter(None, (margins(*pair) for pair in pairs)))
        of = f" of {len(known)}" * (len(known) < len(pairs))
        parts.append(f"{sum(min(some) > 0 for some in known)}{of} {words}")
    parts.append(claim.note(cells))
    bound = max(cell.threshold for cell in cells)
    # Networks whose accuracy fell at the end change every mean, so their number is reported.
    low = [record.measured.accuracy <= bound for cell in cells for record in cell.records]
    if any(low):
        parts.append(f"{sum(low)} of {len(low)} networks end at an accuracy of {bound:g} or less")
    if diverged := sum(cell.diverged for cell in cells):
        parts.append(f"{plural(diverged, 'network')} diverged and left out")
    return "; ".join(filter(None, parts))


def _settled(conditions: Sequence[Interval]) -> bool | None:
    """Return whether the intervals of all conditions give one answer; None without intervals."""
    answers = set()
    for one in conditions:
        if one.low is None or one.high is None:
            return None
        answers.add("no" if one.high <= 0 else "yes" if one.low > 0 else "open")
    # One condition that surely fails settles the whole, whatever the others leave open.
    return "no" in answers or "open" not in answers


def tally(
    findings: Mapping[Claim, Finding], section: Section = "claims"
) -> list[tuple[Verdict, int, str, str]]:
    """Return each verdict on the claims of a section, its number in words, and which claims.

    The four verdicts that count come first, also with the number 0.
    """
    chosen = {claim.name: f for claim, f in findings.items() if claim.section == section}
    counted: tuple[Verdict, ...] = ("holds", *_PARTS, "does not hold")
    others = sorted({f.verdict for f in chosen.values()} - {*counted})
    found = []
    for verdict in (*counted, *others):
        names = {name: f for name, f in chosen.items() if f.verdict == verdict}
        words = verdict if len(names) == 1 else _SEVERAL.get(verdict, verdict)
        each = [name + _share(f) for name, f in names.items()]
        found.append((verdict, len(names), f"{len(names)} {words}", "; ".join(each)))
    return found


def _share(finding: Finding) -> str:
    """Return what a tally says of a claim beside its verdict."""
    words = finding.words.removeprefix("holds").removeprefix("mostly fails")
    return words if finding.verdict in (*_PARTS, "holds") else ""


def claims_as_data(findings: Mapping[Claim, Finding]) -> list[dict[str, Any]]:
    """Return the claims with the paper's value, measured value, verdict and evidence."""
    about = ("section", "statement", "paper", "rule")
    judged = (
        *("measured", "verdict", "words", "by_means", "seed_by_seed", "within_intervals"),
        *("complete", "asked", "needed"),
    )
    weighed = ("configuration", "value", "agrees", "settled", "seeds")
    return [
        {
            "claim": claim.name,
            **{name: getattr(claim, name) for name in about},
            **{name: getattr(finding, name) for name in judged},
            "evidence": [
                {name: getattr(item, name) for name in weighed} for item in finding.evidence
            ],
        }
        for claim, finding in findings.items()
    ]


def claims_table(findings: Mapping[Claim, Finding], section: Section) -> Table:
    """Return the table of the claims of a section."""
    rows = [
        [
            f"**{claim.name}** {claim.statement}",
            claim.paper,
            *(
                getattr(found, name) or "—"
                for name in ("measured", "by_means", "seed_by_seed", "within_intervals")
            ),
            f"**{found.words}**",
        ]
        for claim, found in findings.items()
        if claim.section == section
    ]
    return Table(COLUMNS, rows, SECTIONS[section])


def claims_as_markdown(findings: Mapping[Claim, Finding], *, heading: str) -> str:
    """Return the tables of claims, and below them the evidence for each."""
    parts = [f"# {heading}", _ABOUT]
    for section, title in SECTIONS.items():
        parts += [f"## {title}", claims_table(findings, section).markdown()]
    parts.append("## The evidence")
    columns = ["configuration", "measured", "agrees", "with single seeds"]
    for claim, finding in findings.items():
        parts += [f"### {claim.name}: {finding.words}", f"Rule: {claim.rule}."]
        if finding.evidence:
            rows = [[e.configuration, e.value, e.words, e.seeds] for e in finding.evidence]
            parts.append(Table(columns, rows).markdown())
    return "\n\n".join(parts) + "\n"
