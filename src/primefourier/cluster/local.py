"""Worker processes on this machine."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

from primefourier.cluster.error import require_dask

if TYPE_CHECKING:
    from distributed import Client

_SETTINGS = {
    "distributed.worker.preload": ["primefourier.cluster.worker"],
    # what would stop the work to look at it:
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.allowed-failures": 3,
    "distributed.comm.timeouts.connect": "60s",
    # a process that was stopped and continued is late, not lost; a dead one is noticed at once
    "distributed.scheduler.worker-ttl": None,
}


@contextmanager
def local_client(workers: int) -> Iterator[Client]:
    """Start worker processes with one thread each, on this machine and on loopback only."""
    require_dask()
    import dask
    from distributed import Client, LocalCluster

    with dask.config.set(_SETTINGS), ExitStack() as stack:
        with _signals_wait():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else two sweeps collide
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
            client = stack.enter_context(Client(stack.enter_context(cluster)))
        yield client


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back while workers start, since half a cluster cannot be closed.

    The worker processes inherit this, and ignore both when they are up.
    """
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield
        return
    resource_tracker.ensure_running()  # which would let the signals through when it starts
    held = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
