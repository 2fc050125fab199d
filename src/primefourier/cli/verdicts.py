"""The command that judges a run: ``pfe claims``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from primefourier._checks import plural, require_choice
from primefourier.cli.options import FLAG, Folder, Json
from primefourier.cli.output import print_json, print_prose, print_table, print_text

if TYPE_CHECKING:
    from primefourier.lab import Run
    from primefourier.lab.claims import Claim, Finding

Kind = Literal["zero", "mean", "permute"]
_STYLES = {
    "holds": "green", "holds in part": "yellow", "mostly fails": "red", "does not hold": "red",
}  # fmt: skip
_SIGNS = {True: "✓", False: "✗"}
_MORE = (
    "Further folders, whose models also count; or claims to show the evidence for, such as E1.3."
)


def claims(
    folder: Folder,
    /,
    *more: Annotated[str, Parameter(help=_MORE)],
    ablation: Kind = "zero",
    evidence: Annotated[bool, FLAG] = False,
    json: Json = False,
) -> None:
    """Judge the paper's claims by the records of one or several runs.

    Example: `pfe claims results/paper E1.3`

    Args:
        ablation: What replaces an ablated row: zero, as in the paper; mean, its mean over the test
            pairs; or permute, another pair's row. Only models that were ablated so count.
        evidence: Also show the evidence for every claim.
    """
    from primefourier import lab
    from primefourier.lab.claims import claims_as_data
    from primefourier.lab.studies.paper_claims import CLAIMS

    folders = [word for word in more if "/" in word or Path(word).is_dir()]
    chosen = [word.upper() for word in more if word not in folders]
    for name in chosen:
        require_choice(name, [one.name for one in CLAIMS], "the claim")
    run = lab.open(folder, *folders)
    found = {c: f for c, f in run.claims(ablation).items() if not chosen or c.name in chosen}
    if json:
        print_json(claims_as_data(found))
        return
    if not chosen:
        print_claims(found)
        _print_left_out(run, ablation)
        if not evidence:
            if not folders:
                print_how_to_add(found, f"pfe claims {quote(str(folder))} FOLDER …")
            words = " ".join(quote(str(each)) for each in (folder, *folders))
            print_text(f"Evidence for one claim: pfe claims {words} E1.3")
    if chosen or evidence:
        _print_evidence(found)


def print_claims(findings: Mapping[Claim, Finding]) -> None:
    """Print the claims with their verdicts, and a tally."""
    from primefourier.lab.claims import SECTIONS, tally

    for section, heading in SECTIONS.items():
        rows: list[list[str | Text]] = [
            [claim.name, claim.statement, Text(found.words, _STYLES.get(found.verdict, "dim"))]
            for claim, found in findings.items()
            if claim.section == section
        ]
        columns = ["", heading, "verdict"]
        print_table(columns, rows, left=columns)
        print_text("")
    counts = tally(findings)
    words = ", ".join(words for _, count, words, _ in counts if count)
    print_text(f"{sum(count for _, count, _, _ in counts)} claims: {words}.")
    if any(found.evidence and not found.complete for found in findings.values()):
        print_prose(
            "This run has a part of the configurations that the claims are about, so it cannot "
            "decide those that are undecided. The verdicts in README are by all of them."
        )


def print_how_to_add(findings: Mapping[Claim, Finding], command: str) -> None:
    """Say how models of other runs count, if configurations or further seeds are missing."""
    cells = [item for found in findings.values() for item in found.evidence if item.cell]
    single = any(item.settled is None for item in cells)
    if single or not all(found.complete for found in findings.values()):
        print_text(f"Models of further runs also count: {command}")


def _print_left_out(run: Run, kind: Kind) -> None:
    """Report how many measured models do not count."""
    used = {r.config.key for cells in run.cells(kind).values() for c in cells for r in c.records}
    measured = [r for r in (*run.records, *run.more) if r.error is None]
    if other := sum(record.config.key not in used for record in measured):
        reasons = "other settings than the paper's, or part of an incomplete configuration"
        reasons += f", or not ablated by {kind}" * (kind != "zero")
        print_prose(f"{plural(other, 'measured model')} did not count: {reasons}.")


def _print_evidence(findings: Mapping[Claim, Finding]) -> None:
    from primefourier.lab.claims import NOT_SETTLED

    for claim, finding in findings.items():
        facts = {
            "paper": claim.paper,
            "rule": claim.rule,
            "measured": finding.measured or "nothing yet",
            "verdict": finding.words,
            "by means": finding.by_means,
            "seed by seed": finding.seed_by_seed,
            "within 95 % intervals": finding.within_intervals,
        }
        print_prose(f"\n{claim.name}: {claim.statement}")
        for name, text in facts.items():
            if text:
                print_prose(f"  {name}: {text}", hang=2)
        for item in finding.evidence:
            doubt = NOT_SETTLED * (item.settled is False)
            sign = _SIGNS[item.agrees]
            print_prose(f"  {sign} {item.configuration}: {item.value}{doubt}", hang=2)
