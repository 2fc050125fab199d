"""A real Dask cluster that others started, with the same and with other software."""

import operator
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from chaos.dask_cluster import DaskCluster

from other_software import pretend, without_the_project
from primefourier.cluster import (
    ClusterError,
    remote_client,
    versions,
    with_version_check,
)

pytestmark = pytest.mark.process


def test_a_scheduler_is_found_by_address_or_by_its_file(tmp_path: Path) -> None:
    with DaskCluster(tmp_path) as cluster:
        cluster.add_worker()
        for where in (cluster.address, str(cluster.file)):
            with remote_client(where, packages=("numpy",)) as client:
                client.wait_for_workers(1, timeout=60)
                assert client.submit(sum, (1, 2)).result() == 3


def test_a_scheduler_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://", "127.0.0.1:notaport"):
        with (
            pytest.raises(ClusterError, match="no Dask scheduler answers at"),
            remote_client(address),
        ):
            pass


@pytest.mark.parametrize("text", [None, "[]", '{"address": 5}', '{"address"'])
def test_a_wrong_scheduler_file_is_an_error(
    tmp_path: Path, text: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 1)
    path = tmp_path / "scheduler.json"
    if text is not None:
        path.write_text(text)
    with (
        pytest.raises(ClusterError, match=r"is not a file that dask scheduler --scheduler-file"),
        remote_client(str(path)),
    ):
        pass


@pytest.mark.parametrize("empty", [True, False])
def test_a_scheduler_file_is_waited_for(tmp_path: Path, empty: bool) -> None:
    with DaskCluster(tmp_path) as cluster:
        late = tmp_path / "late.json"
        if empty:  # a scheduler makes the file before it writes the address
            late.touch()
        timer = threading.Timer(0.5, cluster.file.rename, [late])
        timer.start()
        with remote_client(str(late)) as client:
            assert client.status == "running"
        timer.join()


def test_a_cluster_without_workers_is_reported_at_first_and_whenever_all_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._LOOK_SECONDS", 0.1)
    with DaskCluster(tmp_path) as cluster, remote_client(cluster.address) as c:
        wait_for(lambda: len(logged()) == 1)
        assert f"dask worker {cluster.address} --nthreads 1 --host 127.0.0.1" in logged()[0]
        cluster.add_worker()
        c.wait_for_workers(1, timeout=60)
        assert c.submit(sum, (1, 2)).result() == 3
        time.sleep(1)
        assert len(logged()) == 1
        cluster.kill_worker()
        wait_for(lambda: len(logged()) == 2)


def test_workers_that_dask_has_paused_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._LOOK_SECONDS", 0.1)
    for other in ("TARGET", "SPILL", "TERMINATE"):  # what Dask may do before the pause is noticed
        monkeypatch.setenv(f"DASK_DISTRIBUTED__WORKER__MEMORY__{other}", "False")
    with DaskCluster(tmp_path) as cluster, remote_client(cluster.address) as c:
        cluster.add_worker("--memory-limit", "220MB")
        c.wait_for_workers(1, timeout=60)
        kept = c.submit(operator.mul, b"x", 200_000_000)
        wait_for(lambda: any("are paused" in sentence for sentence in logged()))
        kept.release()


def wait_for(condition: object) -> None:
    deadline = time.monotonic() + 30
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.05)


def certificate(folder: Path) -> dict[str, str]:
    """Make a certificate of our own, and return the settings by which Dask uses it."""
    key, cert = str(folder / "key.pem"), str(folder / "cert.pem")
    words = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
    subprocess.run(
        ["openssl", "req", *words, "-keyout", key, "-out", cert], check=True, capture_output=True
    )
    settings = {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": cert}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        settings[f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT"] = cert
        settings[f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY"] = key
    return settings


def test_tls_goes_by_dask_s_own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    settings = certificate(tmp_path)
    with DaskCluster(tmp_path, options=("--protocol", "tls"), environment=settings) as cluster:
        assert cluster.address.startswith("tls://")
        cluster.add_worker()
        with (
            pytest.raises(ClusterError, match=r"tls:// needs Dask's settings"),
            remote_client(cluster.address),
        ):
            pass
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        before = dask.config.config
        dask.config.refresh()  # as a new process does
        try:
            with remote_client(cluster.address) as client:
                assert client.submit(sum, (1, 2)).result() == 3
        finally:
            monkeypatch.undo()
            dask.config.refresh()
        assert dask.config.config == before


def test_other_versions_are_named_with_the_worker_and_the_remedy(tmp_path: Path) -> None:
    with DaskCluster(tmp_path, workers=1) as cluster:
        with remote_client(cluster.address, packages=("numpy", "torch")) as client:
            client.wait_for_workers(1, timeout=60)
            cluster.add_worker(environment=pretend(tmp_path, "torch", "1.0.0"))
            client.wait_for_workers(2, timeout=60)
        with remote_client(cluster.address, packages=("numpy",)):
            pass  # this work does not need torch
        here = versions(["torch"])["torch"].partition("+")[0]
        with (
            pytest.raises(
                ClusterError,
                match=rf"the worker at tcp://127\S+ runs torch 1\.0\.0 instead of {here}; install "
                "the same versions on every machine",
            ),
            remote_client(cluster.address, packages=("numpy", "torch")),
        ):
            pass


def test_a_worker_that_joins_later_is_checked_before_it_works(tmp_path: Path) -> None:
    work = with_version_check(versions, ["torch"])
    with DaskCluster(tmp_path) as cluster, remote_client(cluster.address) as client:
        cluster.add_worker(environment=pretend(tmp_path, "torch", "1.0.0"))
        with pytest.raises(ClusterError, match=r"worker at tcp\S+ that joined runs torch 1\.0"):
            client.submit(work, ["torch"]).result()


def test_a_scheduler_needs_neither_the_project_nor_its_packages(tmp_path: Path) -> None:
    plain = without_the_project(tmp_path)
    with DaskCluster(tmp_path, environment=plain) as cluster:
        cluster.add_worker(environment={"PYTHONPATH": os.environ.get("PYTHONPATH", "")})
        with remote_client(cluster.address, packages=("torch",)) as client:
            work = with_version_check(versions, ["torch"])
            assert client.submit(work, ["torch"]).result() == versions(["torch"])


def test_a_missing_package_has_no_version_and_a_missing_dask_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert versions(["no-such-package"])["no-such-package"] == "not installed"
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ImportError, match=r"needs distributed, which .* pip install '\.\[lab\]'"),
        remote_client("tcp://127.0.0.1:9"),
    ):
        pass
