"""Running many models: the store, the workers, and the loop between them."""

from primefourier.cluster import ClusterError
from primefourier.lab.sweep.engine import Outcome, run_sweep
from primefourier.lab.sweep.folder import FolderError, current_writer
from primefourier.lab.sweep.progress import Progress, format_seconds
from primefourier.lab.sweep.store import Store, StoreError, read_store, repair_store

__all__ = [
    "ClusterError",
    "FolderError",
    "Outcome",
    "Progress",
    "Store",
    "StoreError",
    "current_writer",
    "format_seconds",
    "read_store",
    "repair_store",
    "run_sweep",
]
