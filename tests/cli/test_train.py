"""``pfe run`` and ``pfe reproduce``, with and without ``--plan``."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from primefourier.lab.store import read_store
from primefourier.lab.studies import models_of, profile
from read_page import read_page

Smoke = tuple[Path, subprocess.CompletedProcess[str]]
Pfe = Callable[..., tuple[int, str, str]]
SMALL = ("--epochs", "1", "--pairs", "200", "--depth", "2", "--workers", "0")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_any_part_or_extension_can_be_run(
    pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["run", "exp2", "--moduli", "15,45", "--ranges", "20,30", "--seeds", "1,2"]
    words += ["--operation", "multiply", "--primes", "3,5", *SMALL, "--out", "my out"]
    monkeypatch.setattr("sys.argv", ["/some/where/pfe", *words])
    code, text, _ = pfe(*words)
    assert (code, "Measured 8 of 8 models" in text) == (0, True)
    with read_store(here / "my out") as store:
        configs = [record.config for record in store.records()]
        (command,) = store.commands()
    assert command.startswith("pfe run exp2 --moduli 15,45 ")
    assert command.endswith("--out 'my out'")
    assert {(c.modulus, c.input_range, c.seed) for c in configs} == {
        (n, r, s) for n in (15, 45) for r in (20, 30) for s in (1, 2)
    }
    assert {(c.operation, c.primes, c.depth) for c in configs} == {("multiply", (3, 5), 2)}


def test_settings_file_replaces_experiment_and_options(pfe: Pfe, here: Path) -> None:
    part = "sizes = [2]\nranges = [20]\nepochs = 1\ndepth = 2\n"
    Path("mine.toml").write_text(f"[exp1]\n{part}[control]\n{part}embedding = 'shuffled-pair'\n")
    assert pfe("run", "--config", "mine.toml", "--workers", "0", "--probe")[0] == 0
    with read_store(here / "results" / "mine") as store:
        found = [(r.config.embedding, r.probe is None) for r in store.records()]
    assert found == [("pfe", False)] * 2 + [("shuffled-pair", True)] * 2
    for extra in ("exp1", "--batch-size=3"):
        code, _, err = pfe("run", extra, "--config", "mine.toml")
        assert (code, f"got also {extra.partition('=')[0]}" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("exp4", "did you mean 'exp"),
        ("", "an experiment is required, one of exp1, control, exp2, or --config FILE"),
        ("exp1 --moduli 15", "--moduli is an option of exp2, not of exp1"),
        ("exp2 --sizes 4", "--sizes is an option of exp1 and control, not of exp2"),
        ("control --embedding pfe", "embedding 'pfe' is that of exp1"),
        ("exp1 --embedding shuffled-pair", "--embedding is an option of control, not"),
        ("exp1 --ranges 1", "ranges must be an integer of at least 2, got 1"),
        ("exp1 --ranges 1e3", "--ranges: integers with commas between them"),
        ("exp2 --moduli 1", "moduli must be an integer of at least 2, got 1"),
        ("exp1 --sizes 17", "at most the number of primes, 16, got 17"),
        ("exp1 --epochs 2.5", "an integer such as"),
        ("exp1 --primes 3,9", "primes must be distinct primes, got 9"),
        ("--config none.toml", "none.toml cannot be read: No such file"),
        ("control --probe", "the shuffled control has none; leave it out, or probe exp1"),
    ],
)
@pytest.mark.parametrize("plan", [[], ["--plan"]])
def test_wrong_input_is_refused_before_anything_is_written(
    pfe: Pfe, here: Path, words: str, message: str, plan: list[str]
) -> None:
    code, text, err = pfe("run", *words.split(), *plan)
    assert (code, text) == (2, "")
    assert message in err
    assert list(here.iterdir()) == []


def test_invisible_primes_are_named_and_the_run_goes_on(pfe: Pfe, here: Path) -> None:
    words = ("--moduli", "30", "--ranges", "20", "--primes", "3,5")
    code, _, err = pfe("run", "exp2", *words, *SMALL)
    assert code == 0
    assert "warning: N = 30: The basis cannot see the factor 2" in err
    assert "invisible to the network: 2." in err


def test_failed_models_exit_with_1(pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.cli.options._check_device", lambda device: None)
    words = ("run", "exp1", "--sizes", "1", "--ranges", "20", "--device", "nonsense", *SMALL)
    code, _, err = pfe(*words, "--plan")
    assert (code, "cannot be trained: RuntimeError" in err) == (1, True)
    code, text, err = pfe(*words, "--out", "out")
    assert code == 1
    assert "FAILED: RuntimeError" in err
    assert "1 failed" in text
    assert "shows why; the same command tries failed models again" in text
    assert "nonsense" in pfe("status", "out")[1]
    assert json.loads(pfe("status", "out", "--json")[1])["failed"] == 1


@pytest.mark.parametrize("plan", [[], ["--plan"]])
def test_folder_with_other_files_is_refused(pfe: Pfe, here: Path, plan: list[str]) -> None:
    Path("notes.txt").write_text("mine")
    words = ("run", "exp1", "--sizes", "1", *SMALL, *plan, "--out")
    code, _, err = pfe(*words, ".")
    assert (code, "holds other files, such as 'notes.txt'" in err) == (2, True)
    code, _, err = pfe(*words, "notes.txt")
    assert (code, "notes.txt cannot be used as output folder" in err) == (2, True)


def test_missing_scheduler_exits_with_1(
    pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 1)
    code, _, err = pfe("run", "exp1", "--sizes", "1", "--scheduler", "tcp://127.0.0.1:9")
    assert code == 1
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in err


def test_networks_are_probed_at_once_or_later_and_planned_so(pfe: Pfe, here: Path) -> None:
    words = ("run", "exp1", "--sizes", "2", "--ranges", "20", *SMALL, "--out", "out")
    both = (*words, "--seeds", "42,43")
    assert pfe(*words, "--probe")[0] == 0
    assert pfe(*both)[0] == 0
    with read_store(here / "out") as store:
        found = sorted(record.probe is None for record in store.records())
    assert found == [False] * 2 + [True] * 2
    files = {path: path.read_bytes() for path in (here / "out").iterdir()}
    everything = "4 models: 4 measured already in out, nothing to train.\n"
    assert pfe(*both, "--plan") == (0, everything, "")
    code, text, _ = pfe(*both, "--plan", "--probe")
    assert code == 0
    assert text.startswith("4 models: 2 measured already in out, 2 to train.\n")
    assert "Probes take about a third more." in " ".join(text.split())
    assert files == {path: path.read_bytes() for path in (here / "out").iterdir()}
    code, text, err = pfe(*both, "--probe")
    assert (code, "Measured 4 of 4 models" in text) == (0, True)
    assert "different" not in err
    with read_store(here / "out") as store:
        assert all(record.probe is not None for record in store.records())


@pytest.mark.process
def test_plan_prints_times_for_numbers_of_workers_and_writes_nothing(pfe: Pfe, here: Path) -> None:
    words = ("--sizes", "2,3", "--ranges", "20", "--epochs", "1", "--pairs", "200", "--depth", "2")
    code, text, _ = pfe("run", "exp1", *words, "--workers", "1", "--plan")
    assert code == 0
    assert text.startswith("5 models: 5 to train.\n")
    rows = re.findall(r"^ +(\d+)  (\d+ s) to (\d+ s) *$", text, re.MULTILINE)
    assert [workers for workers, _, _ in rows] == ["1", "2", "4", "8"]
    assert "From short trials on 1 worker. More than" in text
    assert max(map(len, text.splitlines())) <= 80
    assert list(here.iterdir()) == []


def test_plan_of_a_profile_asks_no_cluster(
    pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.usable_cores", lambda: 0)
    monkeypatch.setattr("primefourier.lab.estimate._TRIAL_FLOPS", 10**6)
    words = ("reproduce", "--profile", "smoke", "--scheduler", "tcp://127.0.0.1:9", "--plan")
    code, text, _ = pfe(*words)
    assert code == 0
    assert text.startswith("21 models: 21 to train.\n")
    assert "From short trials on this process." in text
    assert "The cluster was not asked." in " ".join(text.split())
    assert list(here.iterdir()) == []


def test_unknown_profile_is_refused(pfe: Pfe) -> None:
    code, _, err = pfe("reproduce", "--profile", "papr")
    assert (code, "did you mean 'paper'?" in err) == (2, True)


@pytest.mark.process
def test_reproduce_ends_with_claims_figures_and_report(smoke: Smoke) -> None:
    folder, done = smoke
    assert done.returncode == 0, done.stderr
    assert "Measured 21 of 21 models" in done.stdout
    verdicts = {row["claim"]: row for row in json.loads((folder / "claims.json").read_text())}
    assert len(verdicts) == 14
    assert verdicts["E1.1"]["configurations"] == 2
    assert [verdicts[name]["verdict"] for name in ("E1.1", "E1.5", "E1.4", "T.1")] == [
        *("holds", "holds", "not measured yet", "holds"),
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


def test_each_model_is_a_line_in_a_pipe_with_the_time_left(smoke: Smoke) -> None:
    lines = smoke[1].stderr.splitlines()
    assert lines[0] == "21 models, 17 of them measured before"
    assert len(lines) == 5
    assert lines[1].startswith("[18/21] ")
    assert "models per minute, about" in lines[3]
    assert lines[-1].endswith("done")


def test_main_result_of_the_paper_is_seen(smoke: Smoke) -> None:
    with read_store(smoke[0]) as store:
        records = store.records()
    assert {r.config.key for r in records} == {c.key for c in models_of(profile("smoke"))}
    for record in records:
        if record.config.experiment == "exp1":
            p = record.config.modulus
            assert record.measured.accuracy > 0.99
            assert record.drop(p) == pytest.approx(1 - 1 / p, abs=0.03)


def test_second_run_trains_nothing(smoke: Smoke, pfe: Pfe, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, done = smoke
    monkeypatch.setattr("sys.argv", done.args)
    files = [folder / "claims.json", folder / "figures" / "figure-04-exp1-diagonal.svg"]
    before = [path.read_bytes() for path in files]
    code, out, err = pfe("reproduce", "--profile", "smoke", "--out", str(folder))
    assert code == 0
    assert "21 models, 21 of them measured before" in err
    assert "Measured 21 of 21 models" in out
    assert [path.read_bytes() for path in files] == before
