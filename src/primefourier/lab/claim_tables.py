"""The judged claims as plain data, as a table, and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from primefourier.lab.claims import Claim, Evidence, Finding
from primefourier.lab.tables import Table

_AGREES = {True: "yes", False: "no", None: "cannot be told"}
NOT_SETTLED = ", not settled"

_ABOUT_INTERVALS = (
    "Verdicts go by means over seeds. Intervals are Student's, over the seeds of a configuration; "
    "one seed has none. A configuration is not settled if part of its interval agrees with the "
    "claim and part does not: the count within intervals has it either way."
)


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
            "within_intervals": within_intervals(finding),
            "depends_on_seed": finding.depends_on_seed,
            "complete": finding.complete,
            "configurations": len(finding.evidence),
            "configurations_asked": finding.asked,
            "evidence": [
                {
                    "configuration": item.configuration,
                    "value": item.value,
                    "agrees": item.agrees,
                    "settled": item.settled,
                }
                for item in finding.evidence
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
    """Write how many of the configurations that a claim is about are measured.

    >>> coverage(Finding("holds", "", (), 35))
    '0 of 35'
    """
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
    """Write whether a configuration agrees, and whether part of its interval contradicts that.

    >>> write_agrees(Evidence("", "", agrees=False, settled=False))
    'no, not settled'
    """
    return _AGREES[item.agrees] + NOT_SETTLED * item.doubtful


def verdict_so_far(finding: Finding) -> str:
    """Write a verdict, and whether measurements are missing or single seeds disagree.

    >>> verdict_so_far(Finding("holds", "", (), 0, by_seed=("holds", "does not hold")))
    'holds, depends on the seed'
    """
    unfinished = finding.verdict != "not measured yet" and not finding.complete
    return (
        finding.verdict + " so far" * unfinished + ", depends on the seed" * finding.depends_on_seed
    )
