"""Sweeps that are run, stopped and continued for real."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from chaos.disk import fill
from primefourier.lab.record import Record
from primefourier.lab.run_model import measure, run_model
from primefourier.lab.sweep import (
    ClusterError,
    FolderError,
    Progress,
    StoreError,
    read_store,
    run_sweep,
)
from primefourier.lab.sweep.store import write_store
from small_models import small_config

CONFIGS = [small_config(seed=seed, epochs=1) for seed in range(5)]
DRIVER = """
import sys
from pathlib import Path
from small_models import small_config
from primefourier.lab.sweep import run_sweep

def tell(progress):
    print(progress.done, flush=True)

if __name__ == "__main__":
    configs = [small_config(seed=seed, epochs=12, input_range=100) for seed in range(6)]
    outcome = run_sweep(configs, Path(sys.argv[1]), workers=int(sys.argv[2]), watch=tell)
    print("interrupted" if outcome.interrupted else "whole", flush=True)
"""


def test_every_model_is_measured_once_and_the_same_as_alone(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def watch(progress: Progress) -> None:
        seen.append((progress.done, progress.remaining))

    outcome = run_sweep([*CONFIGS, *CONFIGS], tmp_path / "new", workers=0, watch=watch)
    assert not outcome.interrupted
    assert seen == [(0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0)]
    with read_store(tmp_path / "new") as store:
        records = store.records()
    assert [record.config for record in records] == CONFIGS
    assert [record.measurement for record in records] == [measure(config) for config in CONFIGS]


def test_a_second_run_only_does_what_is_new(tmp_path: Path) -> None:
    run_sweep(CONFIGS[:3], tmp_path, workers=0, command="first")
    with read_store(tmp_path) as store:
        before = store.records()
    outcome = run_sweep(CONFIGS, tmp_path, workers=0, command="second")
    assert (outcome.progress.before, outcome.progress.done) == (3, 2)
    with read_store(tmp_path) as store:
        assert store.records()[:3] == before
        assert store.commands() == ["first", "second"]
    assert run_sweep(CONFIGS, tmp_path).progress.done == 0


def test_failed_models_are_recorded_and_tried_again(tmp_path: Path) -> None:
    outcome = run_sweep(CONFIGS[:2], tmp_path, workers=0, device="no such device")
    assert (outcome.progress.done, outcome.progress.failed) == (0, 2)
    with read_store(tmp_path) as store:
        assert all("Traceback" in (record.error or "") for record in store.records())
    outcome = run_sweep(CONFIGS[:2], tmp_path, workers=0)
    assert (outcome.progress.done, outcome.progress.failed) == (2, 0)
    with read_store(tmp_path) as store:
        assert all(record.error is None for record in store.records())


def records_of(folder: Path) -> list[Record]:
    with read_store(folder) as store:
        return store.records()


def without_probe(record: Record) -> Record:
    return replace(record, probe=None, probed=None)


def test_probes_are_added_to_what_was_measured_without_and_its_records_stay(
    tmp_path: Path,
) -> None:
    run_sweep(CONFIGS[:3], tmp_path, workers=0)
    before = records_of(tmp_path)
    told: list[str] = []
    outcome = run_sweep(CONFIGS[:3], tmp_path, workers=0, probe=True, tell=told.append)
    assert (outcome.progress.before, outcome.progress.done, told) == (0, 3, [])
    after = records_of(tmp_path)
    assert [without_probe(record) for record in after] == before
    assert [r.probe for r in after] == [run_model(c, probe=True).probe for c in CONFIGS[:3]]
    for record in after:
        assert record.probed is not None
        assert record.probed.finished >= record.provenance.finished
        assert record.probed.seconds != record.provenance.seconds
    for probe in (True, False):
        again = run_sweep(CONFIGS[:3], tmp_path, workers=0, probe=probe, tell=told.append)
        assert (again.progress.before, again.progress.done, told) == (3, 0, [])
    assert records_of(tmp_path) == after


def test_what_is_not_measured_comes_before_what_only_lacks_a_probe(tmp_path: Path) -> None:
    long = [small_config(seed=seed, epochs=4) for seed in range(2)]
    short, new = CONFIGS[0], [CONFIGS[1], small_config(seed=7, epochs=2)]
    run_sweep([*long, short], tmp_path, workers=0)
    run_sweep([long[1]], tmp_path, workers=0, probe=True)
    seen: list[str] = []

    def watch(progress: Progress) -> None:
        if progress.last is not None:
            seen.append(progress.last.config.key)

    configs = [short, *long, *new]
    outcome = run_sweep(configs, tmp_path, workers=0, probe=True, watch=watch)
    assert seen == [config.key for config in (new[1], new[0], long[0], short)]
    assert (outcome.progress.before, outcome.progress.done) == (1, 4)
    assert all(record.probe is not None for record in records_of(tmp_path))


def test_the_shuffled_control_is_measured_but_not_probed(tmp_path: Path) -> None:
    shuffled = small_config(embedding="shuffled-column", epochs=1)
    outcome = run_sweep([shuffled, CONFIGS[0]], tmp_path, workers=0, probe=True)
    assert outcome.progress.done == 2
    control, probed = records_of(tmp_path)
    assert (control.measurement, control.probe) == (measure(shuffled), None)
    assert probed.probe is not None
    again = run_sweep([shuffled, CONFIGS[0]], tmp_path, workers=0, probe=True)
    assert (again.progress.before, again.progress.done) == (2, 0)


def test_a_model_that_comes_out_otherwise_is_told_and_its_record_stays(tmp_path: Path) -> None:
    records = [run_model(config) for config in CONFIGS[:2]]
    first = records[0].measured
    changed = replace(records[0], measurement=replace(first, correct=first.correct + 1))
    with write_store(tmp_path) as store:
        store.begin(CONFIGS[:2], "x")
        store.add(changed)
        store.add(records[1])
    told: list[str] = []
    run_sweep(CONFIGS[:3], tmp_path, workers=0, probe=True, tell=told.append)
    assert [CONFIGS[0].describe() in sentence for sentence in told] == [True]
    assert "was trained again for its probe and came out otherwise" in told[0]
    after = records_of(tmp_path)
    assert [without_probe(record) for record in after[:2]] == [changed, records[1]]
    assert all(record.probe is not None for record in after)


def test_a_probe_that_fails_leaves_the_record_and_is_tried_again(tmp_path: Path) -> None:
    run_sweep(CONFIGS[:1], tmp_path, workers=0)
    before = records_of(tmp_path)
    told: list[str] = []
    again = {"workers": 0, "probe": True, "tell": told.append}
    outcome = run_sweep(CONFIGS[:1], tmp_path, device="no such device", **again)  # type: ignore[arg-type]
    assert (outcome.progress.done, outcome.progress.failed) == (0, 1)
    assert records_of(tmp_path) == before
    assert run_sweep(CONFIGS[:1], tmp_path, **again).progress.done == 1  # type: ignore[arg-type]
    assert [without_probe(record) for record in records_of(tmp_path)] == before
    (sentence,) = told
    assert sentence.startswith(f"{CONFIGS[0].describe()} failed when trained again for its probe: ")
    assert "no such device" in sentence


def test_a_finished_sweep_is_left_as_it_is(tmp_path: Path) -> None:
    run_sweep(CONFIGS[:2], tmp_path, workers=0, command="first")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "records.journal").unlink()  # as in a published folder
    outcome = run_sweep(CONFIGS[1::-1], tmp_path, workers=0, command="second")
    assert (outcome.progress.before, outcome.progress.done) == (2, 0)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        name: content for name, content in before.items() if name != "records.journal"
    }
    assert run_sweep(CONFIGS[:3], tmp_path, workers=0).progress.done == 1


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path: Path) -> None:
    def second(_: Progress) -> None:
        with pytest.raises(FolderError, match="is being written to by process"):
            run_sweep(CONFIGS, tmp_path, workers=0)

    assert run_sweep(CONFIGS[:1], tmp_path, workers=0, watch=second).progress.done == 1


def test_a_sweep_may_run_in_a_thread(tmp_path: Path) -> None:
    thread = threading.Thread(target=run_sweep, args=(CONFIGS[:1], tmp_path), kwargs={"workers": 0})
    thread.start()
    thread.join()
    with read_store(tmp_path) as store:
        assert len(store.records()) == 1


def start(folder: Path, workers: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
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


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_signals_stop_a_sweep_in_seconds_and_it_can_be_continued(
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
        if workers and name == signal.SIGINT:
            time.sleep(0.05)
            os.killpg(driver.pid, name)  # impatience must not break the shutdown off
        rest, errors = driver.stdout.read(), driver.stderr.read()
    assert time.monotonic() - stopped < 30
    assert "interrupted" in rest
    assert "Traceback" not in errors
    assert driver.returncode == 0
    with read_store(folder) as store:
        before = store.records()
    assert 2 <= len(before) < 6
    with start(folder, workers) as driver:
        out, _ = driver.communicate()
    assert "whole" in out
    with read_store(folder) as store:
        records = store.records()
    assert len(records) == 6
    assert [r for r in records if r.config.key in {b.config.key for b in before}] == before


@pytest.mark.parametrize("delay", [0.5, 1.5, 2.5])
def test_a_sweep_can_be_stopped_while_its_workers_start(tmp_path: Path, delay: float) -> None:
    with start(tmp_path / "out", 2) as driver:
        assert driver.stdout is not None
        assert driver.stderr is not None
        assert driver.stdout.readline() == "0\n"  # the workers are started next
        time.sleep(delay)
        os.killpg(driver.pid, signal.SIGINT)
        rest, errors = driver.stdout.read(), driver.stderr.read()
    assert "interrupted" in rest
    assert errors == ""


def test_bad_workers_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers must be an integer of at least 0, got -1"):
        run_sweep(CONFIGS, tmp_path / "out", workers=-1)
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_is_not_there_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 1)
    with pytest.raises(ClusterError, match="no Dask scheduler answers"):
        run_sweep(CONFIGS, tmp_path / "out", scheduler="tcp://127.0.0.1:9")
    assert not (tmp_path / "out").exists()


def test_a_killed_driver_loses_no_record_it_reported(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with start(folder, 0) as driver:
        assert driver.stdout is not None
        for line in driver.stdout:
            if line.strip() == "3":
                break
        driver.kill()
    with read_store(folder) as store:
        assert len(store.records()) >= 3


@pytest.mark.parametrize("workers", [0, 1])
def test_a_disk_that_fills_up_is_told_and_nothing_is_half_written(
    small_disk: Path, workers: int
) -> None:
    folder = small_disk / "out"

    def watch(progress: Progress) -> None:
        if progress.done == 2:
            fill(small_disk)

    with pytest.raises(StoreError, match=r"full.*run the same command again.*are safe"):
        run_sweep(CONFIGS, folder, workers=workers, watch=watch)
    with pytest.raises((StoreError, FolderError), match=r"full|No space"):
        run_sweep(CONFIGS, folder, workers=0)  # it is still full
    (small_disk / "filler").unlink()
    with read_store(folder) as store:
        assert [record.config for record in store.records()] == CONFIGS[:2]
    assert run_sweep(CONFIGS, folder, workers=0).progress.done == 3
    with read_store(folder) as store:
        assert [r.measurement for r in store.records()] == [measure(config) for config in CONFIGS]
