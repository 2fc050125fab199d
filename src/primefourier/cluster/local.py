"""Worker processes on this machine."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from primefourier.cluster.remote import ClusterError, require_dask

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

_LOG = logging.getLogger(__name__)
_SETTINGS = {
    # interruptions that only serve monitoring:
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.allowed-failures": 3,
    "distributed.comm.timeouts.connect": "60s",
    # a process that was stopped and continued is late, not lost; a dead one is noticed at once
    "distributed.scheduler.worker-ttl": None,
}
_STARTS = 10
"""How many worker processes in a row may end while they start."""
_START_SECONDS = 120.0
"""How long a worker process may take to connect; then it is killed."""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def local_client(workers: int) -> Iterator[Client]:
    """Start worker processes with one thread each, on this machine and on loopback only.

    Args:
        workers: How many; one that ends is replaced, and this is logged.

    Raises:
        ClusterError: If worker processes cannot be started.
    """
    require_dask()
    import dask
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        scratch = TemporaryDirectory(prefix="pfe-workers-", ignore_cleanup_errors=True)
        folder = stack.enter_context(scratch)  # which is removed last
        stack.enter_context(dask.config.set({**_SETTINGS, "temporary-directory": folder}))
        with _signals_blocked():
            # Dask's own worker processes are not used: LocalCluster drops one for good if it is not
            # running 15 s after an earlier end, and restarts failing ones for ever
            cluster = LocalCluster(
                n_workers=0,
                host="127.0.0.1",
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else two runs collide
                silence_logs=logging.CRITICAL,
            )
            client = stack.enter_context(Client(stack.enter_context(cluster)))
            crew = stack.enter_context(_Crew(cluster, client, workers, folder))
        crew.wait()
        yield client


class _Crew:
    """Worker processes, each of which is replaced when it ends.

    If they cannot be started, the client is closed, because all calls would wait for ever; the
    error that follows leaves the context as a ClusterError.
    """

    def __init__(self, cluster: LocalCluster, client: Client, count: int, folder: str) -> None:
        self._cluster, self._client, self._count = cluster, client, count
        self._folder = folder
        self._processes: dict[int, tuple[subprocess.Popen[bytes], float]] = {}
        self._connected, self._over = threading.Event(), threading.Event()
        self._failure = ""
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> _Crew:
        self._lifeline = os.pipe()
        self._keeper.start()
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._over.set()
        self._keeper.join()
        for process, _ in self._processes.values():
            process.kill()  # a worker has nothing to save
            process.wait()
        for end in self._lifeline:
            os.close(end)
        if self._failure and isinstance(error, Exception):
            raise ClusterError(self._failure) from error

    def wait(self) -> None:
        """Wait until the processes are connected, or cannot be started."""
        self._connected.wait()
        if self._failure:
            raise ClusterError(self._failure)

    def _keep(self) -> None:
        try:
            reason = self._replace()
        except Exception as error:
            reason = f"worker processes cannot be replaced: {type(error).__name__}: {error}"
        if reason:
            self._failure = (
                f"{reason}; what was written before is safe. Free memory, or use fewer "
                "workers or none, and run the same command again"
            )
            self._connected.set()
            self._client.close()

    def _replace(self) -> str:
        """Replace processes that end; return why no more of them can be started."""
        failures, ending, known = 0, "", set[int]()
        while failures < _STARTS or self._processes:
            while len(self._processes) < self._count and failures < _STARTS:
                process = self._start()
                self._processes[process.pid] = process, time.monotonic() + _START_SECONDS
            # wait longer after each failure: memory, for instance, may be short for a while
            if self._over.wait(0.1 + failures / 2):
                return ""
            here = {w["name"] for w in self._cluster.scheduler_info["workers"].values()}
            failures = 0 if here - known else failures
            known |= here
            if self._processes.keys() <= known:
                self._connected.set()
            for pid, (process, deadline) in list(self._processes.items()):
                if pid not in known and time.monotonic() > deadline:
                    process.kill()  # it hangs; the next look finds it ended
                if (code := process.poll()) is None:
                    continue
                del self._processes[pid]
                failures = 0 if pid in known else failures + 1
                ending = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
                when = " while it was starting" if failures else ""
                what = "another one is started" if failures < _STARTS else "no more are started"
                _LOG.warning("a worker process ended%s (%s); %s", when, ending, what)
        return f"{failures} worker processes in a row ended while starting, the last one: {ending}"

    def _start(self) -> subprocess.Popen[bytes]:
        import dask

        settings = {
            "distributed": dask.config.get("distributed"),
            "logging": {"distributed": "critical"},
            "temporary-directory": self._folder,
        }
        words = ["-m", "primefourier.cluster", self._cluster.scheduler_address, self._folder]
        return subprocess.Popen(
            [sys.executable, "-P", *words],
            stdin=self._lifeline[0],
            env={
                "OMP_NUM_THREADS": "1",
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "DASK_INTERNAL_INHERIT_CONFIG": dask.config.serialize(settings),
            },
        )


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block Ctrl-C and SIGTERM while a cluster starts, because half of one cannot be closed.

    The thread that starts the worker processes inherits this, and so do they.
    """
    if os.name != "posix":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
