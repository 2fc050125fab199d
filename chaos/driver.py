"""A real ``pfe run`` in a process of its own, watched line by line."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

import psutil  # type: ignore[import-untyped]

from chaos.sweep import Sweep, acknowledged

_PATIENCE = 300.0


class Driver:
    """A running sweep; use it as a context manager, which ends it and all its workers.

    Args:
        sweep: Its models.
        folder: Its --out.
        place: Where it trains, such as ("--workers", "2").
    """

    def __init__(self, sweep: Sweep, folder: Path, *place: str) -> None:
        program = "import sys; from primefourier.cli.app import run; sys.exit(run(sys.argv[1:]))"
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *sweep.words, "--out", str(folder), *place],
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
        try:
            children = psutil.Process(self.process.pid).children(recursive=True)
            return [child for child in children if "spawn_main" in " ".join(child.cmdline())]
        except psutil.Error:
            return []

    def wait_for_record(self, count: int, patience: float = _PATIENCE) -> bool:
        """Wait until so many models are reported; False if it ended before."""
        deadline = time.monotonic() + patience
        with self._news:
            while len(self.acknowledged) < count and self._reader.is_alive():
                if not self._news.wait(timeout=0.2) and time.monotonic() > deadline:
                    raise TimeoutError(f"no record came in {patience} s:\n{self.said}")
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
        """Wait for its end and return its exit code."""
        code = self.process.wait(_PATIENCE)
        self._reader.join(_PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line)
                self._news.notify_all()
        with self._news:
            self._news.notify_all()
