"""A real ``pfe run`` in a process of its own, watched line by line."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil  # type: ignore[import-untyped]

from chaos.sweep import Sweep, acknowledged
from chaos.watchdog import PATIENCE, HungError

_PROGRAM = """
import faulthandler, signal, sys
faulthandler.register(signal.SIGUSR1)
from primefourier.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


class Driver:
    """A running sweep; use it as a context manager, which ends it and all its workers.

    Args:
        sweep: Its models.
        folder: Its --out.
        place: Where it trains, such as ("--workers", "2").
        patience: Seconds after which a record or an end that did not come counts as a hang.
    """

    def __init__(self, sweep: Sweep, folder: Path, *place: str, patience: float = PATIENCE) -> None:
        self._patience = patience
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sweep.words, "--out", str(folder), *place],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> "Driver":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self.workers():
            worker.kill()
        self.kill()

    @property
    def acknowledged(self) -> list[str]:
        """The models that it has reported as measured so far."""
        return acknowledged(self.lines)

    @property
    def said(self) -> str:
        """Everything it wrote."""
        return "".join(self.lines)

    def workers(self) -> list[psutil.Process]:
        """Return the processes that train its models."""
        found = []
        with suppress(psutil.Error):
            for child in psutil.Process(self.process.pid).children(recursive=True):
                with suppress(psutil.Error):  # it may end meanwhile
                    if "primefourier.lab.worker" in child.cmdline():
                        found.append(child)
        return found

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def wait_for_record(self, count: int) -> bool:
        """Wait until so many models are reported; False if it ended before."""
        deadline = time.monotonic() + self._patience
        with self._news:
            while len(self.acknowledged) < count and self._reader.is_alive():
                if not self._news.wait(timeout=0.2) and time.monotonic() > deadline:
                    break
        if len(self.acknowledged) < count and self._reader.is_alive():
            raise self._hang("no record came")
        return len(self.acknowledged) >= count

    def stop(self) -> None:
        """Stop the process and its workers where they are, as a suspended machine does."""
        os.killpg(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let stopped processes continue."""
        os.killpg(self.process.pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill the driver alone; its workers have to notice by themselves."""
        self.process.kill()
        self.end()

    def end(self) -> int:
        """Wait for its end, as long as it reports models, and return its exit code."""
        while self.wait_for_record(len(self.acknowledged) + 1):
            pass
        try:
            code = self.process.wait(self._patience)
        except subprocess.TimeoutExpired:
            raise self._hang("it did not end") from None
        self._reader.join(self._patience)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def _hang(self, what: str) -> HungError:
        """Return an error with what it said, and where each of its threads is."""
        count = len(self.workers())
        self.process.send_signal(signal.SIGUSR1)
        time.sleep(1)
        return HungError(f"{what} in {self._patience} s, with {count} workers:\n{self.said}")

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line)
                self._news.notify_all()
        with self._news:
            self._news.notify_all()
