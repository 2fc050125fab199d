"""What a worker process does before its first model; Dask loads it by name.

A terminal sends Ctrl-C to every process in the foreground. The driver alone decides what it means,
so workers ignore it.
"""

from __future__ import annotations

import signal


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C to the driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
