"""The published run: what stands in results/paper and in the documents is what its records say."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from primefourier import lab
from primefourier.encoding.aliases import find_aliases
from primefourier.encoding.planning import USES
from primefourier.lab import Run, ShuffledPrimeFourier
from primefourier.lab.claims import claims_as_data, claims_as_markdown
from primefourier.lab.config import prime_parts
from primefourier.lab.studies import models_of, profile
from primefourier.lab.studies.question_tables import (
    answers_as_data,
    answers_as_markdown,
    six_digits,
)
from primefourier.lab.studies.questions import USED
from primefourier.lab.studies.study_file import read_study_file

ROOT = Path(__file__).parent.parent
PUBLISHED = ROOT / "results" / "paper"
PAPER = models_of(profile("paper"))


@pytest.fixture(scope="module")
def run() -> Run:
    return lab.open(PUBLISHED, ROOT / "results" / "predictions", ROOT / "results" / "beyond")


def test_all_750_models_are_there_each_with_its_commit_and_versions(run: Run) -> None:
    records = {record.config.key: record for record in run.records}
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
    studies = read_study_file(PUBLISHED / "seeds.py")
    more = {config.key for study in studies for config in study.configs}
    assert len(more) == 5 * 176
    measured = {record.config.key for record in run.records}
    assert measured == more | {config.key for config in PAPER}
    assert measured == {config.key for config in run.planned}


def test_all_networks_with_rows_of_primes_are_probed(run: Run) -> None:
    for record in run.records:
        if record.probe is None:
            assert isinstance(record.config.embedding, ShuffledPrimeFourier)
        else:
            zeroed = record.probe.rows["zero"]
            assert (zeroed.lost, zeroed.gained) == (record.measured.lost, record.measured.gained)


def test_the_claims_are_what_the_records_say(run: Run) -> None:
    findings = run.claims()
    assert json.loads((PUBLISHED / "claims.json").read_text()) == claims_as_data(findings)
    text = claims_as_markdown(findings, heading="The paper's claims")
    assert (PUBLISHED / "claims.md").read_text() == text


def test_the_answers_are_what_the_probes_say(run: Run) -> None:
    answers = run.questions()
    assert answers is not None
    assert json.loads((PUBLISHED / "questions.json").read_text()) == answers_as_data(answers)
    assert (PUBLISHED / "questions.md").read_text() == answers_as_markdown(answers)


def test_the_published_page_holds_what_the_records_say(run: Run) -> None:
    page = (PUBLISHED / "report.html").read_text()
    shown = json.loads(page.partition('id="data">')[2].partition("</script>")[0])["run"]
    found = replace(run, folder=Path("results/paper")).page_data()
    assert six_digits(shown) == six_digits({**found, "name": "paper"})


def test_all_figures_are_there_and_nothing_is_large() -> None:
    names = {path.stem for path in (PUBLISHED / "figures").glob("*.png")}
    assert {name[:9] for name in names if name.startswith("figure-")} == {
        f"figure-{number:02}" for number in range(1, 23)
    }
    assert len([name for name in names if name.startswith("probe-")]) == 7
    assert (PUBLISHED / "records.sqlite").stat().st_size < 10 * 2**20


def test_make_paper_judges_by_the_runs_that_the_published_claims_use() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "--also results/predictions --also results/beyond" in makefile


def test_the_risk_of_a_plan_is_that_of_the_published_networks(run: Run) -> None:
    found: dict[float, list[bool]] = {end: [] for end, _, _ in USES}
    for record in run.records:
        config = record.config
        if record.probe is None or config.degenerate:
            continue
        embedding, task = prime_parts(config)
        if type(embedding) is ShuffledPrimeFourier:
            continue
        aliases = find_aliases(task.modulus, embedding.basis, input_range=task.input_range)
        drops = dict(
            zip(embedding.basis.channels, record.probe.block_drops("permute"), strict=True)
        )
        used = any(drops[alias.channels[0]] > USED for alias in aliases)
        found[next(end for end in found if aliases[0].drift <= end)].append(used)
    assert tuple((end, sum(used), len(used)) for end, used in found.items()) == USES


def test_every_modulus_of_the_paper_is_certified_with_the_channels_of_plan() -> None:
    found = json.loads((ROOT / "results" / "beyond" / "certificates.json").read_text())
    assert [one["N"] for one in found] == [15, 21, 33, 35, 55, 77, 105, 165, 231, 385]
    for one in found:
        assert (one["status"], one["wrong"], one["cases"]) == ("proved", 0, one["N"] ** 2)
        assert one["margin"] > one["bound"] > 0
        assert one["radius"] >= 2**-11, "one unit of float16"
        assert one["seconds"] < 60
        assert set(one["beyond"].values()) == {1.0}
