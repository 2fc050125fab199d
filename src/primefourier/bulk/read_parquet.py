"""Read a Parquet file row by row in bounded memory, however large its row groups are."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from primefourier.bulk.batch import Batch
from primefourier.bulk.errors import reading
from primefourier.bulk.integers import require_integer_type
from primefourier.bulk.source import MOST_BYTES, Keep, require_columns

_KIND = "a Parquet file"
_BUFFER = 1 << 20  # bytes read ahead in each column


class ParquetSource:
    """A Parquet file with a column of integers.

    Args:
        path: The file.
        column: What to encode.
        keep: "columns" keeps every column with its type, "nothing" reads the one alone.
        name: What the column of codes will be called.

    Raises:
        BulkError: If it is not a Parquet file, or the column is missing or of another type.
    """

    def __init__(self, path: Path, *, column: str, keep: Keep, name: str) -> None:
        self._path, self._column = path, column
        with reading(path, _KIND), pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            self._total = file.metadata.num_rows
            groups = range(file.metadata.num_row_groups)
            size = sum(file.metadata.row_group(i).total_byte_size for i in groups)
        require_columns(path, schema.names, column, name)
        require_integer_type(schema.field(column).type, f"column {column!r} of {path}")
        self._kept = keep == "columns"
        self._most = max(1, MOST_BYTES * self._total // max(size, 1)) if self._kept else None
        self.schema: pa.Schema = schema if self._kept else pa.schema([])

    def batches(self, rows: int) -> Generator[Batch, None, None]:
        """Yield the rows, so many at a time, or fewer where rows are large."""
        rows = rows if self._most is None else min(rows, self._most)
        first = 1
        columns = None if self._kept else [self._column]
        with (
            reading(self._path, _KIND),
            pq.ParquetFile(self._path, pre_buffer=False, buffer_size=_BUFFER) as file,
        ):
            pieces = file.iter_batches(batch_size=min(rows, 65_536), columns=columns)
            for number, batch in enumerate(_exactly(pieces, rows)):
                batch.validate(full=True)  # texts of a damaged file may be no texts
                count = batch.num_rows
                kept = batch if self._kept else pa.record_batch([], schema=self.schema)
                yield Batch(
                    number=number,
                    count=count,
                    rows=kept,
                    values=batch.column(batch.schema.get_field_index(self._column)),
                    places=np.arange(first, first + count),
                    lines=None,
                    bad=(),
                    share=(first + count - 1) / max(self._total, 1),
                )
                first += count


def _exactly(pieces: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Cut and join record batches to so many rows each: parts of a job must not move.

    >>> pieces = [pa.record_batch({"n": [1, 2, 3]}), pa.record_batch({"n": [4, 5]})]
    >>> [batch["n"].to_pylist() for batch in _exactly(iter(pieces), 2)]
    [[1, 2], [3, 4], [5]]
    """
    held: list[pa.RecordBatch] = []
    count = 0
    for piece in pieces:
        rest = piece
        while rest.num_rows:
            held.append(rest.slice(0, rows - count))
            rest = rest.slice(rows - count)
            count += held[-1].num_rows
            if count == rows:
                yield _join(held)
                held, count = [], 0
    if held:
        yield _join(held)


def _join(pieces: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(pieces) == 1:
        return pieces[0]
    (joined,) = pa.Table.from_batches(pieces).combine_chunks().to_batches()
    return joined
