"""The table of claims, as data for programs and as Markdown for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from primefourier.lab.claims.claim import Claim, Evidence, Finding

_AGREES = {True: "yes", False: "no", None: "cannot be told"}
NOT_SETTLED = ", not settled"

_ABOUT_INTERVALS = (
    "Verdicts go by means over seeds. Intervals are Student's, over the seeds of a configuration; "
    "one seed has none. A configuration is not settled if part of its interval agrees with the "
    "claim and part does not: the count within intervals has it either way."
)


def claims_as_data(findings: Mapping[Claim, Finding]) -> list[dict[str, Any]]:
    """Return the claims with paper's value, measured value, verdict and evidence."""
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
            "evidence": [asdict(item) for item in finding.evidence],
        }
        for claim, finding in findings.items()
    ]


def coverage(finding: Finding) -> str:
    """Say how much of what a claim is about has been measured.

    >>> coverage(Finding("holds", "", (), 35))
    '0 of 35'
    """
    return f"{len(finding.evidence)} of {finding.asked}"


def within_intervals(finding: Finding) -> str:
    """Say how many configurations agree if each mean may be anywhere in its 95 % interval.

    >>> sure, unsure = (Evidence("", "", agrees=True, settled=value) for value in (True, False))
    >>> within_intervals(Finding("holds", "", (sure, unsure), 2))
    '1 to 2 of 2'
    """
    if not finding.intervals:
        return ""
    asked = len(finding.evidence)
    counts = " to ".join(dict.fromkeys(map(str, finding.agreeing)))
    some = f"; {finding.intervals} with an interval" if finding.intervals < asked else ""
    return f"{counts} of {asked}{some}"


def write_agrees(item: Evidence) -> str:
    """Say whether a configuration agrees, and whether its interval could make it otherwise.

    >>> write_agrees(Evidence("", "", agrees=False, settled=False))
    'no, not settled'
    """
    return _AGREES[item.agrees] + NOT_SETTLED * item.doubtful


def verdict_so_far(finding: Finding) -> str:
    """Write a verdict, with a reminder where something is still to be measured.

    Where single seeds would give different verdicts, it says that, too.

    >>> verdict_so_far(Finding("holds", "", (), 0, by_seed=("holds", "does not hold")))
    'holds, depends on the seed'
    """
    unfinished = finding.verdict != "not measured yet" and not finding.complete
    return (
        finding.verdict + " so far" * unfinished + ", depends on the seed" * finding.depends_on_seed
    )


def claims_as_markdown(findings: Mapping[Claim, Finding], *, heading: str) -> str:
    """Return the table of claims, and below it the evidence for each."""
    lines = [
        f"# {heading}",
        "",
        "| claim | the paper says | measured | agree within 95 % intervals | verdict "
        "| configurations |",
        "|---|---|---|---|---|---|",
    ]
    for claim, finding in findings.items():
        cells = (
            f"**{claim.name}** {claim.statement}",
            claim.paper,
            finding.measured or "—",
            within_intervals(finding) or "—",
            f"**{verdict_so_far(finding)}**",
            coverage(finding),
        )
        lines.append(f"| {' | '.join(escape(cell) for cell in cells)} |")
    lines += ["", _ABOUT_INTERVALS]
    for claim, finding in findings.items():
        lines += ["", f"## {claim.name}: {verdict_so_far(finding)}", "", f"Rule: {claim.rule}."]
        if finding.evidence:
            lines += ["", "| configuration | measured | agrees |", "|---|---|---|"]
        for item in finding.evidence:
            words = (item.configuration, item.value, write_agrees(item))
            lines.append(f"| {' | '.join(escape(word) for word in words)} |")
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Write a text so that it fits in a cell of a Markdown table."""
    return text.replace("|", "\\|")
