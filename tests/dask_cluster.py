"""A real Dask cluster of separate processes on loopback, as another user would start it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

_DEADLINE = 60.0
_LOOPBACK = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
"""Without a dashboard there are web pages all the same, and on every network."""


class DaskCluster:
    """A scheduler and workers, each a process of its own that can be killed and replaced.

    Use it as a context manager; every process it started ends with it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        workers: int = 0,
        options: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._options = options
        self._environment = environment
        self._first = workers
        self._scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.file = folder / "scheduler.json"
        self.address = ""

    def __enter__(self) -> "DaskCluster":
        self.start_scheduler()
        for _ in range(self._first):
            self.add_worker()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in [*self.workers, *filter(None, [self._scheduler])]:
            process.kill()
            process.wait()

    def start_scheduler(self, port: str = "0") -> None:
        """Start the scheduler and wait until it says where it listens."""
        self.file.unlink(missing_ok=True)
        words = ("--port", port, "--no-show", "--scheduler-file", str(self.file))
        self._scheduler = self._start("scheduler", *words)
        deadline = time.monotonic() + _DEADLINE
        while not self._answers():
            if time.monotonic() > deadline or self._scheduler.poll() is not None:
                raise TimeoutError("the Dask scheduler did not start")
            time.sleep(0.05)

    def add_worker(
        self, *options: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start one more worker process, without a nanny that would replace it."""
        words = ("--no-nanny", "--nthreads", "1", *options)
        local = ("--local-directory", str(self._folder))
        worker = self._start("worker", self.address, *words, *local, environment=environment)
        self.workers.append(worker)
        return worker

    def kill_worker(self) -> None:
        """Kill the oldest worker, as the kernel does when memory runs out."""
        worker = self.workers.pop(0)
        worker.send_signal(signal.SIGKILL)
        worker.wait()

    def stop_scheduler(self) -> None:
        """Stop the scheduler where it is, as a suspended machine does."""
        assert self._scheduler is not None
        self._scheduler.send_signal(signal.SIGSTOP)

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        assert self._scheduler is not None
        self._scheduler.send_signal(signal.SIGKILL)
        self._scheduler.wait()

    def _answers(self) -> bool:
        try:
            self.address = json.loads(self.file.read_text())["address"]
        except (OSError, ValueError):
            return False
        return True

    def _start(
        self, *words: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        with (self._folder / "dask.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *_LOOPBACK, *self._options],
                stdout=log,
                stderr=log,
                env={**os.environ, **(self._environment or {}), **(environment or {})},
                start_new_session=True,
            )
