import sys

import pytest

from primefourier.cluster.error import ClusterError, require_dask


def test_a_missing_dask_is_told_with_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    require_dask()
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'primefourier\[lab\]', or work in one"):
        require_dask()


def test_errors_of_a_cluster_can_be_told_from_bugs() -> None:
    assert issubclass(ClusterError, RuntimeError)
