"""Models trained by real worker processes, killed and stopped ones, and by real executors."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest
from distributed import Client
from loky import ProcessPoolExecutor as LokyExecutor

from dask_cluster import DaskCluster
from doomed_starts import DoomedStarts
from primefourier import lab
from primefourier.cli.app import run as pfe
from primefourier.lab import pool
from primefourier.lab.measurement import measure
from primefourier.lab.pool import WorkerError, train_models
from primefourier.lab.record import Measurement, Record
from primefourier.lab.worker import train_task
from small_models import small_config

pytestmark = pytest.mark.process
CONFIGS = [
    small_config(seed=seed, primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=60)
    for seed in range(4)
]
LONG = [small_config(seed=seed, epochs=10**6, input_range=100) for seed in range(2)]
"""Models that no test waits for."""
STUDY = """
import sys
sys.addaudithook(lambda event, _: event in ("os.fork", "os.forkpty") and sys.exit("forked"))
from dataclasses import dataclass
from typing import ClassVar
import torch
from primefourier import lab

@lab.register
@dataclass(frozen=True)
class Own:
    name: ClassVar[str] = "own"
    version: ClassVar[int] = 1
    def row_names(self):
        return ["a"]
    def relevant(self, task):
        return None
    def rows(self, integers):
        assert torch.get_num_threads() == 1
        return torch.tensor([[[int(a) % 2.0]] for a in integers])

parts = {"embedding": Own(), "task": lab.ModularArithmetic(modulus=2, input_range=20)}
models = [lab.ModelConfig(**parts, training=lab.Training(epochs=1), seed=s) for s in range(3)]
print(lab.run(models, "out", workers=1).progress.done, flush=True)
"""


def measurements(records: list[Record]) -> dict[str, Measurement]:
    found = {record.config.key: record.measured for record in records}
    assert len(found) == len(records), "a model came twice"
    return found


@pytest.fixture(scope="module")
def truth() -> dict[str, Measurement]:
    return measurements([measure(config) for config in CONFIGS])


def workers(pid: int | None = None) -> list[psutil.Process]:
    """Return the worker processes of a process, of this one by default."""
    children = psutil.Process(pid).children()
    return [child for child in children if "primefourier.lab.worker" in child.cmdline()]


def wait_for(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 120
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def test_a_killed_worker_is_replaced_and_that_is_reported(
    truth: dict[str, Measurement], logged: Callable[[], list[str]], doomed_starts: DoomedStarts
) -> None:
    doomed_starts.doom(2)
    training = train_models(CONFIGS, workers=1)
    records = [next(training)]
    (worker,) = workers()
    worker.kill()
    records += training
    assert measurements(records) == truth, "bitwise the same as here"
    assert workers() == []
    assert logged() == ["a worker process ended (killed by signal 9) and is replaced"] * 3


def test_workers_that_cannot_be_started_end_the_run(
    doomed_starts: DoomedStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed_starts.doom(100)
    with pytest.raises(WorkerError, match=r"can be started \(killed by signal 9\); free memory"):
        list(train_models(CONFIGS, workers=2))
    monkeypatch.setattr("sys.executable", "/no/such/program")
    with pytest.raises(WorkerError, match="No such file"):
        list(train_models(CONFIGS, workers=2))


def test_a_stopped_worker_is_named_again_and_again(
    monkeypatch: pytest.MonkeyPatch, logged: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr(pool, "_SILENCE", 0.5)
    records: list[Record] = []
    training = train_models(CONFIGS[:1], workers=1)
    thread = threading.Thread(target=lambda: records.extend(training))
    thread.start()
    (worker,) = wait_for(workers)
    worker.suspend()
    wait_for(lambda: len(logged()) >= 2)
    worker.resume()
    thread.join()
    assert [record.error for record in records] == [None]
    for text in logged():
        assert text.startswith(f"waiting for {CONFIGS[0].describe()} for ")


@contextmanager
def driver(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a sweep that does not end, in a process of its own, until its workers train."""
    (folder / "study.py").write_text(
        "from primefourier import lab\nfrom small_models import small_config\n"
        "study = lab.Study('long', [small_config(seed=s, epochs=10**6) for s in range(3)])\n"
    )
    words = ["run", "study.py", "--workers", "2", "--out", "out"]
    with subprocess.Popen(
        [sys.executable, "-m", "primefourier", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    ) as process:
        try:
            wait_for(lambda: [w for w in workers(process.pid) if w.cpu_times().user > 2])
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_driver_however_it_ends(
    number: signal.Signals, tmp_path: Path
) -> None:
    with driver(tmp_path) as process:
        children = workers(process.pid)
        for child in children:  # as a batch system does
            if number != signal.SIGKILL:
                child.send_signal(number)
        time.sleep(0.5)
        assert {w.pid for w in workers(process.pid)} >= {child.pid for child in children}
        os.killpg(process.pid, number)
        out, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    if number != signal.SIGKILL:
        assert (process.returncode, "Run the same command again" in out) == (1, True)
    assert psutil.wait_procs(children, timeout=30)[1] == []


def test_a_script_needs_no_guard_and_nothing_is_forked(tmp_path: Path) -> None:
    """Workers do not import the user's program, except for parts of its own."""
    (tmp_path / "mine.py").write_text(STUDY)
    words = [sys.executable, "mine.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("3\n", 0), done.stderr


def end_the_process() -> None:
    os._exit(1)


def test_any_executor_trains_the_same_records_and_one_that_breaks_ends_the_run(
    truth: dict[str, Measurement],
) -> None:
    with ThreadPoolExecutor(3) as executor:
        assert measurements(list(train_models(CONFIGS, executor=executor))) == truth
    with LokyExecutor(1) as executor:  # beside submitit, which docs/cluster.md runs
        assert measurements(list(train_models(CONFIGS, executor=executor))) == truth
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        assert measurements(list(train_models(CONFIGS, executor=executor))) == truth
        executor.submit(end_the_process)
        with pytest.raises(
            WorkerError, match=r"the executor was lost.*BrokenProcessPool.*are safe"
        ):
            list(train_models(LONG, executor=executor))


class Fake(Executor):
    """An executor that does nothing until it is asked to."""

    def __init__(self, end: Callable[["Future[str]", str], None]) -> None:
        self.end, self.most, self.open = end, 0, list["Future[str]"]()

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Any:
        assert function is train_task
        future: Future[str] = Future()
        self.open = [future, *(f for f in self.open if not f.done())]
        self.most = max(self.most, len(self.open))
        threading.Timer(0.05, self.end, [future, *arguments]).start()
        return future


def test_an_executor_gets_as_many_models_at_a_time_as_it_has_workers() -> None:
    executor = Fake(lambda future, task: future.set_result(train_task(task)))
    assert len(list(train_models(CONFIGS, executor=executor, workers=2))) == 4
    assert executor.most == 2


def test_a_worker_that_cannot_train_ends_the_run() -> None:
    executor = Fake(lambda future, _: future.set_result('{"refused": "it has numpy 0.1"}'))
    with pytest.raises(WorkerError, match=r"it has numpy 0\.1"):
        list(train_models(CONFIGS[:1], executor=executor))


def test_what_an_executor_gives_up_is_that_models_error() -> None:
    def give_up(future: "Future[str]", task: str) -> None:
        if json.loads(task)["config"]["seed"] == 1:
            future.set_exception(MemoryError("no room"))
        else:
            future.set_result('{"provenance": {}, "measurement": 7}')

    errors = {r.config.seed: r.reason for r in train_models(CONFIGS, executor=Fake(give_up))}
    assert errors[1] == "MemoryError: no room"
    assert errors[0] == "TypeError: 'int' object is not iterable"


@pytest.mark.slow
def test_a_dask_cluster_may_lose_a_worker_and_a_command_ends_with_its_scheduler(
    tmp_path: Path,
    truth: dict[str, Measurement],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    configs = [*CONFIGS, *(small_config(seed=s, epochs=9, input_range=60) for s in range(9))]
    monkeypatch.chdir(tmp_path)
    words = ["run", "exp1", "--sizes", "4", "--ranges", "60", "--epochs", "3", "--out", "out"]
    words += ["--seeds", ",".join(map(str, range(40))), "--workers", "2"]
    codes, said = list[int](), ""

    def hear(text: str) -> bool:
        nonlocal said
        said += capsys.readouterr().err
        return text in said

    with DaskCluster(tmp_path, workers=2) as cluster:
        with Client(cluster.address) as client:
            training = train_models(configs, executor=client.get_executor(), workers=3)
            records = [next(training)]
            cluster.kill_worker()
            records += training
        found = measurements(records)
        assert found.keys() == {config.key for config in configs}
        assert found | truth == found
        monkeypatch.setattr(pool, "_SILENCE", 0.5)
        where = ["--scheduler", str(cluster.file)]
        thread = threading.Thread(target=lambda: codes.append(pfe([*words, *where])))
        thread.start()
        wait_for(lambda: hear("[3/160]"))
        cluster.stop_scheduler()
        wait_for(lambda: hear("waiting for a+b mod "))
        cluster.kill_scheduler()
        thread.join(60)
    assert codes == [1]
    assert hear("the executor was lost")
    assert len(lab.open(tmp_path / "out").records) >= 3
