"""Run a sweep: every model that is not measured yet, each record committed as it arrives."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from primefourier.arithmetic.integers import as_integer
from primefourier.cluster import local_client, remote_client, usable_cores
from primefourier.cluster.remote import worker_threads
from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import longest_first
from primefourier.lab.record import Record
from primefourier.lab.sweep.folder import FolderError, WriterLock, prepare_folder
from primefourier.lab.sweep.places import PACKAGES, train_here, train_on
from primefourier.lab.sweep.progress import Progress
from primefourier.lab.sweep.store import StoreError, read_store, write_store

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = 10.0
"""Seconds after a first Ctrl-C in which another is taken for impatience."""


@dataclass(frozen=True)
class Outcome:
    """How a sweep ended.

    Args:
        progress: The final counts.
        interrupted: Whether somebody stopped it.
    """

    progress: Progress
    interrupted: bool


def run_sweep(
    configs: Sequence[ModelConfig],
    folder: Path | str,
    *,
    command: str = "",
    workers: int | None = None,
    scheduler: str | None = None,
    device: str = "cpu",
    probe: bool = False,
    watch: Callable[[Progress], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Train and ablate every model that the folder has no measurement of.

    Running it again continues where it stopped; models that failed are tried again. Ctrl-C and
    SIGTERM stop it in seconds, and every record that was reported is on disk.

    Args:
        configs: The models; repeated ones count once.
        folder: Where the store is; created if needed.
        command: What the user typed, for captions and status.
        workers: Worker processes on this machine; 0 trains in this process; by default one for
            each core.
        scheduler: The address of a Dask scheduler to use instead, or the file it wrote.
        device: The torch device of the workers.
        probe: Whether to take the networks apart, too. Models that were measured without are
            trained again for that; their records stay.
        watch: Called at the beginning and after each record.
        tell: Called with a sentence about something that the user should know meanwhile.
    """
    configs = list({config.key: config for config in configs}.values())
    workers = usable_cores() if workers is None else as_integer(workers, "workers", at_least=0)
    folder = Path(folder)
    if _is_finished(configs, folder, probe=probe):
        progress = Progress.of(len(configs), [])
        watch(progress)
        return Outcome(progress, interrupted=False)
    with ExitStack() as stack:
        client = None
        if scheduler is not None:
            client = stack.enter_context(remote_client(scheduler, packages=PACKAGES, tell=tell))
            _advise(client, tell)
        prepare_folder(folder)
        stack.enter_context(WriterLock(folder))
        store = stack.enter_context(write_store(folder, tell))
        store.begin(configs, command)
        done, measured = store.done(probe=probe), store.done()
        before = {r.config.key: r for r in store.records() if probe and r.error is None}
        waiting = [config for config in configs if config.key not in done]
        pending = longest_first(config for config in waiting if config.key not in measured)
        pending += longest_first(config for config in waiting if config.key in measured)
        progress = Progress.of(len(configs), pending)
        watch(progress)
        try:
            with (
                stoppable(),
                closing(train(pending, workers, client, device=device, probe=probe)) as records,
            ):
                for record in records:
                    store.add(record)
                    _compare(record, before.get(record.config.key), tell)
                    progress.count(record)
                    watch(progress)
        except KeyboardInterrupt:
            return Outcome(progress, interrupted=True)
    return Outcome(progress, interrupted=False)


def _is_finished(configs: Sequence[ModelConfig], folder: Path, *, probe: bool) -> bool:
    """Tell whether nothing is left to do, so that a finished sweep's files stay as they are."""
    try:
        with read_store(folder) as store:
            return {config.key for config in configs} <= store.done(probe=probe)
    except (FolderError, StoreError):  # there is none, or it is damaged and will be restored
        return False


def train(
    pending: Sequence[ModelConfig],
    workers: int,
    client: Client | None,
    *,
    device: str,
    probe: bool = False,
) -> Generator[Record, None, None]:
    """Yield the records of the pending models; closing it ends the workers."""
    count = min(workers, len(pending))
    if client is not None:
        yield from train_on(client, pending, device=device, probe=probe)
    elif count == 0:
        yield from train_here(pending, device=device, probe=probe)
    else:
        with local_client(count) as local:
            yield from train_on(local, pending, device=device, probe=probe)


def _compare(again: Record, before: Record | None, tell: Callable[[str], None]) -> None:
    """Say if a model that was trained again for its probe failed, or came out otherwise."""
    if before is not None and again.error is not None:  # which is not stored: its record stays
        tell(f"{again.config.describe()} failed when trained again for its probe: {again.reason}")
    elif before is not None and again.measurement != before.measurement:
        tell(
            f"{again.config.describe()} was trained again for its probe and came out otherwise, as "
            "may be on another kind of machine; its record stays, and its probe is of the new one"
        )


def _advise(client: Client, tell: Callable[[str], None]) -> None:
    """Say that threads of a worker are of no use."""
    if (threads := max(worker_threads(client), default=1)) > 1:
        tell(
            f"a worker has {threads} threads, but trains one model at a time; to use all its "
            f"cores, start it with --nworkers {threads} --nthreads 1"
        )


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C, and SIGTERM, which batch systems send, stop a sweep.

    Closing the workers takes a second or two, and an impatient second Ctrl-C must not break that
    off; a later one may.
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
