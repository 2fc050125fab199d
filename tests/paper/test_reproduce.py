"""``pfe reproduce``, and the experiments of ``pfe run``."""

import json
import subprocess
from pathlib import Path

import pytest

from lab_records import maker_of
from pfe_runs import SMALL, Pfe, plan_of
from primefourier.lab.store import read_store
from primefourier_paper import SinglePrime
from read_page import read_page

Smoke = tuple[Path, subprocess.CompletedProcess[str]]


def test_any_part_or_extension_can_be_run(
    pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["run", "exp2", "--moduli", "15,30", "--ranges", "20,30", "--seeds", "1,2"]
    words += ["--operation", "multiply", "--primes", "3,5", *SMALL, "--out", "my out"]
    monkeypatch.setattr("sys.argv", ["/some/where/pfe", *words])
    code, text, err = pfe(*words)
    assert (code, "Measured 8 of 8 models" in text) == (0, True)
    assert err.count("warning: N = 30: The basis cannot see the factor 2") == 1
    assert "To see all of 30, add the prime 2." in err
    store = read_store(here / "my out")
    configs = [record.config for record in store.records]
    (command,) = store.commands
    assert command.startswith("pfe run exp2 --moduli 15,30 ")
    assert command.endswith("--out 'my out'")
    assert {(c.task.modulus, c.task.input_range, c.seed) for c in configs} == {
        (n, r, s) for n in (15, 30) for r in (20, 30) for s in (1, 2)
    }
    assert {(c.task.operation, c.embedding.primes, c.embedding.depth) for c in configs} == {
        ("multiply", (3, 5), 2)
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("exp4", "must be a Python file, or a command of pfe run --help, got 'exp4'"),
        ("", "a Python file, or a command of pfe run --help"),
        ("exp2 --sizes 4 --plan", "Unknown option: --sizes"),
        ("control --embedding pfe", "embedding 'pfe' is that of exp1"),
        ("exp1 --ranges 1e3 --plan", "--ranges: integers with commas between them"),
    ],
)
def test_wrong_input_is_refused_before_anything_is_written(
    pfe: Pfe, here: Path, words: str, message: str
) -> None:
    code, text, err = pfe("run", *words.split())
    assert (code, text) == (2, "")
    assert message in err
    assert list(here.iterdir()) == []


def test_plan_counts_models_of_each_study_trains_none_and_asks_no_cluster(
    pfe: Pfe, here: Path
) -> None:
    words = ("reproduce", "--profile", "smoke", "--scheduler", "tcp://127.0.0.1:9")
    plan = plan_of(pfe, *words)
    assert plan.pop("all") == (21, 0, 21)
    assert {name.partition(" ")[0] for name in plan} == {"exp1", "control", "exp2"}
    assert [sum(counts) for counts in zip(*plan.values(), strict=True)] == [21, 0, 21]
    assert list(here.iterdir()) == []


def test_reproduce_shows_the_main_result_and_ends_with_claims_figures_and_report(
    smoke: Smoke, pfe: Pfe
) -> None:
    folder, done = smoke
    assert done.returncode == 0, done.stderr
    assert "Measured 21 of 21 models" in done.stdout
    verdicts = {row["claim"]: row for row in json.loads((folder / "claims.json").read_text())}
    assert len(verdicts) == 21
    assert verdicts["E1.1"]["by_means"] == "2 of 2"
    assert "13 claims: 1 holds, " in done.stdout
    assert "does not hold" not in done.stdout, "a part of the configurations decides nothing"
    assert [verdicts[name]["verdict"] for name in ("E1.1", "E1.5", "E1.4", "T.1")] == [
        *("undecided", "undecided", "not measured yet", "holds"),
    ]
    assert "| **E1.1** " in (folder / "claims.md").read_text()
    names = {path.name for path in (folder / "figures").iterdir()}
    assert {"figure-01-circles-9-17-mod-23.svg", "figure-04-exp1-diagonal.png"} <= names
    assert {"figure-08-control-off-diagonal.png", "figure-18-exp2-profiles-r100.png"} <= names
    assert f"\nReport: {folder}/report.html\n" in done.stdout
    run = json.loads(read_page(folder / "report.html").texts["data"])["run"]
    assert run["counts"] == {"planned": 21, "measured": 21, "failed": 0, "waiting": 0}
    assert [row["verdict"] for row in run["claims"]] == [
        row["verdict"] for row in verdicts.values()
    ]
    lines = done.stderr.splitlines()
    assert lines[0] == "21 models, 17 of them measured before"
    assert lines[1].startswith("[18/21] ")
    assert "models per minute, about" in lines[3]
    assert (len(lines), lines[-1].endswith("done")) == (5, True)
    for record in read_store(folder).records:
        if type(maker_of(record.config)) is SinglePrime:
            p = record.config.task.modulus
            drops = dict(zip(record.config.row_names, record.row_drops(), strict=True))
            assert record.measured.accuracy > 0.99
            assert drops[str(p)] == pytest.approx(1 - 1 / p, abs=0.03)
    words = ("reproduce", "--profile", "smoke", "--out", str(folder))
    assert plan_of(pfe, *words)["all"] == (21, 21, 0)
