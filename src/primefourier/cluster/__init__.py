"""Worker processes: started here, or on a Dask cluster that somebody else started."""

from primefourier.cluster.error import ClusterError
from primefourier.cluster.local import local_client, usable_cores
from primefourier.cluster.remote import remote_client
from primefourier.cluster.versions import checked

__all__ = ["ClusterError", "checked", "local_client", "remote_client", "usable_cores"]
