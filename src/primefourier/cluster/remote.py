"""A Dask cluster that somebody else started: on several machines, by SLURM or in the cloud."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
import warnings
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primefourier.cluster.error import ClusterError, require_dask
from primefourier.cluster.versions import require_same_cluster

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_SECONDS = 20
_LOOK_SECONDS = 5.0


@contextmanager
def remote_client(
    where: str,
    *,
    packages: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Client]:
    """Connect to a Dask scheduler, once its workers are known to run the same software.

    TLS is set up as for every Dask client, by Dask's own settings.

    Args:
        where: The scheduler's address, or the file it wrote with ``--scheduler-file``.
        packages: What the work needs, beside Python, primefourier and Dask.
        tell: Called with a sentence whenever there are no workers to do the work.

    Raises:
        ClusterError: If nobody answers, or a worker runs other versions.
    """
    require_dask()
    from distributed import Client

    for name in ("distributed", "distributed.client"):  # what happens is told below
        logging.getLogger(name).setLevel(logging.CRITICAL)
    address = scheduler_address(where)
    _require_answer(address)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions, which are told below
        client = Client(address, timeout=_CONNECT_SECONDS)
    with client:
        require_same_cluster(client, packages)
        with _watched(client, address, tell):
            yield client


def worker_threads(client: Client) -> list[int]:
    """Return how many threads each worker has now."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return [int(worker["nthreads"]) for worker in workers.values()]


def scheduler_address(where: str) -> str:
    """Return an address as it is, and of a file that a scheduler wrote the address in it."""
    path = Path(where)
    if path.suffix != ".json" and not path.is_file():
        return where
    deadline = time.monotonic() + _CONNECT_SECONDS
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.1)  # a scheduler that was started just before may still be at it
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict) or not isinstance(found.get("address"), str):
            raise ValueError("it names no address")
        return str(found["address"])
    except (OSError, ValueError, RecursionError) as error:
        raise ClusterError(
            f"{where} is not a file that dask scheduler --scheduler-file wrote: {error}; give that "
            "file, or an address such as tcp://10.0.0.1:8786"
        ) from error


def _require_answer(address: str) -> None:
    """Say so if nobody answers; a client that found nobody could not be closed cleanly."""
    from distributed.comm.core import connect
    from distributed.security import Security

    async def knock() -> None:
        settings = Security().get_connection_args("client")
        comm = await connect(address, timeout=_CONNECT_SECONDS, **settings)
        await comm.close()

    try:
        _run(knock)
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        tls = address.startswith("tls:")
        settings = "; tls:// needs Dask's settings distributed.comm.tls, see docs/cluster.md"
        raise ClusterError(
            f"no Dask scheduler answers at {address!r}: {error}; start one with dask scheduler, or "
            f"leave out --scheduler to use this machine{settings if tls else ''}"
        ) from error


def _run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine here, or in a thread if a loop is running here, as in notebooks."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(work())).result()


@contextmanager
def _watched(client: Client, address: str, tell: Callable[[str], None]) -> Iterator[None]:
    """Say when the cluster has no workers that work, since all would wait without a word."""
    over = threading.Event()
    trouble = {
        "none": f"the cluster at {address} has no workers; waiting for them. Each is started with: "
        f"dask worker {address} --nthreads 1",
        "paused": f"all workers of the cluster at {address} are paused, since Dask finds them "
        "short of memory; waiting for them. Start others with --memory-limit 0, or more memory",
    }

    def watch() -> None:
        state = "working"
        while True:
            before, state = state, _state(client)
            if state in trouble and state != before:
                tell(trouble[state])
            if over.wait(_LOOK_SECONDS):
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _state(client: Client) -> str:
    """Tell whether there are workers, as far as is known: a lost scheduler is told elsewhere."""
    if client.status != "running":
        return "unknown"
    try:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
    except (OSError, KeyError, TimeoutError):
        return "unknown"
    if not workers:
        return "none"
    return "paused" if all(worker["status"] == "paused" for worker in workers) else "working"
