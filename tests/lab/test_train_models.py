"""Models trained here, on real worker processes, and on a real cluster that others started."""

import threading
from pathlib import Path
from typing import Any

import pytest
from chaos.dask_cluster import DaskCluster
from distributed import Client

from other_software import without_the_project
from primefourier.cluster import ClusterError, local_client, remote_client
from primefourier.lab.measurement import measure
from primefourier.lab.record import Measurement, Record
from primefourier.lab.train_models import train_alone, train_models, train_on
from small_models import end_the_process, small_config

pytestmark = pytest.mark.process

CONFIGS = [
    small_config(seed=seed, primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=60)
    for seed in range(6)
]


def measurements(records: list[Record]) -> dict[str, Measurement | None]:
    found = {record.config.key: record.measurement for record in records}
    assert len(found) == len(records), "a model came twice"
    return found


def test_records_are_bitwise_the_same_wherever_models_are_trained() -> None:
    here = measurements(list(train_models(CONFIGS, 0, None, device="cpu")))
    with local_client(2) as client:
        on_two = measurements(list(train_on(client, CONFIGS, device="cpu")))
        with remote_client(client.scheduler_info()["address"]) as remote:
            again = measurements(list(train_on(remote, CONFIGS, device="cpu")))
    assert here == on_two == again
    assert len(here) == 6
    assert here[CONFIGS[0].key] == measure(CONFIGS[0]).measurement


def test_models_on_a_changing_cluster_are_those_of_one_process(tmp_path: Path) -> None:
    """One of two workers is killed midway, and another one joins."""
    configs = [small_config(seed=seed, epochs=10, input_range=60) for seed in range(16)]
    records = []
    with (
        DaskCluster(tmp_path, workers=2) as cluster,
        remote_client(cluster.address, packages=("torch",)) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        for record in train_on(client, configs, device="cpu"):
            records.append(record)
            if len(records) == 4:
                cluster.kill_worker()
            if len(records) == 7:
                cluster.add_worker()
    assert measurements(records) == measurements(list(train_models(configs, 0, None, device="cpu")))
    assert len(records) == 16


def test_a_model_that_kills_every_worker_is_reported_as_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("primefourier.lab.train_models.train_alone", end_the_process)
    with local_client(1) as client:
        (record,) = train_on(client, CONFIGS[:1], device="cpu")
    assert record.error is not None
    assert "KilledWorker" in record.error


def test_a_stopped_run_leaves_another_run_of_the_same_models_alone(
    tmp_path: Path,
) -> None:
    with (
        DaskCluster(tmp_path, workers=1) as cluster,
        remote_client(cluster.address) as one,
        remote_client(cluster.address) as other,
    ):
        first, second = (train_on(client, CONFIGS, device="cpu") for client in (one, other))
        records = [next(second)]
        next(first)
        first.close()
        records += second
    assert set(measurements(records)) == {config.key for config in CONFIGS}


@pytest.mark.parametrize(("failures", "fetched"), [(2, True), (3, False)])
def test_a_record_that_cannot_be_fetched_is_fetched_again_and_then_an_error(
    monkeypatch: pytest.MonkeyPatch, failures: int, fetched: bool
) -> None:
    """A connection may fail between a model's end and the arrival of its record."""
    gather, left = Client._gather_remote, iter(range(failures))

    async def fail(self: Client, *arguments: Any) -> object:
        if next(left, None) is None:
            return await gather(self, *arguments)
        self._gather_keys = self._gather_future = None
        raise AssertionError("the connection is broken")

    monkeypatch.setattr(Client, "_gather_remote", fail)
    with local_client(1) as client:
        training = train_on(client, CONFIGS[:1], device="cpu")
        if fetched:
            assert [record.config for record in training] == CONFIGS[:1]
        else:
            with pytest.raises(ClusterError, match=r"fetched.* connection is broken; .* are safe"):
                list(training)


def test_threads_of_one_process_wait_for_each_other() -> None:
    found: list[Record] = []
    threads = [
        threading.Thread(
            target=lambda c=config: found.append(train_alone(c.to_dict(), {}, device="cpu"))
        )
        for config in CONFIGS[:3]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert measurements(found) == {
        config.key: measure(config).measurement for config in CONFIGS[:3]
    }


def test_a_worker_without_the_project_stops_the_run_with_an_error(tmp_path: Path) -> None:
    with DaskCluster(tmp_path) as cluster, remote_client(cluster.address) as client:
        cluster.add_worker(environment=without_the_project(tmp_path))
        with pytest.raises(ClusterError, match=r"cannot train models: .*worker at tcp.*install pr"):
            list(train_on(client, CONFIGS[:1], device="cpu"))


def test_a_killed_scheduler_ends_the_run_with_an_error(tmp_path: Path) -> None:
    configs = [small_config(seed=seed, epochs=20, input_range=100) for seed in range(6)]
    with DaskCluster(tmp_path, workers=1) as cluster, remote_client(cluster.address) as client:
        records = train_on(client, configs, device="cpu")
        next(records)
        cluster.kill_scheduler()
        with pytest.raises(ClusterError, match=r"scheduler was lost; records .* are safe"):
            list(records)
