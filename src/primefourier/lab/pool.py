"""Train models in this process, on worker processes of this machine, or on any executor."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from traceback import format_exception
from typing import Any
from uuid import uuid4

from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import provenance_now, versions
from primefourier.lab.record import Record
from primefourier.lab.study_file import at_home, find_sources

_LOG = logging.getLogger(__name__)
_SILENCE = 60.0
"""Seconds after which a model that has not come back is named, again and again."""
_TRIES = 3
"""How often a model may lose its worker before it is given up."""
_AT_ONCE = 64
"""How many models an executor gets at a time, unless the user says how many workers it has."""


class WorkerError(RuntimeError):
    """Workers that cannot train models, or an executor that was lost."""


def train_models(
    configs: Sequence[ModelConfig],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "cpu",
) -> Generator[Record, None, None]:
    """Train models and yield each record as it arrives; closing the generator ends the workers.

    The models start in their order; :func:`primefourier.lab.run` explains the options.

    Raises:
        WorkerError: If a worker cannot train models at all, or the executor is lost.
    """
    if executor is None and not workers:
        from primefourier.lab.measurement import measure  # which loads torch

        for config in configs:
            with at_home(config):
                record = measure(config, device=device)
            yield record
        return
    sources = find_sources(configs)
    common = {"versions": versions(), "device": device}
    common["run"] = uuid4().hex  # since Dask takes equal tasks for one, also those of other runs
    # An executor queues what it cannot run yet, and does not say how many workers it has. It gets
    # no more than the user says, so that a model that is named for its silence has a worker.
    at_once = min(workers or _AT_ONCE, len(configs))
    waiting, running, named = deque(configs), dict[Future[str], tuple[ModelConfig, float]](), 0.0
    with _submitting(executor, at_once) as submit:
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    config = waiting.popleft()
                    files = {kind: str(file) for kind, file in config.files.items()}
                    known = {file: sources[file] for file in files.values()}
                    task = {"config": config.to_dict(), "files": files, "sources": known, **common}
                    running[submit(json.dumps(task))] = config, time.monotonic()
                for future in futures.wait(running, 1.0, futures.FIRST_COMPLETED).done:
                    yield _record_of(running.pop(future)[0], future, device)
                named = _name_silent([*running.values()], named)
        finally:
            for future in running:
                future.cancel()


def _name_silent(running: Sequence[tuple[ModelConfig, float]], named: float) -> float:
    """Log which models have not come back for a minute; return when models were last named."""
    now = time.monotonic()
    late = [f"{c.describe()} for {now - t:.0f} s" for c, t in running if now - t >= _SILENCE]
    if not late or now - named < _SILENCE:
        return named
    more = f" (and {len(late) - 3} more)" if len(late) > 3 else ""
    why = "its worker may be busy, stopped, or without this package"
    _LOG.warning("waiting for %s%s; %s", ", ".join(late[:3]), more, why)
    return now


def _record_of(config: ModelConfig, future: Future[str], device: str) -> Record:
    """Return the record of a finished task, or of why there is none."""
    try:
        found = json.loads(future.result())
        if "provenance" in found:
            with at_home(config):
                record = Record.from_data(found, config)
                if record.measurement is not None:
                    record.measurement.require_config(config)
                return record
    except (futures.CancelledError, futures.BrokenExecutor, ImportError) as lost:
        raise WorkerError(
            f"the executor was lost, or its workers cannot import primefourier ({lost!r}); records "
            "written before are safe. Start it anew, and run the same command again to continue"
        ) from lost
    except Exception as error:  # a record that nobody can read, or a worker that was lost for good
        found = {"error": "".join(format_exception(error))}
    if "refused" in found:
        raise WorkerError(found["refused"])
    made = provenance_now(config, seconds=0.0, device=device)
    return Record(config=config, error=found["error"], provenance=made)


@contextmanager
def _submitting(executor: Executor | None, workers: int) -> Iterator[Callable[[str], Future[str]]]:
    """Give tasks to an executor, or to worker processes that end with the context."""
    if executor is not None:
        from primefourier.lab.worker import train_task  # which a worker process runs as a module

        yield lambda task: executor.submit(train_task, task)
        return
    crew, threads = _Crew(), ThreadPoolExecutor(max(workers, 1))
    try:
        yield lambda task: threads.submit(crew.ask, task)
    finally:
        crew.end()
        threads.shutdown(cancel_futures=True)


class _Crew:
    """Worker processes of this machine, with one thread per process that talks to it by pipes."""

    # loky's executor was tried for this. When its driver is killed, its workers train on, and then
    # stay for ever. When one worker ends, it ends all of them, so that a model loses its worker
    # because of another one. Pipes need no pickles either, no semaphores, and nothing to clean up.

    def __init__(self) -> None:
        self._lock, self._over, self._mine = threading.Lock(), False, threading.local()
        self._processes: set[subprocess.Popen[str]] = set()

    def ask(self, task: str) -> str:
        """Have a task done by the process of this thread; one that ends is replaced."""
        ready = ending = ""
        for _ in range(_TRIES):
            try:
                process: Any = getattr(self._mine, "process", None) or self._start()
            except OSError as error:
                ending = str(error)
                continue
            with suppress(OSError, ValueError):  # it has ended, or all are ended
                ready += process.stdout.readline()
                print(task, file=process.stdin, flush=True)
                if answer := str(process.stdout.readline()):
                    if json.loads(answer).get("error"):  # a part may have left anything behind
                        self._end_mine(process, 0.0)
                    return answer
            code = self._end_mine(process, 1.0)
            ending = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            if not self._over:
                _LOG.warning("a worker process ended (%s) and is replaced", ending)
        if not ready:
            reason = (
                f"no worker process can be started ({ending}); free memory, or use fewer workers"
            )
            return json.dumps({"refused": f"{reason}, and run the same command again"})
        reason = f"its worker ended {_TRIES} times ({ending}), as when memory runs out"
        return json.dumps({"error": reason})

    def _start(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._over:
                raise WorkerError("the workers were ended")
            process = self._mine.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "primefourier.lab.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C is for the driver alone
                env={"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
            self._processes.add(process)
        return process

    def _end_mine(self, process: subprocess.Popen[str], patience: float) -> int:
        self._mine.process, code = None, _end(process, patience)
        self._processes.discard(process)  # whose number another process may get
        return code

    def end(self) -> None:
        """End all processes, whatever they do; they have nothing to save."""
        with self._lock:
            self._over = True
        for process in self._processes.copy():
            _end(process, 0.0)


def _end(process: subprocess.Popen[str], patience: float) -> int:
    """End a process, which may be ending, with those that it started; return its exit code."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL) if os.name == "posix" else process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            pipe.close()  # type: ignore[union-attr]
    return process.wait()
