"""Train models in this process, on worker processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from primefourier.cluster import ClusterError, local_client, with_version_check
from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import provenance_now
from primefourier.lab.record import Record
from primefourier.lab.studies.study_file import SourceError, Sources, find_sources, load_sources

if TYPE_CHECKING:
    from distributed import Client, Future

PACKAGES = ("numpy", "torch")
"""What a worker needs to train a model, and what a record depends on."""
_FETCHES = 3
"""How often a finished record is fetched before the run ends."""
_one_model = threading.Lock()


def train_models(
    configs: Sequence[ModelConfig],
    workers: int,
    client: Client | None,
    *,
    device: str,
) -> Generator[Record, None, None]:
    """Train models and yield each record as it arrives; closing the generator ends the workers.

    Args:
        configs: The models, in the order in which they start.
        workers: Worker processes on this machine; 0 trains in this process.
        client: A cluster to use instead.
        device: The torch device of the workers.
    """
    if client is not None:
        yield from train_on(client, configs, device=device)
    elif workers and configs:
        with local_client(min(workers, len(configs))) as local:
            yield from train_on(local, configs, device=device)
    else:
        from primefourier.lab.measurement import measure  # which loads torch

        for config in configs:
            yield measure(config, device=device)


def train_on(
    client: Client, configs: Sequence[ModelConfig], *, device: str
) -> Generator[Record, None, None]:
    """Train models on the workers of a cluster and yield each record as it arrives.

    A model whose worker is lost goes to another worker; if that happens repeatedly, the model is
    reported as failed.

    Raises:
        ClusterError: If the scheduler is lost, or a worker cannot train models at all.
    """
    from distributed import KilledWorker, as_completed

    train = with_version_check(train_alone, PACKAGES)
    run = uuid4().hex  # another run on this cluster may train the same models, and be stopped
    sources = find_sources(configs)
    futures = {
        client.submit(train, c.to_dict(), sources, device=device, key=f"pfe-{c.key}-{run}"): c
        for c in configs
    }
    try:
        # as_completed could fetch results as well, but waits for ever if that fails once
        for future in as_completed(futures, raise_errors=False):
            config = futures.pop(future)
            if future.status == "finished":
                yield _fetch(future)
            elif future.status != "error":
                raise ClusterError(
                    "the connection to the Dask scheduler was lost; records written before are "
                    "safe. Start it, and run the same command again to continue"
                )
            elif isinstance(error := future.exception(), KilledWorker):
                yield Record(
                    config=config,
                    error=f"{type(error).__name__}: {error}",
                    provenance=provenance_now(config, seconds=0.0, device=device),
                )
            elif isinstance(error, ClusterError):
                raise error
            else:
                raise ClusterError(
                    f"a worker cannot train models: {type(error).__name__}: {error}; install "
                    "primefourier and its extra lab on every machine, and run the command again"
                )
    finally:
        client.cancel(list(futures), force=True)


def _fetch(future: Future[Record]) -> Record:
    """Return the record of a finished model; try again if the connection fails meanwhile."""
    failure: Exception | None = None
    for _ in range(_FETCHES):
        try:
            return future.result()
        except Exception as error:
            failure = error
    raise ClusterError(
        f"a record could not be fetched: {type(failure).__name__}: {failure}; records written "
        "before are safe. Run the same command again to continue"
    ) from failure


def train_alone(config: dict[str, Any], sources: Sources, *, device: str) -> Record:
    """Train one model, given as plain data, on a worker; files that define its parts come first.

    A worker may have several threads, but torch has one number of threads per process, which
    decides the order of sums. So one model is trained at a time.
    """
    from primefourier.lab.measurement import measure

    with _one_model:
        try:
            load_sources(sources)
        except SourceError as error:
            raise ClusterError(f"a worker cannot train models: {error}") from error
        return measure(ModelConfig.from_dict(config), device=device)
