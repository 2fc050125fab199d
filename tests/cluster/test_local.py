"""Real worker processes on this machine."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dask
import pytest
from chaos.doomed_starts import DoomedStarts
from distributed import Client, LocalCluster

from primefourier.cluster import ClusterError, local_client

pytestmark = pytest.mark.process


def worker_process() -> int:
    return os.getpid()


def worker_settings() -> object:
    return dask.config.get("distributed.worker.profile.enabled")


def test_workers_have_one_thread_and_end_with_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with local_client(2) as client, local_client(1) as second:  # two sweeps do not collide
        info = client.scheduler_info()
        assert info["address"].startswith("tcp://127.0.0.1:")
        assert [w["nthreads"] for w in info["workers"].values()] == [1, 1]
        assert len(second.scheduler_info()["workers"]) == 1
        assert set(client.run(worker_settings).values()) == {False}
        pids = list(client.run(worker_process).values())
        folders = list(tmp_path.glob("pfe-workers-*"))
        assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700, 0o700]
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert list(tmp_path.iterdir()) == []


STARTING = (
    "a worker process ended while it was starting (killed by signal 9); another one is started"
)
WORKING = "a worker process ended (killed by signal 9); another one is started"


def end_the_worker(ticket: str) -> int:
    """Take the worker down, the first time."""
    if Path(ticket).exists():
        Path(ticket).unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_workers_that_are_killed_are_replaced_and_that_is_reported(
    tmp_path: Path, doomed_starts: DoomedStarts, logged: Callable[[], list[str]]
) -> None:
    ticket = tmp_path / "ticket"
    ticket.touch()
    doomed_starts.doom(2)
    with local_client(1) as client:
        (first,) = client.run(worker_process).values()
        assert logged() == [STARTING, STARTING]
        doomed_starts.doom(3)
        assert client.submit(end_the_worker, str(ticket)).result() != first
        assert logged()[2:] == [WORKING, STARTING, STARTING, STARTING]


def test_workers_that_cannot_be_started_end_what_waits_for_them(
    doomed_starts: DoomedStarts,
    monkeypatch: pytest.MonkeyPatch,
    logged: Callable[[], list[str]],
) -> None:
    monkeypatch.setattr("primefourier.cluster.local._STARTS", 2)
    sentence = r"2 worker processes in a row .* one: killed by signal 9; .* safe\. .* again"
    with pytest.raises(ClusterError, match=sentence), local_client(1) as client:
        lose_the_worker(client, lambda: doomed_starts.doom(100))
    with pytest.raises(ClusterError, match=sentence), local_client(1):
        pass
    assert logged()[-2:] == [STARTING, STARTING.replace("another one is", "no more are")]
    monkeypatch.setattr("sys.executable", "/no/such/program")
    with pytest.raises(ClusterError, match=r"be replaced: FileNotFoundError: .*"), local_client(2):
        pass


def lose_the_worker(client: Client, then: Callable[[], None] = lambda: None) -> None:
    """Kill the only worker while something waits for its work."""
    (pid,) = client.run(worker_process).values()
    work = client.submit(time.sleep, 1000)
    then()
    os.kill(pid, signal.SIGKILL)
    work.result()


def test_work_goes_on_while_one_worker_is_left(
    doomed_starts: DoomedStarts,
    monkeypatch: pytest.MonkeyPatch,
    logged: Callable[[], list[str]],
) -> None:
    monkeypatch.setattr("primefourier.cluster.local._STARTS", 2)
    with local_client(2) as client:
        first, second = client.run(worker_process).values()
        doomed_starts.doom(100)
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: len(logged()) == 3)
        assert logged()[-1].endswith("no more are started")
        assert client.submit(worker_process).result() == second
        doomed_starts.doom(0)
        os.kill(second, signal.SIGKILL)
        client.wait_for_workers(2, timeout=60)
        assert logged()[3:] == [WORKING]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def client() -> Iterator[Client]:
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_worker_ignores_signals_and_ends_with_its_driver(client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    words = [
        "primefourier.cluster",
        client.scheduler_info()["address"],
        str(folder),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", *words], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as worker:
        assert worker.stdin is not None
        assert worker.stderr is not None
        client.wait_for_workers(1, timeout=60)
        for name in (signal.SIGINT, signal.SIGTERM):
            worker.send_signal(name)
        assert list(client.run(os.getpid).values()) == [worker.pid]
        (info,) = client.scheduler_info()["workers"].values()
        assert (info["name"], info["nthreads"], info["memory_limit"]) == (worker.pid, 1, 0)
        assert info["local_directory"].startswith(str(folder))
        worker.stdin.close()  # as when the driver is killed
        assert worker.wait(60) == 1
        assert b"Traceback" not in worker.stderr.read()
    assert not folder.exists()


def test_a_worker_that_hangs_while_it_starts_is_replaced(
    doomed_starts: DoomedStarts,
    monkeypatch: pytest.MonkeyPatch,
    logged: Callable[[], list[str]],
) -> None:
    monkeypatch.setattr("primefourier.cluster.local._START_SECONDS", 12.0)
    doomed_starts.doom(1, hang=True)
    with local_client(1) as client:
        assert client.submit(len, "abc").result() == 3
    assert ["while it was starting (killed by signal 9)" in text for text in logged()] == [True]


def test_only_the_owner_can_read_the_scratch_folder_and_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with local_client(1):
        (folder,) = tmp_path.glob("pfe-workers-*")
        assert folder.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []
