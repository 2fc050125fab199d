"""What a worker process does before its first model; Dask loads it by name.

A terminal sends Ctrl-C to every process in the foreground, and batch systems send SIGTERM to every
process of a job. The driver alone decides what that means, so workers ignore both, and end with it.
"""

from __future__ import annotations

import signal


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C and SIGTERM to the driver."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)
