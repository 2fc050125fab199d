"""Where models are trained: in this process, on worker processes here, or on a Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import provenance_now
from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_SECONDS = 20
_WORKER_SETUP = "primefourier.lab.sweep.worker"


class ClusterError(RuntimeError):
    """A cluster that cannot be reached, or that went away."""


def train_here(configs: Sequence[ModelConfig], *, device: str) -> Iterator[Record]:
    """Train models one after another in this process."""
    for config in configs:
        yield run_model(config, device=device)


def train_on(client: Client, configs: Sequence[ModelConfig], *, device: str) -> Iterator[Record]:
    """Train models on the workers of a cluster and yield each record as it arrives.

    A model whose worker is lost is given to another; if that happens again and again, the model is
    reported as failed.
    """
    from distributed import as_completed

    futures = {
        client.submit(run_model, config, device=device, key=f"pfe-{config.key}"): config
        for config in configs
    }
    try:
        for future, result in as_completed(futures, with_results=True, raise_errors=False):
            config = futures.pop(future)
            if future.status == "finished":
                yield result
            elif future.status == "error":
                yield _failed(config, future.exception(), device)
            else:
                raise ClusterError(
                    "the Dask scheduler went away; records written before are safe. Start it, and "
                    "run the same command again to continue"
                )
    finally:
        client.cancel(list(futures), force=True)


@contextmanager
def local_client(workers: int) -> Iterator[Client]:
    """Start worker processes with one thread each, on this machine and on loopback only."""
    _require_dask()
    import dask
    from distributed import Client, LocalCluster

    settings = {
        "distributed.worker.preload": [_WORKER_SETUP],
        # what would stop the training to look at it:
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.scheduler.allowed-failures": 3,
        "distributed.comm.timeouts.connect": "60s",
    }
    with dask.config.set(settings), ExitStack() as stack:
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


@contextmanager
def remote_client(address: str) -> Iterator[Client]:
    """Connect to the Dask scheduler at an address."""
    _require_dask()
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what happens is told below
    try:
        client = Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address!r}: {error}; start one with dask scheduler, or "
            "leave out --scheduler to use this machine"
        ) from error
    with client:
        yield client


def usable_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _failed(config: ModelConfig, error: BaseException | None, device: str) -> Record:
    return Record(
        config=config,
        error=f"{type(error).__name__}: {error}",
        provenance=provenance_now(seconds=0.0, device=device),
    )


def _require_dask() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "training on several workers needs dask.distributed, which is not installed; run "
            "pip install 'primefourier[lab]', or use --workers 0"
        ) from error
