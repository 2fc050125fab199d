"""Commands that judge a run: the paper's claims, and questions that it leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from rich.text import Text

from primefourier._checks import plural, require_choice
from primefourier.cli.options import FLAG, Folder, Json
from primefourier.cli.output import print_json, print_prose, print_table, print_text

if TYPE_CHECKING:
    from primefourier.lab import Run
    from primefourier.lab.claims import Claim, Finding
    from primefourier.lab.studies.question_tables import Section

Kind = Literal["zero", "mean", "permute"]
_STYLES = {
    "holds": "green", "holds in part": "yellow", "mostly fails": "red", "does not hold": "red",
}  # fmt: skip
_SIGNS = {True: "✓", False: "✗"}
_MORE = (
    "Further folders, whose models also count; or claims to show the evidence for, such as E1.3."
)
_WIDE = 160
"""Columns that the tables of answers need with all intervals."""


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
            pairs; or permute, another pair's row. The last two need models trained with --probe.
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


def _print_left_out(run: Run, kind: Kind) -> None:
    """Report how many measured models do not count."""
    used = {r.config.key for cells in run.cells(kind).values() for c in cells for r in c.records}
    measured = [r for r in (*run.records, *run.more) if r.error is None]
    if other := sum(record.config.key not in used for record in measured):
        reasons = "other settings than the paper's, or part of an incomplete configuration"
        reasons += ", or not probed" * (kind != "zero")
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


def questions(
    folder: Folder,
    question: str | None = None,
    /,
    *,
    evidence: Annotated[bool, FLAG] = False,
    json: Json = False,
) -> None:
    """Answer questions that the paper leaves open, by models trained with --probe.

    Does it matter what replaces an ablated row? Which depths carry the answer? Which other blocks
    are used? Does training make the network equivariant?

    Example: `pfe questions results/paper Q2`

    Args:
        question: Show the evidence for this question only, such as Q1.
        evidence: Also show the evidence for every question.
    """
    from primefourier import lab
    from primefourier.lab.studies.question_tables import answers_as_data, answers_as_sections

    if question is not None:
        question = question.upper()
        require_choice(question, ["Q1", "Q2", "Q3", "Q4"], "the question")
    answers = lab.open(folder).questions()
    if answers is None:
        raise ValueError(
            f"no configuration of the paper in {folder} is probed completely; run the command that "
            "trained it again with --probe"
        )
    data = answers_as_data(answers)
    if json:
        print_json(data)
        return
    brief = get_terminal_size().columns < _WIDE
    sections = answers_as_sections(answers, brief=brief)
    if question is None:
        for i, answer in enumerate(_short_answers(data)):
            print_prose(f"Q{i + 1}  {sections[i].question}\n    {answer}")
        if not evidence:
            print_text(f"\nEvidence for one question: pfe questions {quote(str(folder))} Q1")
    if question is not None or evidence:
        _print_sections(sections if question is None else [sections[int(question[1]) - 1]])
        if brief:
            print_text(
                f"\nWith {_WIDE} columns, tables also have 95 % intervals; "
                "--json prints everything."
            )


def _short_answers(data: Mapping[str, Any]) -> list[str]:
    """Return a sentence or two for each question, in the order of the sections."""
    from primefourier.lab.probe import KINDS
    from primefourier.lab.tables import write_spread

    claims = data["claims"]
    changed = [
        claim["claim"] for claim in claims if len({claim[kind]["so_far"] for kind in KINDS}) > 1
    ]
    verdicts = f"The verdicts on {len(changed)} of {len(claims)} claims depend on it"
    permuted = [each for each in data["depths"] if each["ablation"] == "permute"]
    first = [each["relevant"][0]["mean"] for each in permuted]
    most = max(
        value["mean"] for each in permuted for value in (*each["relevant"][1:], *each["other"])
    )
    used = [
        f"{found['used']} of {found['blocks']} at {found['low']:g} "
        + ("turns or more" if found["high"] is None else f"to {found['high']:g} turns")
        for found in (*data["aliases"][:1], *data["aliases"][1:][-1:])
    ]
    curves = [c for c in data["equivariance"] if c["measure"] == data["equivariance"][0]["measure"]]
    before, after = (
        [value["mean"] for curve in curves if (value := curve["by_epoch"][at])] for at in (0, -1)
    )
    return [
        f"{verdicts}: {', '.join(changed)}." if changed else f"{verdicts}.",
        f"d = 0 of primes that divide N: replaced by another pair's, it costs {write_spread(first)}"
        f"; any other block at most {most:.2f} (means of configurations).",
        "Blocks that cost more than 0.1, by their distance from a harmonic of N: "
        f"{', '.join(used) or 'none'}.",
        f"{curves[0]['title'].capitalize()}: {write_spread(before)} untrained, "
        f"{write_spread(after) if after else 'unknown'} after the last epoch.",
    ]


def _print_sections(sections: Sequence[Section]) -> None:
    for section in sections:
        print_text(f"\n{section.question.upper()}\n")
        print_prose(section.text)
        for table in section.tables:
            print_text(f"\n{table.heading}\n" if table.heading else "")
            sentences = table.columns if table.columns[0] == "claim" else ("measure", "ablation")
            print_table(table.columns, table.rows, left=sentences)
