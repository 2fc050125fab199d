"""Run many models: train each one that is not measured yet, and commit each record."""

from __future__ import annotations

import logging
import math
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

from primefourier._checks import usable_cores
from primefourier.arithmetic.integers import as_integer
from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import model_flops, seed_by_seed
from primefourier.lab.pool import train_models
from primefourier.lab.provenance import part_digests
from primefourier.lab.record import Record
from primefourier.lab.store import (
    STORE_NAME,
    FolderError,
    Store,
    prepare_folder,
    read_store,
    write_store,
)
from primefourier.lab.study import Study
from primefourier.lab.study_file import refuse_while_loading

_LOG = logging.getLogger(__name__)
_PATIENCE = 10.0
"""Seconds after a first Ctrl-C in which a second one is ignored."""


@dataclass
class Progress:
    """Counts of a running sweep.

    Args:
        total: Planned models.
        before: Models that an earlier run measured.
        work: Floating-point operations of the others.
        done: Models measured in this run.
        failed: Models that failed in this run.
        finished_work: Operations of the finished models.
        last: The newest record.
    """

    total: int
    before: int
    work: int
    done: int = 0
    failed: int = 0
    finished_work: int = 0
    last: Record | None = field(default=None, repr=False)

    @classmethod
    def of(cls, total: int, pending: Sequence[ModelConfig]) -> Progress:
        """Begin to count a sweep with some pending models."""
        return cls(total, total - len(pending), sum(map(model_flops, pending)))

    def count(self, record: Record) -> None:
        """Count a finished model."""
        self.done += record.error is None
        self.failed += record.error is not None
        self.finished_work += model_flops(record.config)
        self.last = record

    @property
    def remaining(self) -> int:
        """Models that are not finished."""
        return self.total - self.before - self.done - self.failed

    def time_left(self, elapsed: float) -> float | None:
        """Return the seconds that remain at the speed so far, or None before the first model.

        Models differ in size, so speed is measured in operations.

        >>> Progress(total=4, before=0, work=100, finished_work=25).time_left(10.0)
        30.0
        """
        if not self.finished_work:
            return None
        return elapsed * (self.work - self.finished_work) / self.finished_work


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the final counts, and whether the user or the system stopped it."""

    progress: Progress
    interrupted: bool


def run(
    studies: Study | Sequence[Study] | Sequence[ModelConfig],
    folder: Path | str,
    *,
    command: str = "",
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "cpu",
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Outcome:
    """Train and ablate every model that the folder has no measurement of.

    Running it again continues where it stopped; models that failed are tried again. Ctrl-C and
    SIGTERM stop it in seconds, and every reported record is on disk.

    Args:
        studies: One or more studies, or a list of models, which become a study with the name of
            the folder. Models that several studies share are trained once.
        folder: Where the store is; created if needed.
        command: What the user typed, for captions and status.
        workers: Worker processes on this machine; 0 trains in this process; by default one for
            each core. With an executor, how many models it gets at a time, by default 64.
        executor: Where to train instead: any executor of ``concurrent.futures``, such as
            ``Client(…).get_executor()`` of Dask. It gets one function of this package and texts.
        device: The torch device of the workers.
        on_progress: Called at the beginning and after each record.
    """
    refuse_while_loading()
    chosen = _as_studies(studies, Path(folder))
    configs = list({c.key: c for study in chosen for c in study.configs}.values())
    if workers is not None:
        workers = as_integer(workers, "workers", at_least=0)
    elif executor is None:
        workers = usable_cores()
    if found := _finished(chosen, folder):  # then even a folder that may not be written to will do
        _warn_of_changes(found, configs)
        progress = Progress.of(len(configs), [])
        on_progress(progress)
        return Outcome(progress, interrupted=False)
    with write_store(folder) as store:
        done = store.contents.measured
        _warn_of_changes(done, configs)
        store.begin(chosen, command)
        pending = seed_by_seed(config for config in configs if config.key not in done)
        progress = Progress.of(len(configs), pending)
        on_progress(progress)
        training = train_models(pending, workers=workers, executor=executor, device=device)
        try:
            with stoppable(), closing(training):
                for record in training:
                    record = _add(store, record)
                    progress.count(record)
                    on_progress(progress)
        except KeyboardInterrupt:
            return Outcome(progress, interrupted=True)
    return Outcome(progress, interrupted=False)


def _as_studies(studies: Any, folder: Path) -> list[Study]:
    found = list(studies) if isinstance(studies, list | tuple) else [studies]
    if any(isinstance(item, ModelConfig) for item in found):
        found = [Study(folder.resolve().name or "study", found)]
    for study in found:
        if not hasattr(study, "configs"):
            raise TypeError(f"a study or a list of models is required, got {study!r}")
    return found


def _finished(studies: Iterable[Study], folder: Path | str) -> dict[str, Record] | None:
    """Return the measured models if nothing remains to be done, so that the files stay."""
    try:
        found = read_store(folder)
    except FolderError:  # there is no store yet
        return None
    done = found.measured
    planned = {study.name: {c.key for c in study.configs} for study in found.studies}
    finished = all(
        {c.key for c in study.configs} <= done.keys() & planned.get(study.name, set())
        for study in studies
    )
    return done if finished else None


def measured_in(folder: Path) -> set[str]:
    """Return the keys of the models that a folder has measured.

    Raises:
        FolderError: If the folder holds other files, so that a sweep would refuse it.
    """
    if not folder.exists():
        return set()
    prepare_folder(folder)  # creates nothing here, but refuses what a sweep would refuse
    return set(read_store(folder).measured) if (folder / STORE_NAME).is_file() else set()


def _warn_of_changes(done: Mapping[str, Record], configs: Iterable[ModelConfig]) -> None:
    """Warn if a file that defines a part has changed since it measured models of these recipes."""
    now: dict[tuple[object, ...], dict[str, str]] = {}  # by file, which many models share
    measured = Counter[str]()
    for config in configs:
        if (record := done.get(config.key)) and (files := config.files):
            place = tuple(files.items())
            if place not in now:
                now[place] = part_digests(config)
            parts = record.provenance.parts
            measured.update(n for n, d in parts.items() if now[place].get(n, d) != d)
    for name, count in measured.items():
        _LOG.warning(
            "the file that defines the %s has changed since it measured %d models of this run, "
            "which stay as they are; give the part a new version if its numbers changed",
            name,
            count,
        )


def _add(store: Store, record: Record) -> Record:
    """Write a record, or one with the reason why the first cannot be read back."""
    try:
        store.add(record)
    except (ValueError, TypeError, RecursionError) as error:
        reason = f"{type(error).__name__}: the record cannot be stored: {error}"
        record = replace(record, measurement=None, error=reason)
        store.add(record)
    return record


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn Ctrl-C, and SIGTERM, which batch systems send, into one KeyboardInterrupt.

    Closing the workers takes a second or two. An impatient second Ctrl-C must not interrupt that;
    a later one may.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    last = -math.inf

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal last
        if time.monotonic() - last > _PATIENCE:
            last = time.monotonic()
            raise KeyboardInterrupt

    before = {name: signal.signal(name, stop) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
