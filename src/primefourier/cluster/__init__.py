"""Worker processes: started here, or on a Dask cluster that others started."""

from primefourier.cluster.local import local_client, usable_cores
from primefourier.cluster.remote import (
    ClusterError,
    remote_client,
    scheduler_address,
    versions,
    with_version_check,
)

__all__ = [
    "ClusterError",
    "local_client",
    "remote_client",
    "scheduler_address",
    "usable_cores",
    "versions",
    "with_version_check",
]
