"""The whole way once, for real: train, ablate, judge, draw."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from primefourier.lab.experiments import models_of, profile
from primefourier.lab.sweep import read_store
from read_page import read_page

Smoke = tuple[Path, subprocess.CompletedProcess[str]]
Pfe = Callable[..., tuple[int, str, str]]


def test_it_ends_with_claims_figures_and_report(smoke: Smoke) -> None:
    folder, done = smoke
    assert done.returncode == 0, done.stderr
    assert "Measured 21 of 21 models" in done.stdout
    verdicts = {row["claim"]: row for row in json.loads((folder / "claims.json").read_text())}
    assert len(verdicts) == 14
    assert verdicts["E1.1"]["verdict"] == "holds"
    assert verdicts["E1.1"]["configurations"] == 2
    assert verdicts["E1.5"]["verdict"] == "holds"
    assert verdicts["E1.4"]["verdict"] == "not measured yet"
    assert verdicts["T.1"]["verdict"] == "holds"
    assert "| **E1.1** diagonal drop far above" in (folder / "claims.md").read_text()
    names = {path.name for path in (folder / "figures").iterdir()}
    assert {"figure-01-circles-9-17-mod-23.svg", "figure-04-exp1-diagonal.png"} <= names
    assert {"figure-08-control-off-diagonal.png", "figure-18-exp2-profiles-r100.png"} <= names
    assert done.stdout.splitlines()[-1].startswith(f"To look at: {folder}/report.html. Claims")
    run = json.loads(read_page(folder / "report.html").texts["data"])["run"]
    assert run["counts"] == {"planned": 21, "measured": 21, "failed": 0, "waiting": 0}
    assert [row["verdict"] for row in run["claims"]] == [
        row["verdict"] for row in verdicts.values()
    ]


def test_each_model_is_told_in_a_pipe_with_the_time_left(smoke: Smoke) -> None:
    lines = smoke[1].stderr.splitlines()
    assert lines[0] == "21 models"
    assert len(lines) == 22
    assert lines[1].startswith("[1/21] ")
    assert "models a minute, about" in lines[5]
    assert lines[-1].endswith("done")


def test_the_paper_s_main_result_is_seen(smoke: Smoke) -> None:
    with read_store(smoke[0]) as store:
        records = store.records()
    assert {r.config.key for r in records} == {c.key for c in models_of(profile("smoke"))}
    for record in records:
        if record.config.experiment == "exp1":
            p = record.config.modulus
            assert record.measured.accuracy > 0.99
            assert record.drop(p) == pytest.approx(1 - 1 / p, abs=0.03)


def test_the_same_command_again_has_nothing_to_train(
    smoke: Smoke, pfe: Pfe, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, done = smoke
    monkeypatch.setattr("sys.argv", done.args)
    before = (folder / "claims.json").read_text()
    figure = (folder / "figures" / "figure-04-exp1-diagonal.svg").read_bytes()
    code, out, err = pfe("reproduce", "--profile", "smoke", "--out", str(folder))
    assert code == 0
    assert "21 models, 21 of them measured before" in err
    assert "Measured 21 of 21 models" in out
    assert (folder / "claims.json").read_text() == before
    assert (folder / "figures" / "figure-04-exp1-diagonal.svg").read_bytes() == figure


def test_an_unknown_profile_is_refused(pfe: Pfe) -> None:
    code, _, err = pfe("reproduce", "--profile", "papr")
    assert code == 2
    assert "did you mean 'paper'?" in err
