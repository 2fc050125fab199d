"""The published run: what stands in results/paper and in the documents is what its records say."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from primefourier.lab.claims import claims_as_data, claims_as_markdown, judge_claims
from primefourier.lab.claims.table import verdict_so_far, within_intervals
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import models_of, profile, read_settings
from primefourier.lab.questions import answer_questions, answers_as_data, answers_as_markdown
from primefourier.lab.questions.table import answers_as_sections
from primefourier.lab.record import Record
from primefourier.lab.sweep import read_store

ROOT = Path(__file__).parent.parent
PUBLISHED = ROOT / "results" / "paper"
PAPER = models_of(profile("paper"))


@pytest.fixture(scope="module")
def run() -> tuple[list[ModelConfig], list[Record]]:
    with read_store(PUBLISHED) as store:
        return store.planned(), store.records()


Run = tuple[list[ModelConfig], list[Record]]


def test_all_750_models_are_there_each_with_its_commit_and_versions(run: Run) -> None:
    records = {record.config.key: record for record in run[1]}
    assert len(PAPER) == 750
    for config in PAPER:
        record = records[config.key]
        assert record.error is None
        assert config.seed == 42
        commit = record.provenance.commit
        assert commit is not None
        assert re.fullmatch("[0-9a-f]{40}", commit), "of a commit, not of changed files"
        assert set(record.provenance.versions) == {"python", "primefourier", "numpy", "torch"}


def test_the_chosen_configurations_have_five_seeds_and_no_other_has(run: Run) -> None:
    more = {config.key for config in models_of(read_settings(PUBLISHED / "seeds.toml"))}
    assert len(more) == 5 * 176
    measured = {record.config.key for record in run[1]}
    assert measured == more | {config.key for config in PAPER}
    assert measured == {config.key for config in run[0]}


def test_all_networks_with_rows_of_primes_are_probed(run: Run) -> None:
    for record in run[1]:
        if record.probe is None:
            assert record.config.experiment == "control"
        else:
            zeroed = record.probe.rows["zero"]
            assert (zeroed.lost, zeroed.gained) == (record.measured.lost, record.measured.gained)


def test_the_claims_are_what_the_records_say(run: Run) -> None:
    findings = judge_claims(*run)
    assert json.loads((PUBLISHED / "claims.json").read_text()) == claims_as_data(findings)
    text = claims_as_markdown(findings, heading="The paper's claims")
    assert (PUBLISHED / "claims.md").read_text() == text


def test_the_answers_are_what_the_probes_say(run: Run) -> None:
    answers = answer_questions(*run)
    assert answers is not None
    assert json.loads((PUBLISHED / "questions.json").read_text()) == answers_as_data(answers)
    assert (PUBLISHED / "questions.md").read_text() == answers_as_markdown(answers)


def test_the_page_shows_these_claims_and_answers(run: Run) -> None:
    page = (PUBLISHED / "report.html").read_text()
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    shown = data["run"]
    assert shown["counts"]["measured"] == len(run[1])
    claims = [
        {k: v for k, v in claim.items() if k != "verdict_so_far"} for claim in shown["claims"]
    ]
    for claim in claims:
        claim["evidence"] = [
            {k: v for k, v in item.items() if k != "cell"} for item in claim["evidence"]
        ]
    assert claims == json.loads((PUBLISHED / "claims.json").read_text())
    assert shown["questions"] == json.loads((PUBLISHED / "questions.json").read_text())


def test_all_figures_are_there_and_nothing_is_large() -> None:
    names = {path.stem for path in (PUBLISHED / "figures").glob("*.png")}
    assert {name[:9] for name in names if name.startswith("figure-")} == {
        f"figure-{number:02}" for number in range(1, 23)
    }
    assert len([name for name in names if name.startswith("probe-")]) == 6
    assert (PUBLISHED / "records.sqlite").stat().st_size < 10 * 2**20


def test_the_documents_give_each_claim_as_it_was_judged(run: Run) -> None:
    for claim, finding in judge_claims(*run).items():
        for name in ("README.md", "docs/paper-vs-measured.md"):
            row = _row(name, claim.name)
            assert row[-1].strip("* ") == verdict_so_far(finding)
            assert finding.measured in row
        assert row[1:4] == [claim.paper, finding.measured, within_intervals(finding) or "—"]


def test_the_tables_of_the_answers_are_those_of_the_probes(run: Run) -> None:
    """Every row of a table in docs/beyond-the-paper.md is a row that the tool writes."""
    answers = answer_questions(*run)
    assert answers is not None
    known = {
        tuple(row)
        for section in answers_as_sections(answers)
        for table in section.tables
        for row in table.rows
    }
    rows = _rows("docs/beyond-the-paper.md")
    assert len(rows) > 20
    assert [row for row in rows if tuple(row) not in known] == []


def _rows(name: str) -> list[list[str]]:
    """Return the rows of all tables of a document, without the lines below their heads."""
    text = (ROOT / name).read_text()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    found = [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
    ]
    return [row for row in found if not set("".join(row)) <= set("-:")]


def _row(name: str, claim: str) -> list[str]:
    """Return the row of a table whose first cell begins with a claim's name."""
    found: list[Any] = [row for row in _rows(name) if row[0].split()[0].strip("*") == claim]
    assert len(found) == 1, f"{name} has {len(found)} rows about {claim}"
    row: list[str] = found[0]
    return row
