"""Work on every batch, in order: here, or on the workers of a Dask cluster."""

from __future__ import annotations

import pickle
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from primefourier.bulk.batch import Batch
from primefourier.bulk.errors import BulkError
from primefourier.cluster import ClusterError, checked
from primefourier.cluster.remote import worker_threads

if TYPE_CHECKING:
    from distributed import Client, Future

PACKAGES = ("numpy", "pyarrow")
"""What a worker needs, in the same versions as here."""

_T = TypeVar("_T")


class Each(Protocol):
    """Applies a function to batches and yields the results in order."""

    def __call__(self, work: Callable[[Batch], _T], batches: Iterator[Batch]) -> Iterator[_T]:
        """Yield the results."""
        ...


def each_here(work: Callable[[Batch], _T], batches: Iterator[Batch]) -> Iterator[_T]:
    """Work on one batch after another in this process.

    >>> list(each_here(lambda batch: batch.count, iter([])))
    []
    """
    return map(work, batches)


@dataclass(frozen=True)
class EachOn:
    """Works on the workers of a cluster, a few batches at a time.

    A batch whose worker is lost goes to another one. The results come in order, so none is lost or
    doubled, and the first bad row is the file's first.

    Args:
        client: Connected to the scheduler.
    """

    client: Client

    def __call__(self, work: Callable[[Batch], _T], batches: Iterator[Batch]) -> Iterator[_T]:
        """Yield the results.

        Raises:
            ClusterError: If the scheduler goes away, or workers cannot do the work.
            BulkError: If the work finds something wrong with input or output.
        """
        run = checked(work_on, PACKAGES)
        waiting: deque[Future[Any]] = deque()
        try:
            for batch in batches:
                waiting.append(self._submit(run, pickle.dumps((work, batch))))
                while len(waiting) >= self._window():
                    yield _result(waiting[0])
                    waiting.popleft()
            while waiting:
                yield _result(waiting[0])
                waiting.popleft()
        finally:
            if waiting and self.client.status == "running":
                self.client.cancel(list(waiting), force=True)

    def _submit(self, run: Callable[..., Any], content: bytes) -> Future[Any]:
        with _there(), warnings.catch_warnings():
            # that so many bytes are "a large graph"; there are never more than a window of them
            warnings.simplefilter("ignore", UserWarning)
            return self.client.submit(run, content, pure=False)

    def _window(self) -> int:
        """Return how many batches may be under way: two for each thread, so that none waits."""
        with _there():
            return max(2, 2 * sum(worker_threads(self.client)))


def work_on(content: bytes) -> Any:
    """Do the work that came as bytes, which any worker can receive, whatever software it has."""
    work, batch = pickle.loads(content)  # noqa: S301  # from the driver, as all that Dask sends
    return work(batch)


@contextmanager
def _there() -> Iterator[None]:
    """Tell a scheduler that went away as what it is; Dask has several ways to."""
    from distributed import CancelledError

    try:
        yield
    except (CancelledError, OSError, TimeoutError, ValueError, KeyError) as error:
        raise ClusterError(
            "the Dask scheduler went away; start it, and run the same command again. A folder as "
            "--out is continued, a single file starts over"
        ) from error


def _result(future: Future[Any]) -> Any:
    from distributed import KilledWorker, wait

    with _there():
        wait(future)
        if future.status == "finished":
            return future.result()
        error = future.exception()
    if isinstance(error, BulkError | ClusterError | MemoryError):
        raise error
    if isinstance(error, KilledWorker):
        raise ClusterError(
            "a batch was given up after the workers that had it were lost one after another; give "
            "them more memory, start new ones, and run the same command again"
        )
    raise ClusterError(
        f"a worker cannot encode: {type(error).__name__}: {error}; install primefourier[lab,files] "
        "on every machine, and run the same command again"
    )
