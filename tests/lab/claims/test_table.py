import json
import re

import pytest

from lab_records import PAPER, plausible, records_of
from primefourier.lab.claims import (
    CLAIMS,
    Claim,
    Evidence,
    Finding,
    claims_as_data,
    claims_as_markdown,
)
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.claims.table import coverage, verdict_so_far, within_intervals, write_agrees

JUDGED = tuple(claim for claim in CLAIMS if claim.name != "T.1")  # which takes a second


def judge(share: int) -> dict[Claim, Finding]:
    """Judge by none, some or all of the paper's models."""
    records = plausible([c for c in PAPER if c.input_range <= share])
    cells = paper_cells(PAPER, records)
    return {claim: claim.judge(cells) for claim in JUDGED}


def columns(line: str) -> list[str]:
    """Split a row of a Markdown table where a reader of Markdown would."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    return re.split(r"(?<!\\)\|", line[1:-1])


def finding(count: int, asked: int, unfinished: int = 0) -> Finding:
    return Finding("holds", "", (Evidence("a", "b", agrees=True),) * count, asked, unfinished)


def test_a_verdict_over_a_part_is_one_so_far() -> None:
    assert verdict_so_far(finding(35, 35)) == "holds"
    assert verdict_so_far(finding(34, 35)) == "holds so far"
    assert verdict_so_far(finding(4, 4, unfinished=1)) == "holds so far"
    assert verdict_so_far(Finding("not measured yet", "", (), 35)) == "not measured yet"
    assert coverage(finding(34, 35)) == "34 of 35"


@pytest.mark.parametrize("share", [0, 100, 500, 4000])
def test_data_is_plain_json_without_nan(share: int) -> None:
    findings = judge(share)
    data = claims_as_data(findings)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert [entry["claim"] for entry in data] == [claim.name for claim in JUDGED]
    for entry, found in zip(data, findings.values(), strict=True):
        assert entry["verdict"] == found.verdict
        assert entry["complete"] == found.complete == (share == 4000)
        assert entry["configurations"] == len(entry["evidence"]) == len(found.evidence)
        assert entry["configurations_asked"] == found.asked
        assert {"statement", "paper", "rule", "measured"} <= set(entry)


def test_strange_drops_are_still_plain_json() -> None:
    records = records_of(PAPER, on=-0.5, off=-0.2, accuracy=0.0)
    cells = paper_cells(PAPER, records)
    data = claims_as_data({claim: claim.judge(cells) for claim in JUDGED})
    text = json.dumps(data, allow_nan=False)
    assert "inf" not in text
    assert "nan" not in text


@pytest.mark.parametrize("share", [0, 100, 4000])
def test_every_row_of_the_markdown_has_all_its_columns(share: int) -> None:
    findings = judge(share)
    text = claims_as_markdown(findings, heading="Claims")
    lines = text.splitlines()
    assert lines[0] == "# Claims"
    assert text.endswith("\n")
    widths = 0
    for line in lines:
        if line.startswith("|---"):
            widths = line.count("---")
        elif line.startswith("|") and not line.startswith(("| claim |", "| configuration |")):
            assert len(columns(line)) == widths
    rows = [line for line in lines if line.startswith("| **")]
    assert len(rows) == len(JUDGED)
    for row, (claim, found) in zip(rows, findings.items(), strict=True):
        cells = [cell.strip().replace("\\|", "|") for cell in columns(row)]
        assert cells == [
            f"**{claim.name}** {claim.statement}", claim.paper, found.measured or "—",
            within_intervals(found) or "—", f"**{verdict_so_far(found)}**", coverage(found),
        ]  # fmt: skip
        for item in found.evidence:
            line = f"| {item.configuration} | {item.value} | {write_agrees(item)} |"
            assert line.replace("|P|", "\\|P\\|") in lines
    for claim in JUDGED:
        assert f"Rule: {claim.rule}." in lines


@pytest.mark.parametrize(
    ("agrees", "settled", "words"),
    [
        (True, None, "yes"), (True, True, "yes"), (True, False, "yes, not settled"),
        (False, None, "no"), (False, False, "no, not settled"),
        (None, False, "cannot be told"), (None, None, "cannot be told"),
    ],
)  # fmt: skip
def test_doubt_is_told(agrees: bool | None, settled: bool | None, words: str) -> None:
    assert write_agrees(Evidence("", "", agrees, settled)) == words


def test_intervals_are_counted_where_there_are_any() -> None:
    without, sure = (Evidence("", "", agrees=True, settled=value) for value in (None, True))
    assert within_intervals(Finding("holds", "", (without,), 1)) == ""
    assert within_intervals(Finding("holds", "", (sure,), 1)) == "1 of 1"
    some = within_intervals(Finding("holds", "", (sure, without), 2))
    assert some == "2 of 2; 1 with an interval"
