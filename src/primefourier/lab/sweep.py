"""Run many models: train each one that is not measured yet, and commit each record."""

from __future__ import annotations

import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from primefourier._checks import usable_cores
from primefourier.arithmetic.integers import as_integer
from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import model_flops, seed_by_seed
from primefourier.lab.pool import train_models
from primefourier.lab.record import Record
from primefourier.lab.store import FolderError, is_done, read_store, write_store
from primefourier.lab.studies.study import Study, StudyLike
from primefourier.lab.studies.study_file import refuse_while_loading

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
    studies: StudyLike | Sequence[StudyLike] | Sequence[ModelConfig],
    folder: Path | str,
    *,
    command: str = "",
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "cpu",
    probe: bool = False,
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
        probe: Whether to probe the networks as well. Models that were measured without a probe
            are trained again for it; their records stay.
        on_progress: Called at the beginning and after each record.
    """
    refuse_while_loading()
    chosen = _as_studies(studies, Path(folder))
    configs = list({c.key: c for study in chosen for c in study.configs}.values())
    if workers is not None:
        workers = as_integer(workers, "workers", at_least=0)
    elif executor is None:
        workers = usable_cores()
    if _is_finished(chosen, folder, probe=probe):
        progress = Progress.of(len(configs), [])
        on_progress(progress)
        return Outcome(progress, interrupted=False)
    with write_store(folder) as store:
        records = {record.config.key: record for record in store.records()}
        store.begin(chosen, command)
        measured = {key for key, record in records.items() if is_done(record, probe=False)}
        probed = {key for key, record in records.items() if is_done(record, probe=probe)}
        pending = seed_by_seed([c for c in configs if c.key not in measured])
        pending += seed_by_seed([c for c in configs if c.key in measured - probed])
        progress = Progress.of(len(configs), pending)
        on_progress(progress)
        training = train_models(
            pending, workers=workers, executor=executor, device=device, probe=probe
        )
        try:
            with stoppable(), closing(training):
                for record in training:
                    store.add(record)
                    _compare(record, records.get(record.config.key))
                    progress.count(record)
                    on_progress(progress)
        except KeyboardInterrupt:
            return Outcome(progress, interrupted=True)
    return Outcome(progress, interrupted=False)


def _as_studies(studies: Any, folder: Path) -> list[StudyLike]:
    found = list(studies) if isinstance(studies, list | tuple) else [studies]
    if any(isinstance(item, ModelConfig) for item in found):
        found = [Study(folder.resolve().name or "study", found)]
    for study in found:
        if not hasattr(study, "configs"):
            raise TypeError(f"a study or a list of models is required, got {study!r}")
    return found


def _is_finished(studies: Iterable[StudyLike], folder: Path | str, *, probe: bool) -> bool:
    """Return whether nothing remains to be done, so that the files of a finished run stay."""
    try:
        with read_store(folder) as store:
            found = store.read()
    except FolderError:  # there is no store yet
        return False
    done = {r.config.key for r in found.records if is_done(r, probe=probe)}
    planned = {study.name: {c.key for c in study.configs} for study in found.studies}
    return all(
        {c.key for c in study.configs} <= done & planned.get(study.name, set()) for study in studies
    )


def _compare(again: Record, before: Record | None) -> None:
    """Warn if a model that was trained again for its probe failed or gave different numbers."""
    if before is None or before.error is not None:
        return
    name = again.config.describe()
    if again.error is not None:
        _LOG.warning("%s failed when trained again for its probe: %s", name, again.reason)
    elif again.measurement != before.measurement:
        _LOG.warning(
            "%s was trained again for its probe and gave different numbers, as may happen on "
            "another kind of machine; its record stays, and its probe is that of the new network",
            name,
        )


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
