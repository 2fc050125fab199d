"""Gather rows of a text file until they make a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from primefourier.bulk.batch import BadRow, Batch
from primefourier.bulk.source import MOST_BYTES


class Gather:
    """Rows on their way into a batch; it counts rows over the whole file.

    Args:
        most: How many rows make a batch.

    >>> gather = Gather(2)
    >>> gather.add(2, ["a", "5"], "5", size=3)
    >>> gather.add_bad(3, "b", "has 1 fields, not 2")
    >>> gather.full
    True
    >>> batch = gather.take(pa.record_batch({"id": ["a"]}), share=1.0)
    >>> batch.count, batch.places.tolist(), batch.bad[0].row
    (2, [1], 2)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._number = 0
        self._row = 0
        self._clear()

    def _clear(self) -> None:
        self.rows: list[Any] = []
        self.count = 0
        self._size = 0
        self._values: list[str] = []
        self._places: list[int] = []
        self._lines: list[int] = []
        self._bad: list[BadRow] = []

    @property
    def full(self) -> bool:
        """Whether a batch should be taken."""
        return self.count >= self._most or self._size >= MOST_BYTES

    def add(self, line: int, row: Any, value: str, size: int) -> None:
        """Add a row, what of it is to be encoded, and about how many bytes it takes."""
        self._begin(size)
        self.rows.append(row)
        self._values.append(value)
        self._places.append(self._row)
        self._lines.append(line)

    def add_bad(self, line: int, value: str | None, reason: str) -> None:
        """Add a row that cannot be read."""
        self._begin(0)
        self._bad.append(BadRow(row=self._row, line=line, value=value, reason=reason))

    def _begin(self, size: int) -> None:
        self._row += 1
        self.count += 1
        self._size += size

    def take(self, kept: pa.RecordBatch, share: float) -> Batch:
        """Return what was gathered as a batch, and begin the next one.

        Args:
            kept: The columns made of ``rows``.
            share: Which part of the file is read.
        """
        batch = Batch(
            number=self._number,
            count=self.count,
            rows=kept,
            values=pa.array(self._values, pa.string()),
            places=np.array(self._places, dtype=np.int64),
            lines=np.array(self._lines, dtype=np.int64),
            bad=tuple(self._bad),
            share=share,
        )
        self._number += 1
        self._clear()
        return batch
