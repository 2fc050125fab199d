"""A real Dask cluster of separate processes on loopback, as another user would start it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

_DEADLINE = 60.0
_LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
"""Without a dashboard there are web pages all the same, and on every network."""


class DaskCluster:
    """A scheduler and workers, each a process of its own that can be killed.

    Use it as a context manager; every process it started ends with it.
    """

    def __init__(self, folder: Path, *, workers: int) -> None:
        self.file = folder / "scheduler.json"
        self.address = ""
        self._folder, self._count = folder, workers
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "DaskCluster":
        file = ("--scheduler-file", str(self.file))
        self._start("scheduler", "--port", "0", "--no-show", *file)
        deadline = time.monotonic() + _DEADLINE
        while not self._answers():
            assert time.monotonic() < deadline, "the Dask scheduler did not start"
            time.sleep(0.05)
        for _ in range(self._count):  # without a nanny that would replace it
            local = ("--local-directory", str(self._folder))
            self._start("worker", self.address, "--no-nanny", "--nthreads", "1", *local)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def kill_worker(self) -> None:
        """Kill the newest worker, as the kernel does when memory runs out."""
        self._processes[-1].kill()

    def stop_scheduler(self) -> None:
        """Stop the scheduler where it is, as a suspended machine does."""
        self._processes[0].send_signal(signal.SIGSTOP)

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        self._processes[0].kill()

    def _answers(self) -> bool:
        try:
            self.address = json.loads(self.file.read_text())["address"]
        except (OSError, ValueError):
            return False
        return True

    def _start(self, *words: str) -> None:
        with (self._folder / "dask.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *_LOOPBACK],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
