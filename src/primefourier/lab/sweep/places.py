"""Where models are trained: in this process, or on the workers of a cluster."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from primefourier.cluster import ClusterError, checked
from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import provenance_now
from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model

if TYPE_CHECKING:
    from distributed import Client

PACKAGES = ("numpy", "torch")
"""What a worker needs to train a model, and what a record depends on."""
_one_model = threading.Lock()


def train_here(
    configs: Sequence[ModelConfig], *, device: str, probe: bool = False
) -> Iterator[Record]:
    """Train models one after another in this process."""
    for config in configs:
        yield run_model(config, device=device, probe=probe)


def train_on(
    client: Client, configs: Sequence[ModelConfig], *, device: str, probe: bool = False
) -> Iterator[Record]:
    """Train models on the workers of a cluster and yield each record as it arrives.

    A model whose worker is lost is given to another; if that happens again and again, the model is
    reported as failed.

    Raises:
        ClusterError: If the scheduler goes away, or a worker cannot run models at all.
    """
    from distributed import KilledWorker, as_completed

    train = checked(train_alone, PACKAGES)
    sweep = uuid4().hex  # another sweep on this cluster may train the same models, and be stopped
    futures = {
        client.submit(train, c.to_dict(), device=device, probe=probe, key=f"pfe-{c.key}-{sweep}"): c
        for c in configs
    }
    try:
        for future, result in as_completed(futures, with_results=True, raise_errors=False):
            config = futures.pop(future)
            if future.status == "finished":
                yield result
            elif future.status != "error":
                raise ClusterError(
                    "the Dask scheduler went away; records written before are safe. Start it, and "
                    "run the same command again to continue"
                )
            elif isinstance(error := future.exception(), KilledWorker):
                yield _failed(config, error, device)
            elif isinstance(error, ClusterError):
                raise error
            else:
                raise ClusterError(
                    f"a worker cannot train models: {type(error).__name__}: {error}; install "
                    "primefourier[lab] on every machine, and run the same command again"
                )
    finally:
        client.cancel(list(futures), force=True)


def train_alone(config: dict[str, Any], *, device: str, probe: bool = False) -> Record:
    """Train one model, given as plain data, while no other one is trained in this process.

    A worker may have several threads, but torch's number of threads, which decides the order of
    sums, is the whole process's.
    """
    with _one_model:
        return run_model(ModelConfig.from_dict(config), device=device, probe=probe)


def _failed(config: ModelConfig, error: BaseException, device: str) -> Record:
    return Record(
        config=config,
        error=f"{type(error).__name__}: {error}",
        provenance=provenance_now(seconds=0.0, device=device),
    )
