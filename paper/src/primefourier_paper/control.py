"""The rows of the control, and the columns that they hold after the shuffle.

A network that adds modulo a prime N needs four numbers: sin and cos of both operands on the circle
of period N. The control scatters all numbers of the input over the rows, so these four columns lie
in at most four rows. Zeroing a row then says something about the columns in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

import numpy as np

from primefourier.lab.config import prime_parts
from primefourier.lab.embeddings import ShuffledPrimeFourier
from primefourier.lab.record import Record

COSTLY = 0.1
"""A row with at least this drop costs much; our threshold."""
NEEDED = ("cos a", "sin a", "cos b", "sin b")
"""The four numbers on the circle of period N; before the shuffle they come first in N's own row."""


@dataclass(frozen=True)
class ControlRow:
    """One row of one network of the control.

    Args:
        record: The network.
        row: The name of the row.
        columns: The needed columns that it holds, by their place in it.
        drop: The accuracy that zeroing it costs.
    """

    record: Record
    row: str
    columns: Mapping[int, str]
    drop: float

    @property
    def held(self) -> int:
        """How many of the four needed columns it holds."""
        return len(self.columns)


def control_rows(records: Iterable[Record]) -> list[ControlRow]:
    """Return every row of some networks of the control, with the columns that it holds.

    Args:
        records: Records of networks whose single columns were shuffled and whose modulus is one of
            their primes; others are skipped.

    >>> control_rows([])
    []
    """
    rows: list[ControlRow] = []
    for record in records:
        embedding = record.config.embedding
        if not isinstance(embedding, ShuffledPrimeFourier) or embedding.unit != "column":
            continue
        modulus = prime_parts(record.config)[1].modulus
        if record.measurement is None or modulus not in embedding.primes:
            continue
        width = len(NEEDED) * embedding.depth
        order = shuffled_order(width * len(embedding.primes), embedding.seed)
        # Before the shuffle, N's own row begins with the circle of period N.
        needed = dict(enumerate(NEEDED, start=width * embedding.primes.index(modulus)))
        places = ((i, needed[column]) for i, column in enumerate(order) if column in needed)
        held: list[dict[int, str]] = [{} for _ in embedding.primes]
        for place, name in places:
            held[place // width][place % width] = name
        names, drops = record.measured.row_names, record.row_drops()
        rows += map(ControlRow, [record] * len(held), names, held, drops)
    return rows


def count_costly(records: Iterable[Record]) -> str:
    """Say how many rows cost much, of those with a needed column and of those with none."""
    rows = control_rows(records)
    texts = []
    for words, held in (("with a needed column", True), ("with none", False)):
        drops = [row.drop for row in rows if bool(row.held) == held]
        mean = f" (mean {fmean(drops):.2f})" if drops else ""
        costly = sum(drop >= COSTLY for drop in drops)
        texts.append(f"{costly} of {len(drops)} rows {words} cost {COSTLY} or more{mean}")
    return ", ".join(texts)


@cache
def shuffled_order(length: int, seed: int) -> Sequence[int]:
    """Return the permutation of torch.randperm with a seed, so that reading needs no torch.

    torch draws 32-bit numbers from MT19937 and exchanges each place with a random later one.

    >>> sorted(shuffled_order(24, 42)) == list(range(24))
    True
    """
    numbers = np.random.RandomState(seed % 2**32).bytes(4 * (length - 1))
    order = list(range(length))
    for i, number in enumerate(np.frombuffer(numbers, "<u4").tolist()):
        # The same exchange, with the same numbers, as torch's own loop.
        other = i + number % (length - i)
        order[i], order[other] = order[other], order[i]
    return tuple(order)
