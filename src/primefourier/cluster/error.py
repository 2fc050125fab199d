"""What goes wrong with clusters, as one type of error, and what to say when Dask is missing."""

from __future__ import annotations


class ClusterError(RuntimeError):
    """A cluster that cannot be reached, that went away, or whose workers cannot be used."""


def require_dask() -> None:
    """Say how to install Dask if it is not there."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "several processes need dask.distributed, which is not installed; run pip install "
            "'primefourier[lab]', or work in one process: --workers 0, or no --scheduler"
        ) from error
