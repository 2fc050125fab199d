"""Real workers whose software says that it is another version."""

from pathlib import Path

import pytest
from distributed import Client

from chaos.dask_cluster import DaskCluster
from other_software import pretend, without_the_project
from primefourier.cluster import ClusterError, checked
from primefourier.cluster.versions import require_same_cluster, require_same_here, versions_here


def test_the_same_versions_pass_and_others_are_named_with_worker_and_remedy(tmp_path: Path) -> None:
    with DaskCluster(tmp_path, workers=1) as cluster, Client(cluster.address) as client:
        client.wait_for_workers(1, timeout=60)
        require_same_cluster(client, ("numpy", "torch"))
        cluster.add_worker(environment=pretend(tmp_path, "torch", "1.0.0"))
        client.wait_for_workers(2, timeout=60)
        require_same_cluster(client, ("numpy",))  # torch is not asked for
        here = versions_here(["torch"])["torch"]
        with pytest.raises(
            ClusterError,
            match=rf"the worker at tcp://127\S+ runs torch 1\.0\.0 instead of {here}; install the "
            "same versions on every machine",
        ):
            require_same_cluster(client, ("numpy", "torch"))


def test_a_function_is_run_where_the_versions_agree_and_nowhere_else() -> None:
    here = versions_here(["numpy"])
    assert checked(versions_here, ["numpy"])(["numpy"]) == here
    require_same_here(here)
    with pytest.raises(ClusterError, match=r"the worker that joined runs numpy .* instead of 0\.1"):
        require_same_here({**here, "numpy": "0.1"})


def test_a_scheduler_needs_neither_the_project_nor_its_packages(tmp_path: Path) -> None:
    plain = without_the_project(tmp_path)
    with DaskCluster(tmp_path, environment=plain) as cluster, Client(cluster.address) as client:
        cluster.add_worker(environment={"PYTHONPATH": ""})
        client.wait_for_workers(1, timeout=60)
        require_same_cluster(client, ("torch",))
        work = client.submit(checked(versions_here, ["torch"]), ["torch"])
        assert work.result() == versions_here(["torch"])


def test_builds_of_one_version_are_the_same_and_missing_packages_have_none() -> None:
    found = versions_here(["torch", "no-such-package"])
    assert "+" not in found["torch"]
    assert found["no-such-package"] == "none"
