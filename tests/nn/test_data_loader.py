"""How many threads encode in the workers of a DataLoader: one each, so that cores suffice."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset

import primefourier as pf
from primefourier.nn import PrimeFourierEmbedding

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


class Seen(NamedTuple):
    """Threads of a process before it encodes, and the most while it does."""

    before: int
    most: int


class Counted(IterableDataset[Seen]):
    """Two items for each worker: the threads while it encodes for a while in each way."""

    def __iter__(self) -> Iterator[Seen]:
        yield count_threads("embedding")
        yield count_threads("encode")


def count_threads(way: str) -> Seen:
    """Encode 300 000 numbers, and watch how many threads there are meanwhile."""
    embed = PrimeFourierEmbedding(pf.PAPER_BASIS)
    numbers = torch.arange(60_000)
    seen, over = list[int](), threading.Event()

    def watch() -> None:
        while not over.is_set():
            seen.append(threads())
            time.sleep(0.0002)

    watcher = threading.Thread(target=watch)
    before = threads()
    watcher.start()
    for _ in range(5):
        _ = embed(numbers) if way == "embedding" else pf.encode(numbers.numpy(), pf.PAPER_BASIS)
    over.set()
    watcher.join()
    return Seen(before, max(seen) - 1)  # without the watcher


def threads() -> int:
    return sum(1 for _ in Path("/proc/self/task").iterdir())


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_workers_encode_in_one_thread_each() -> None:
    loader = DataLoader(Counted(), batch_size=None, num_workers=2)
    assert [most - before for before, most in loader] == [0, 0, 0, 0]


@pytest.mark.usefixtures("two_threads")
def test_outside_of_workers_the_embedding_takes_the_threads_of_torch() -> None:
    before, most = count_threads("embedding")
    assert most - before >= 2
