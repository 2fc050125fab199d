import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab_records import (
    EXP1,
    EXP2,
    PAPER,
    PROVENANCE,
    configs_of,
    failed,
    plausible,
    with_probe,
)
from primefourier.lab.config import ModelConfig
from primefourier.lab.questions import answer_questions, answers_as_data
from primefourier.lab.record import Record
from primefourier.lab.report.run_data import run_as_data
from small_models import small_config

PAPER_TITLES = ["Experiment 1", "Control (PFE-Shuffled)", "Experiment 2"]
HOSTILE = "<script>alert(1)</script> \x1b[31m \u202e \udc80 \x00 $data \u2028"


def run_of(
    planned: Sequence[ModelConfig],
    records: Sequence[Record] = (),
    commands: Sequence[str] = (),
    folder: Path = Path("results/mine"),
) -> dict[str, Any]:
    data = run_as_data(planned, records, commands, folder)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    return data


def states(data: dict[str, Any]) -> list[set[str]]:
    return [{cell["state"] for cell in grid["cells"]} for grid in data["grids"]]


def test_the_whole_paper() -> None:
    data = run_of(PAPER, plausible(PAPER), ["pfe reproduce --profile paper --out x"])
    assert data["counts"] == {"planned": 750, "measured": 750, "failed": 0, "waiting": 0}
    assert [grid["title"] for grid in data["grids"]] == PAPER_TITLES
    assert [len(grid["cells"]) for grid in data["grids"]] == [35, 35, 50]
    assert states(data) == [{"measured"}] * 3
    assert sum(len(cell["runs"]) for grid in data["grids"] for cell in grid["cells"]) == 750
    assert len(data["claims"]) == 14
    assert (data["failures"], data["commands"]) == ([], ["pfe reproduce --profile paper"])
    assert len(json.dumps(data)) < 2_000_000


@pytest.mark.parametrize(("planned", "state"), [([], "missing"), (PAPER, "waiting")])
def test_nothing_measured_yet(planned: list[ModelConfig], state: str) -> None:
    data = run_of(planned)
    count = len(planned)
    assert data["counts"] == {"planned": count, "measured": 0, "failed": 0, "waiting": count}
    assert [grid["title"] for grid in data["grids"]] == PAPER_TITLES
    assert states(data) == [{state}] * 3
    assert (data["finished"], data["seconds"]) == (None, 0)
    assert (data["commits"], data["versions"], data["machines"]) == ([], {}, [])


def test_failed_models_are_counted_and_told() -> None:
    records = [*plausible(EXP1[1:4]), failed(EXP1[0], f"Traceback\n{HOSTILE}")]
    data = run_of(EXP1[:5], records)
    assert data["counts"] == {"planned": 5, "measured": 3, "failed": 1, "waiting": 1}
    assert data["failures"] == [
        {"model": "exp1 N=3 r=100 |P|=4 seed=42", "error": records[-1].error}
    ]
    first, second = data["grids"][0]["cells"][:2]
    assert first["state"] == "partial"
    assert second["state"] == "waiting"


def test_the_papers_grids_come_first_and_others_after_them() -> None:
    odd = configs_of("exp1", primes=(2, 3), sizes=(2,), ranges=(30,))
    slow = [replace(config, trainer="plain") for config in EXP2[:1]]
    planned = [*odd, *slow, small_config(experiment="something else")]
    data = run_of(planned, plausible([*odd, *slow]))
    assert [grid["title"] for grid in data["grids"]] == [
        *PAPER_TITLES,
        "Experiment 1, primes 2, 3",
        "Experiment 2, plain trainer",
    ]
    assert [grid["paper"] for grid in data["grids"]] == [True, True, True, False, True]
    assert states(data) == [{"missing"}, {"missing"}, {"missing"}, {"measured"}, {"measured"}]
    assert data["counts"]["planned"] == 4, "also of experiments that no grid shows"


def test_questions_are_answered_where_networks_were_probed() -> None:
    records = plausible(EXP1[:20])
    assert run_of(EXP1[:20], records)["questions"] is None
    probed = [*map(with_probe, records)]
    answers = answer_questions(EXP1[:20], probed)
    assert answers is not None
    assert run_of(EXP1[:20], probed)["questions"] == answers_as_data(answers)


def test_circumstances_are_told_once_each() -> None:
    records = plausible(EXP2[:3])
    other = replace(
        PROVENANCE,
        finished="2027-01-01T00:00:00+00:00",
        seconds=2.25,
        commit=None,
        machine="another",
        versions={"python": "3.12", "torch": "2.13.0"},
    )
    data = run_of(EXP2[:3], [replace(records[0], provenance=other), *records[1:]])
    assert data["finished"] == "2027-01-01T00:00:00+00:00"
    assert data["seconds"] == 5.25
    assert data["commits"] == ["abc"]
    assert data["machines"] == ["another", "a machine"]
    assert data["versions"] == {"python": ["3.12", "3.11"], "torch": ["2.13.0"]}


def test_commands_are_told_once_without_places_and_controls() -> None:
    commands = ["pfe run exp1 --out a", "pfe run exp1 --out b --workers 2", f"pfe run {HOSTILE}"]
    first, second = run_of([], [], commands)["commands"]
    assert first == "pfe run exp1"
    assert "<script>" in second
    assert second.isprintable()


def test_the_folder_is_named_as_given_and_by_its_last_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "<b>mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for given in (Path(), Path("../<b>mine"), folder):
        data = run_of([], folder=given)
        assert (data["name"], data["folder"]) == ("<b>mine", str(given))
    assert run_of([], folder=Path("/"))["name"] == "/"


def test_only_commands_that_train_are_offered_to_continue() -> None:
    """A store may come from somebody else."""
    commands = ["rm -rf /", "pfe run exp1", "pfe reproduce --profile paper", "pfe runaway", "x\ny"]
    data = run_of(EXP1[:1], commands=commands)
    assert data["continue"] == ["pfe run exp1", "pfe reproduce --profile paper"]
    assert len(data["commands"]) == 5
