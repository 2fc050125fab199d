"""``--plan`` of pfe run and pfe reproduce: it counts, it estimates, and it leaves no trace."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from primefourier.cli.sweep_plan import measured_in, rows, write_flops
from primefourier.lab.calibration import Calibration, calibrate
from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import model_flops
from primefourier.lab.experiments import SinglePrime

Pfe = Callable[..., tuple[int, str, str]]
SMALL = ("--epochs", "1", "--pairs", "200", "--depth", "2", "--ranges", "20")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """What a folder holds, without the files that SQLite itself puts beside one that is read."""
    kept = folder.iterdir()
    return {path.name: path.read_bytes() for path in kept}


def calibrate_here(configs: Sequence[ModelConfig], *, workers: int, device: str) -> Calibration:
    """Try models without starting workers for it."""
    return replace(calibrate(configs, workers=0, device=device), startup=3.0)


def test_a_plan_counts_models_and_writes_nothing(pfe: Pfe, here: Path) -> None:
    code, text, err = pfe("run", "exp1", "--sizes", "2,3", *SMALL, "--workers", "2", "--plan")
    assert code == 0
    models = SinglePrime(sizes=(2, 3), ranges=(20,), epochs=1, pairs=200, depth=2).configs()
    operations = write_flops(sum(map(model_flops, models)))
    assert text.startswith(f"5 models: 5 to train, {operations}.\nCalibrated in ")
    assert "calibrating on" in err
    lines = [line.split() for line in text.splitlines()]
    assert [line[0] for line in lines if line and line[0].isdigit()] == ["5", "1", "2", "4", "8"]
    assert "The longest model takes about 0 s." in text
    assert "Starting and ending the workers" in text
    assert list(here.iterdir()) == []


def test_what_is_measured_is_subtracted(pfe: Pfe, here: Path) -> None:
    words = ("run", "exp1", *SMALL, "--workers", "0", "--out", "mine")
    assert pfe(*words, "--sizes", "2")[0] == 0
    before = contents(here / "mine")
    code, text, _ = pfe(*words, "--sizes", "2,3", "--plan")
    assert (code, contents(here / "mine")) == (0, before)
    assert text.startswith("5 models: 2 measured already in mine, 3 to train, ")
    assert " on this process: " in text
    assert "Starting" not in text
    code, text, err = pfe(*words, "--sizes", "2", "--plan")
    assert (code, text, err) == (0, "2 models: 2 measured already in mine, nothing to train.\n", "")


def test_a_profile_can_be_planned(pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.lab.calibration._TRIAL_FLOPS", 10**8)
    monkeypatch.setattr("primefourier.lab.calibration._PATIENCE", 0)
    code, text, _ = pfe("reproduce", "--profile", "smoke", "--workers", "0", "--plan")
    assert code == 0
    assert text.startswith("21 models: 21 to train, 3.51 TFLOP.\n")
    assert list(here.iterdir()) == []


def test_a_cluster_is_not_asked(pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.cluster.usable_cores", lambda: 1)
    monkeypatch.setattr("primefourier.lab.calibration.calibrate", calibrate_here)
    words = ("--sizes", "2", *SMALL, "--scheduler", "tcp://127.0.0.1:9", "--plan")
    code, text, _ = pfe("run", "exp1", *words)
    assert code == 0
    assert "The cluster was not asked; look for as many workers as it has." in text
    assert "More than 1 worker need other machines as fast as this one, which has 1 core." in text


def test_a_folder_that_a_run_would_refuse_is_refused(pfe: Pfe, here: Path) -> None:
    (here / "notes.txt").write_text("mine")
    words = ("run", "exp1", "--sizes", "2", *SMALL, "--plan", "--out")
    code, text, err = pfe(*words, ".")
    assert (code, text) == (2, "")
    assert "holds other files, such as 'notes.txt', but no sweep" in err
    code, text, err = pfe(*words, "notes.txt")
    assert (code, text) == (2, "")
    assert "notes.txt cannot be used as output folder" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["exp1", "--workers", "-1"], "--workers must be at least 0, got -1"),
        (["exp1", "--workers", "1", "--scheduler", "tcp://x"], "exclude each other"),
        (["exp1", "--device", "nonsense"], "--device 'nonsense' cannot be used here"),
        (["exp4"], "did you mean 'exp"),
    ],
)
def test_mistakes_are_those_of_a_run(pfe: Pfe, here: Path, words: list[str], message: str) -> None:
    code, text, err = pfe("run", *words, "--plan")
    assert (code, text) == (2, "")
    assert message in err
    assert list(here.iterdir()) == []


def test_models_that_cannot_be_trained_are_told(
    pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cli.sweep_plan.check_device", lambda device: None)
    words = ("--sizes", "1", *SMALL, "--workers", "0", "--device", "nonsense", "--plan")
    code, _, err = pfe("run", "exp1", *words)
    assert code == 1
    assert "cannot be trained: RuntimeError" in err


def test_empty_and_absent_folders_have_measured_nothing(here: Path) -> None:
    (here / "empty").mkdir()
    assert measured_in(here / "empty") == measured_in(here / "absent") == set()
    assert not (here / "absent").exists()


def test_the_table_has_the_workers_asked_for_and_no_idle_ones() -> None:
    assert rows(40, 750) == [1, 2, 4, 8, 16, 32, 40, 64]
    assert rows(2, 1) == [1, 2]
    assert rows(100, 2) == [1, 2, 100]


def test_operations_are_written_in_the_unit_that_fits() -> None:
    assert write_flops(3.2e15) == "3.2 PFLOP"
    assert write_flops(634_000_000_000) == "634 GFLOP"
