"""A Dask cluster that others started: on several machines, by SLURM or in the cloud.

Its workers must run the same software as this process; otherwise results could differ unnoticed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import platform
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primefourier._checks import missing_extra

if TYPE_CHECKING:
    from distributed import Client

_LOG = logging.getLogger(__name__)
_CONNECT_SECONDS = 20
_LOOK_SECONDS = 5.0
_SCHEDULER_NEEDS = ("dask", "distributed")
_WORKERS_NEED = (*_SCHEDULER_NEEDS, "primefourier")


class ClusterError(RuntimeError):
    """A cluster that cannot be reached, that was lost, or whose workers cannot be used."""


def require_dask() -> None:
    """Raise an error that says how to install Dask if it is missing."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise missing_extra("work on several processes", error, "lab") from error


@contextmanager
def remote_client(where: str, *, packages: Sequence[str] = ()) -> Iterator[Client]:
    """Connect to a Dask scheduler whose workers run the same software as this process.

    TLS is set up as for every Dask client, by Dask's own settings. A warning is logged whenever no
    worker can work.

    Args:
        where: The scheduler's address, or the file it wrote with ``--scheduler-file``.
        packages: What the work needs, beside Python, primefourier and Dask.

    Raises:
        ClusterError: If no scheduler answers, or a worker runs other versions.
    """
    require_dask()
    from distributed import Client

    for name in ("distributed", "distributed.client"):  # errors below say it better
        logging.getLogger(name).setLevel(logging.CRITICAL)
    address = scheduler_address(where)
    _require_answer(address)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about versions, which are compared below
        client = Client(address, timeout=_CONNECT_SECONDS)
    with client:
        here = versions([*_WORKERS_NEED, *packages])
        # Dask collects versions through its own protocol, which works with any software
        answers: Any = client.get_versions(packages=[*_WORKERS_NEED, *packages])
        require_same(versions(_SCHEDULER_NEEDS), answers["scheduler"]["packages"], "the scheduler")
        for worker, answer in sorted(answers["workers"].items()):
            require_same(here, answer["packages"], f"the worker at {worker}")
        with _workers_watched(client, address):
            yield client


def scheduler_address(where: str) -> str:
    """Return an address as it is, and for the file of a scheduler the address it names."""
    path = Path(where)
    if path.suffix != ".json" and not path.is_file():
        return where
    deadline = time.monotonic() + _CONNECT_SECONDS
    while time.monotonic() < deadline and not (path.exists() and path.stat().st_size):
        time.sleep(0.1)  # a scheduler that was just started may not have written it yet
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
    """Raise an error if no scheduler answers; Dask's client could not be closed cleanly then."""
    from distributed.comm.core import connect
    from distributed.security import Security

    async def knock() -> None:
        settings = Security().get_connection_args("client")
        comm = await connect(address, timeout=_CONNECT_SECONDS, **settings)
        await comm.close()

    try:
        with ThreadPoolExecutor(1) as thread:  # a loop may be running here, as in notebooks
            thread.submit(asyncio.run, knock()).result()
    except Exception as error:
        tls = "; tls:// needs Dask's settings distributed.comm.tls, see docs/cluster.md"
        raise ClusterError(
            f"no Dask scheduler answers at {address!r}: {error}; start one as docs/cluster.md "
            f"says, or use workers on this machine{tls if address.startswith('tls:') else ''}"
        ) from error


@contextmanager
def _workers_watched(client: Client, address: str) -> Iterator[None]:
    """Log a warning whenever no worker can work, because everything waits for one."""
    over = threading.Event()

    def watch() -> None:
        before = ""
        while not over.is_set():
            trouble = _trouble(client, address)
            if trouble and trouble != before:
                _LOG.warning("%s", trouble)
            before = trouble
            over.wait(_LOOK_SECONDS)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _trouble(client: Client, address: str) -> str:
    """Return why no worker can work, if so; a lost scheduler is an error elsewhere."""
    from distributed.comm.addressing import get_address_host

    try:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
    except (OSError, KeyError, TimeoutError):
        return ""
    if client.status != "running":
        return ""
    if not workers:
        here = get_address_host(address) in ("127.0.0.1", "localhost")
        host = "127.0.0.1" if here else "THE-ADDRESS-OF-ITS-MACHINE"
        return (
            f"the cluster at {address} has no workers; waiting for them. Each is started with: "
            f"dask worker {address} --nthreads 1 --host {host} --dashboard-address 127.0.0.1:0"
        )
    if all(worker["status"] == "paused" for worker in workers):
        return (
            f"all workers of the cluster at {address} are paused, since Dask finds them short of "
            "memory; waiting for them. Start others with --memory-limit 0, or more memory"
        )
    return ""


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of Python and of some packages in this process.

    >>> sorted(versions(["numpy"]))
    ['numpy', 'python']
    """
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def require_same(expected: Mapping[str, str], found: Mapping[str, str | None], who: str) -> None:
    """Raise an error that names the versions that differ."""

    def comparable(name: str, text: str | None) -> str:
        public = (text or "not installed").partition("+")[0]  # without the build, as in 2.13.0+cpu
        return ".".join(public.split(".")[:2]) if name == "python" else public

    pairs = {n: (comparable(n, found[n]), comparable(n, expected[n])) for n in expected}
    differences = [f"{name} {a} instead of {b}" for name, (a, b) in pairs.items() if a != b]
    if differences:
        raise ClusterError(
            f"{who} runs {', '.join(differences)}; install the same versions on every machine "
            "(pip install --constraint constraints.txt), start the workers anew, and run the same "
            "command again"
        )


def with_version_check(function: Callable[..., Any], packages: Sequence[str]) -> Callable[..., Any]:
    """Return a function that compares versions on a worker before it runs another function.

    Workers may join a cluster after it was checked. The returned function travels by value, so
    that a worker without the project raises an ordinary error; Dask ends a worker that cannot read
    a task. For the same reason the arguments should be plain data.

    Args:
        function: What to run, a function of a module.
        packages: What it needs, beside Python, primefourier and Dask.
    """
    module, name = function.__module__, function.__name__
    expected = versions([*_WORKERS_NEED, *packages])

    def run(*arguments: Any, **options: Any) -> Any:
        from distributed import get_worker

        where = f"the worker at {get_worker().address}"
        try:
            from primefourier.cluster.remote import require_same, versions

            require_same(expected, versions([*expected][1:]), f"{where} that joined")
            work = getattr(import_module(module), name)
        except ImportError as error:
            raise ImportError(f"{where}: {error}") from error
        return work(*arguments, **options)

    return run
