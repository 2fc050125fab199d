"""Commands that judge a run: the paper's claims, and questions that it leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Annotated, cast

from cyclopts import Parameter
from rich.text import Text

from primefourier._checks import plural, require_choice
from primefourier.cli.options import Json
from primefourier.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from primefourier.analysis.ablation import Kind
    from primefourier.lab import Run
    from primefourier.lab.claims import Claim, Finding

_STYLES = {"holds": "green", "holds in part": "yellow", "does not hold": "red"}
_SIGNS = {True: "✓", False: "✗", None: "?"}
_WIDE = 160
"""Columns that the tables of answers need with all intervals."""
_COLUMNS = ("claim", "the paper says", "verdict")


def claims(
    folder: Path,
    claim: str | None = None,
    /,
    *,
    ablation: str = "zero",
    evidence: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    json: Json = False,
) -> None:
    """Judge the paper's claims by the records of a run.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    claim
        Show the evidence for this claim only, such as E1.3.
    ablation
        What replaces an ablated row: zero, as in the paper; mean, its mean over the test pairs; or
        permute, another pair's row. The last two need models trained with --probe.
    evidence
        Also show the evidence for every claim.
    """
    from primefourier import lab
    from primefourier.lab.claims import claims_as_data
    from primefourier.lab.probe import KINDS
    from primefourier.lab.studies.paper_claims import CLAIMS

    require_choice(ablation, KINDS, "--ablation")
    if claim is not None:
        claim = claim.upper()
        require_choice(claim, [one.name for one in CLAIMS], "the claim")
    run, kind = lab.open(folder), cast("Kind", ablation)
    found = {c: finding for c, finding in run.claims(kind).items() if claim in (None, c.name)}
    if json:
        print_json(claims_as_data(found))
        return
    if claim is None:
        print_claims(found)
        _print_left_out(run, kind)
        if not evidence:
            print_text(f"Evidence for one claim: pfe claims {quote(str(folder))} E1.3")
    if claim is not None or evidence:
        _print_evidence(found)


def print_claims(findings: Mapping[Claim, Finding]) -> None:
    """Print one line per claim with its verdict, and a tally."""
    width = get_terminal_size().columns
    verdicts = {claim: _verdict(finding) for claim, finding in findings.items()}
    room = width - max(map(len, verdicts.values())) - len(_COLUMNS[0]) - 4  # spaces between
    print_table(
        _COLUMNS,
        [
            [
                claim.name,
                _cut(claim.statement, max(room, 20)),
                Text(verdict, style=_STYLES.get(findings[claim].verdict, "dim")),
            ]
            for claim, verdict in verdicts.items()
        ],
        left=_COLUMNS,
    )
    tally: Counter[str] = Counter(finding.verdict for finding in findings.values())
    order = [*_STYLES, *sorted(set(tally) - set(_STYLES))]
    counts = ", ".join(f"{verdict} {tally[verdict]}" for verdict in order if tally[verdict])
    print_text(f"\n{plural(len(findings), 'claim')}: {counts}.")
    if any(finding.depends_on_seed for finding in findings.values()):
        print_text("* depends on the seed: single seeds give different verdicts.")


def _cut(text: str, width: int) -> str:
    return shorten(text, width, placeholder=" …", break_on_hyphens=False)


def _verdict(finding: Finding) -> str:
    so_far = finding.verdict != "not measured yet" and not finding.complete
    return finding.verdict + " so far" * so_far + "*" * finding.depends_on_seed


def _print_left_out(run: Run, kind: Kind) -> None:
    """Report how many measured models do not count."""
    used = {r.config.key for cells in run.cells(kind).values() for c in cells for r in c.records}
    if other := run.counts["measured"] - len(used):
        reasons = "other settings than the paper's, or part of an incomplete configuration"
        reasons += ", or not probed" * (kind != "zero")
        _print_filled(f"{plural(other, 'measured model')} did not count: {reasons}.")


def _print_evidence(findings: Mapping[Claim, Finding]) -> None:
    from primefourier.lab.claims import (
        NOT_SETTLED,
        coverage,
        verdict_so_far,
        within_intervals,
    )

    for claim, finding in findings.items():
        facts = {
            "paper": claim.paper,
            "rule": claim.rule,
            "measured": finding.measured or "nothing yet",
            "verdict": f"{verdict_so_far(finding)} ({coverage(finding)} configurations)",
            "within 95 % intervals": within_intervals(finding),
        }
        _print_filled(f"\n{claim.name}: {claim.statement}")
        for name, text in facts.items():
            if text:
                _print_filled(f"  {name}: {text}", indent=4)
        for item in finding.evidence:
            doubt = NOT_SETTLED * item.doubtful
            sign = _SIGNS[item.agrees]
            _print_filled(f"  {sign} {item.configuration}: {item.value}{doubt}", indent=6)


def _print_filled(text: str, indent: int = 0) -> None:
    """Print text, wrapped at words to the width of the terminal."""
    lead = "\n" * text.startswith("\n")
    width = get_terminal_size().columns
    body = fill(text.removeprefix("\n"), width, subsequent_indent=" " * indent)
    print_text(lead + body)


def questions(folder: Path, /, *, json: Json = False) -> None:
    """Answer questions that the paper leaves open, by models trained with --probe.

    Does it matter what replaces an ablated row? Which depths carry the answer? Which other blocks
    are used? Does training make the network equivariant?

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    """
    from primefourier import lab
    from primefourier.lab.studies.question_tables import answers_as_data, answers_as_sections

    answers = lab.open(folder).questions()
    if answers is None:
        raise ValueError(
            f"no configuration of the paper in {folder} is probed completely; run the command that "
            "trained it again with --probe"
        )
    if json:
        print_json(answers_as_data(answers))
        return
    brief = get_terminal_size().columns < _WIDE
    for section in answers_as_sections(answers, brief=brief):
        print_text(f"\n{section.question.upper()}\n")
        _print_filled(section.text)
        for table in section.tables:
            print_text(f"\n{table.heading}\n" if table.heading else "")
            sentences = table.columns if table.columns[0] == "claim" else ("measure", "ablation")
            print_table(table.columns, table.rows, left=sentences)
    if brief:
        print_text(
            f"\nWith {_WIDE} columns, tables also have 95 % intervals; --json prints everything."
        )
