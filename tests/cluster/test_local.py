"""Real worker processes on this machine."""

import os
import time

import dask

from primefourier.cluster import local_client, usable_cores


def worker_process() -> int:
    return os.getpid()


def worker_settings() -> object:
    return dask.config.get("distributed.worker.profile.enabled")


def test_workers_have_one_thread_and_end_with_the_client() -> None:
    with local_client(2) as client, local_client(1) as second:  # two sweeps do not collide
        info = client.scheduler_info()
        assert info["address"].startswith("tcp://127.0.0.1:")
        assert [w["nthreads"] for w in info["workers"].values()] == [1, 1]
        assert len(second.scheduler_info()["workers"]) == 1
        assert set(client.run(worker_settings).values()) == {False}
        pids = list(client.run(worker_process).values())
    deadline = time.monotonic() + 10
    while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(_alive(pid) for pid in pids)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_everything_listens_on_loopback_only() -> None:
    with local_client(1) as client:
        (pid,) = client.run(worker_process).values()
        places = listening(os.getpid()) | listening(pid)
    assert places
    assert places <= {"127.0.0.1", "::1"}


def listening(pid: int) -> set[str]:
    """Return the addresses on which a process listens, as the system tells."""
    import psutil  # type: ignore[import-untyped]  # which Dask brings

    connections = psutil.Process(pid).net_connections("inet")
    return {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN}


def test_cores_are_counted() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
