"""Real worker processes, and a real Dask cluster that somebody else started."""

import os
import signal
import time

import pytest

from primefourier.lab.run_model import measure
from primefourier.lab.sweep.cluster import (
    ClusterError,
    local_client,
    remote_client,
    train_here,
    train_on,
    usable_cores,
)
from small_models import small_config

CONFIGS = [
    small_config(seed=seed, primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=60)
    for seed in range(6)
]


def test_records_are_bitwise_the_same_wherever_models_are_trained() -> None:
    here = {r.config.key: r.measurement for r in train_here(CONFIGS, device="cpu")}
    with local_client(2) as client:
        on_two = {r.config.key: r.measurement for r in train_on(client, CONFIGS, device="cpu")}
        address = client.scheduler_info()["address"]
        assert address.startswith("tcp://127.0.0.1:")
        with remote_client(address) as remote:
            again = {r.config.key: r.measurement for r in train_on(remote, CONFIGS, device="cpu")}
    assert here == on_two == again
    assert len(here) == 6
    assert here[CONFIGS[0].key] == measure(CONFIGS[0])


def worker_process() -> int:
    return os.getpid()


def test_a_killed_worker_s_models_go_to_another() -> None:
    configs = [small_config(seed=seed, epochs=20, input_range=100) for seed in range(6)]
    with local_client(2) as client:
        workers = list(client.run(worker_process).values())
        records = []
        for record in train_on(client, configs, device="cpu"):
            records.append(record)
            if len(records) == 1:
                os.kill(workers[0], signal.SIGKILL)
    assert {record.config.key for record in records} == {config.key for config in configs}
    assert all(record.error is None for record in records)
    assert len(records) == 6


def kill_own_process(config: object, *, device: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_model_that_kills_every_worker_is_reported_as_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("primefourier.lab.sweep.cluster.run_model", kill_own_process)
    with local_client(1) as client:
        (record,) = train_on(client, CONFIGS[:1], device="cpu")
    assert record.error is not None
    assert "KilledWorker" in record.error


def test_a_failed_model_does_not_stop_the_rest() -> None:
    with local_client(1) as client:
        records = list(train_on(client, CONFIGS[:2], device="no such device"))
    assert all("no such device" in (record.error or "") for record in records)
    assert len(records) == 2


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.lab.sweep.cluster._CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://", "127.0.0.1:notaport"):
        with (
            pytest.raises(ClusterError, match="no Dask scheduler answers at"),
            remote_client(address),
        ):
            pass


def test_workers_have_one_thread_and_end_with_the_sweep() -> None:
    with local_client(2) as client, local_client(1) as second:  # two sweeps do not collide
        info = client.scheduler_info()
        assert [w["nthreads"] for w in info["workers"].values()] == [1, 1]
        assert len(second.scheduler_info()["workers"]) == 1
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


def test_cores_are_counted() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
