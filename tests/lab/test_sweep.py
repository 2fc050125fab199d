"""Runs of many models that are started, stopped and continued for real."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from primefourier import lab
from primefourier.lab.cost import model_flops
from primefourier.lab.measurement import measure
from primefourier.lab.record import Record
from primefourier.lab.store import FolderError, StoreError, read_store
from primefourier.lab.sweep import Progress, measured_in, run, stoppable
from small_models import small_config

CONFIGS = [small_config(seed=seed, epochs=1) for seed in range(5)]
DRIVER = """
import signal
import sys
from small_models import small_config, small_study
from primefourier.lab.sweep import run

def show(progress):
    print(progress.done, flush=True)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one may come after the run
    configs = [small_config(seed=seed, epochs=12, input_range=100) for seed in range(6)]
    outcome = run(configs, sys.argv[1], workers=int(sys.argv[2]), on_progress=show)
    print("interrupted" if outcome.interrupted else "complete", flush=True)
"""


def records_of(folder: Path) -> list[Record]:
    return read_store(folder).records


def test_every_model_is_measured_once_with_the_same_result_as_alone(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def show(progress: Progress) -> None:
        seen.append((progress.done, progress.remaining))

    assert lab.run is run
    outcome = run([*CONFIGS, *CONFIGS], tmp_path / "new", workers=0, on_progress=show)
    assert not outcome.interrupted
    assert seen == [(0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0)]
    records = records_of(tmp_path / "new")
    assert [record.config for record in records] == CONFIGS
    assert [r.measurement for r in records] == [measure(c).measurement for c in CONFIGS]


def test_second_run_only_trains_new_models_and_keeps_a_damaged_store(tmp_path: Path) -> None:
    run(CONFIGS[:3], tmp_path, workers=0, command="first")
    before = records_of(tmp_path)
    outcome = run(CONFIGS, tmp_path, workers=0, command="second")
    assert (outcome.progress.before, outcome.progress.done) == (3, 2)
    store = read_store(tmp_path)
    assert store.records[:3] == before
    assert store.commands == ["first", "second"]
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    outcome = run(CONFIGS[::-1], tmp_path, workers=0, command="third")
    assert (outcome.progress.before, outcome.progress.done) == (5, 0)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    (tmp_path / "records.jsonl").write_bytes(b"nonsense" * 1000)
    with pytest.raises(StoreError, match=f"is damaged: .*; pfe repair {tmp_path}"):
        run(CONFIGS[:2], tmp_path, workers=0)
    assert (tmp_path / "records.jsonl").read_bytes() == b"nonsense" * 1000


def test_failed_models_are_recorded_and_tried_again(tmp_path: Path) -> None:
    outcome = run(CONFIGS[:2], tmp_path, workers=0, device="no such device")
    assert (outcome.progress.done, outcome.progress.failed) == (0, 2)
    assert all("Traceback" in (record.error or "") for record in records_of(tmp_path))
    outcome = run(CONFIGS[:2], tmp_path, workers=0)
    assert (outcome.progress.done, outcome.progress.failed) == (2, 0)
    assert all(record.error is None for record in records_of(tmp_path))


def test_models_are_trained_seed_by_seed_and_longest_first(tmp_path: Path) -> None:
    long = [small_config(seed=seed, epochs=4) for seed in range(2)]
    seen: list[str] = []

    def show(progress: Progress) -> None:
        if progress.last is not None:
            seen.append(progress.last.config.key)

    run([*CONFIGS[:2], *reversed(long)], tmp_path, workers=0, on_progress=show)
    assert seen == [c.key for c in (long[0], CONFIGS[0], long[1], CONFIGS[1])]


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path: Path) -> None:
    def second(_: Progress) -> None:
        with pytest.raises(FolderError, match="is being written to by process"):
            run(CONFIGS, tmp_path, workers=0)

    assert run(CONFIGS[:1], tmp_path, workers=0, on_progress=second).progress.done == 1


def test_a_run_may_happen_in_a_thread(tmp_path: Path) -> None:
    thread = threading.Thread(target=run, args=(CONFIGS[:1], tmp_path), kwargs={"workers": 0})
    thread.start()
    thread.join()
    assert len(records_of(tmp_path)) == 1


def start(folder: Path, workers: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = folder.parent / "driver.py"
    script.write_text(DRIVER)
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
    )


@pytest.mark.process
@pytest.mark.parametrize(("name", "workers"), [(signal.SIGINT, 2), (signal.SIGTERM, 0)])
def test_signals_stop_a_run_in_seconds_and_it_can_be_continued(
    tmp_path: Path, workers: int, name: signal.Signals
) -> None:
    folder = tmp_path / "out"
    with start(folder, workers) as driver:
        assert driver.stdout is not None
        assert driver.stderr is not None
        for line in driver.stdout:
            if line.strip() == "2":
                break
        stopped = time.monotonic()
        os.killpg(driver.pid, name)  # as a terminal does: to every process in the foreground
        if workers:
            time.sleep(0.05)
            os.killpg(driver.pid, name)  # an impatient user
        rest, errors = driver.stdout.read(), driver.stderr.read()
    assert time.monotonic() - stopped < 30
    assert "interrupted" in rest
    assert "Traceback" not in errors
    assert driver.returncode == 0
    before = records_of(folder)
    assert 2 <= len(before) < 6
    configs = [small_config(seed=seed, epochs=12, input_range=100) for seed in range(6)]
    assert not run(configs, folder, workers=0).interrupted
    records = records_of(folder)
    assert len(records) == 6
    assert [r for r in records if r.config.key in {b.config.key for b in before}] == before


def test_an_impatient_second_signal_does_not_interrupt_the_shutdown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt() -> bool:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return True
        return False

    with stoppable():
        assert [interrupt() for _ in range(3)] == [True, False, False]
        monkeypatch.setattr("primefourier.lab.sweep._PATIENCE", 0.0)
        assert interrupt()


def test_bad_workers_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers must be an integer of at least 0, got -1"):
        run(CONFIGS, tmp_path / "out", workers=-1)
    assert not (tmp_path / "out").exists()


def test_time_left_depends_on_work_and_not_on_the_number_of_models() -> None:
    small, large = small_config(epochs=1), small_config(epochs=9)
    progress = Progress.of(4, [small, large, small])
    assert (progress.before, progress.remaining) == (1, 3)
    assert progress.time_left(5.0) is None
    progress.count(measure(small))
    done, left = model_flops(small), model_flops(small) + model_flops(large)
    assert progress.time_left(5.0) == 5.0 * left / done > 20
    progress.count(measure(large))
    progress.count(measure(small, device="no such device"))
    assert (progress.done, progress.failed, progress.remaining) == (2, 1, 0)
    assert progress.time_left(1.0) == 0


def test_absent_folders_have_measured_nothing_and_stay_absent(tmp_path: Path) -> None:
    assert measured_in(tmp_path) == measured_in(tmp_path / "absent") == set()
    assert not (tmp_path / "absent").exists()


@pytest.mark.process
def test_a_run_can_be_stopped_while_its_workers_start(tmp_path: Path) -> None:
    with start(tmp_path / "out", 2) as driver:
        assert driver.stdout is not None
        assert driver.stderr is not None
        assert driver.stdout.readline() == "0\n"  # the workers are started next
        time.sleep(1)
        os.killpg(driver.pid, signal.SIGINT)
        rest, errors = driver.stdout.read(), driver.stderr.read()
    assert "interrupted" in rest
    assert errors == ""
