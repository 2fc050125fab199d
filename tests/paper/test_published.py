"""The published run: what stands in paper/results and in the documents is what its records say."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from findings.probes.answers import USED
from findings.probes.networks import read_networks
from primefourier import lab
from primefourier.analysis.risk import USES
from primefourier.encoding import PrimeBasis
from primefourier.encoding.aliases import find_aliases
from primefourier.lab import Run
from primefourier.lab.study_file import read_study_file
from primefourier_paper import judge, models_of, profile
from primefourier_paper.rule import claims_as_data, claims_as_markdown

ROOT = Path(__file__).parents[2]
PUBLISHED, FINDINGS = ROOT / "paper" / "results", ROOT / "findings"
PAPER = models_of(profile("paper"))


@pytest.fixture(scope="module")
def run() -> Run:
    return lab.open(PUBLISHED, FINDINGS / "predictions", FINDINGS / "beyond")


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


def test_the_claims_are_what_the_records_say(run: Run) -> None:
    findings = judge(run)
    assert json.loads((PUBLISHED / "claims.json").read_text()) == claims_as_data(findings)
    text = claims_as_markdown(findings, heading="The paper's claims")
    assert (PUBLISHED / "claims.md").read_text() == text


def rounded(data: Any) -> Any:
    """Plain data with six significant digits; more depend on the libraries."""
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list):
        return [rounded(value) for value in data]
    return float(f"{data:.6g}") if isinstance(data, float) else data


def test_the_published_page_holds_what_the_records_say(run: Run) -> None:
    page = (PUBLISHED / "report.html").read_text()
    shown = json.loads(page.partition('id="data">')[2].partition("</script>")[0])["run"]
    found = replace(run, folder=Path("paper/results")).page_data()
    assert rounded(shown) == rounded({**found, "name": shown["name"]})


def test_all_figures_are_there_and_nothing_is_large() -> None:
    names = {path.stem for path in (PUBLISHED / "figures").glob("*.png")}
    assert {name[:9] for name in names if name.startswith("figure-")} == {
        f"figure-{number:02}" for number in range(1, 23)
    }
    assert (PUBLISHED / "records.jsonl").stat().st_size < 10 * 2**20


def test_make_paper_judges_by_the_runs_that_the_published_claims_use() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "--also findings/predictions --also findings/beyond" in makefile


def test_the_published_risk_is_that_of_the_published_networks() -> None:
    found: dict[float, list[bool]] = {end: [] for end, _, _ in USES}
    for network in read_networks():
        if network.degenerate:
            continue
        basis = PrimeBasis(tuple(network.primes), network.depth)
        aliases = find_aliases(network.modulus, basis, input_range=network.input_range)
        drops = dict(zip(basis.channels, network.drops("permute", blocks=True), strict=True))
        used = any(drops[alias.channels[0]] > USED for alias in aliases)
        found[next(end for end in found if aliases[0].drift <= end)].append(used)
    assert tuple((end, sum(used), len(used)) for end, used in found.items()) == USES


def test_every_modulus_of_the_paper_is_certified_with_the_channels_of_plan() -> None:
    found = json.loads((FINDINGS / "proofs" / "certificates.json").read_text())
    assert [one["N"] for one in found] == [15, 21, 33, 35, 55, 77, 105, 165, 231, 385]
    for one in found:
        assert (one["status"], one["wrong"], one["cases"]) == ("proved", 0, one["N"] ** 2)
        assert one["margin"] > one["bound"] > 0
        assert one["radius"] >= 2**-11, "one unit of float16"
        assert one["seconds"] < 60
        assert set(one["beyond"].values()) == {1.0}
