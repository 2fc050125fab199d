"""Read Parquet, Arrow and .npy files batch by batch, in memory that does not grow with them."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from primefourier.files.reports import BadRow, FileError

MOST_BYTES = 32 << 20
"""A batch ends early when its columns reach this size."""
NPY_COLUMN = "n"
"""The column of integers from a .npy file."""


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of the input.

    Args:
        rows: The columns; a row that could not be read is null in all of them.
        first: The number of the first row in the input, from 1.
        share: The fraction of the input that is read up to here, from 0 to 1.
        lines: The line at which each row begins; None for formats without lines.
        unread: The rows that could not be read, by their index.
    """

    rows: pa.RecordBatch
    first: int
    share: float
    lines: Sequence[int] | None
    unread: Mapping[int, BadRow]


Batches = Generator[Batch, None, None]
Source = tuple[pa.Schema, Batches]
"""All columns of an input file, and its rows; the same file always gives the same batches."""
_Pieces = Iterator[tuple[pa.RecordBatch, float]]
"""Rows, and the fraction of the input that is read up to there."""


def open_table(path: Path, only: Sequence[str] | None, rows: int) -> Source:
    """Open a Parquet, Arrow or .npy file, in batches of ``rows``, or fewer at MOST_BYTES.

    ``only`` names the columns to read; None reads all.
    """
    opener = {".parquet": _open_parquet, ".npy": _open_npy}.get(path.suffix.lower(), _open_arrow)
    schema, pieces = opener(path, only, rows)

    def batches() -> Batches:
        first = 1
        for batch, share in _regroup(pieces, only or schema.names, rows):
            yield Batch(batch, first, share, None, {})
            first += batch.num_rows

    return schema, batches()


def _open_parquet(path: Path, only: Sequence[str] | None, rows: int) -> tuple[pa.Schema, _Pieces]:
    """Open a Parquet file; page checksums are verified where the file has them."""
    file = pq.ParquetFile(
        path, pre_buffer=False, buffer_size=1 << 20, page_checksum_verification=True
    )
    about = file.metadata
    size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    most = max(1, MOST_BYTES * about.num_rows // max(size, 1))

    def pieces() -> _Pieces:
        done = 0
        for piece in file.iter_batches(batch_size=min(most, rows), columns=only):
            done += piece.num_rows
            yield piece, done / max(about.num_rows, 1)

    return file.schema_arrow, pieces()


def _open_arrow(path: Path, *_: object) -> tuple[pa.Schema, _Pieces]:
    """Open an Arrow IPC file (Feather version 2), of which record batches are read as a whole."""
    file = pa.ipc.open_file(pa.OSFile(str(path)))
    count = file.num_record_batches
    return file.schema, ((file.get_batch(i), (i + 1) / count) for i in range(count))


def _open_npy(path: Path, _: object, rows: int) -> tuple[pa.Schema, _Pieces]:
    """Open a .npy file of one array of integers with one dimension, without pickled objects."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about odd headers; the result is checked
        array = np.lib.format.open_memmap(path, mode="r")  # never unpickles
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise FileError(
            f"{path} must hold one array of integers with one dimension, got {array.dtype} of "
            f"shape {array.shape}; save it with .astype('int64') if its values are whole numbers, "
            "and .ravel()"
        )
    dtype, total, offset = array.dtype, array.size, array.offset
    native = dtype.newbyteorder("=")
    schema = pa.schema([(NPY_COLUMN, pa.from_numpy_dtype(native))])

    def pieces() -> _Pieces:
        # Read, not mapped: pages of a map count as memory of the process until it ends.
        with path.open("rb") as file:
            file.seek(offset)
            for done in range(0, total, rows):
                numbers = np.fromfile(file, dtype, min(rows, total - done))
                values = pa.array(numbers.astype(native, copy=False))
                yield pa.record_batch([values], schema=schema), (done + numbers.size) / total

    return schema, pieces()


def _regroup(
    pieces: Iterable[tuple[pa.RecordBatch, float]], names: Sequence[str], rows: int
) -> _Pieces:
    """Cut and join the columns of pieces to a number of rows each, or fewer at MOST_BYTES.

    >>> pieces = [(pa.record_batch({"n": [1, 2, 3]}), 0.6), (pa.record_batch({"n": [4, 5]}), 1.0)]
    >>> [(batch["n"].to_pylist(), share) for batch, share in _regroup(pieces, ["n"], 2)]
    [([1, 2], 0.6), ([3, 4], 1.0), ([5], 1.0)]
    """
    held: list[pa.RecordBatch] = []
    count = size = 0
    for piece, share in pieces:
        rest = piece.select(names)
        rest.validate(full=True)  # a damaged file may hold texts that are not valid UTF-8
        most = max(1, MOST_BYTES * rest.num_rows // max(rest.nbytes, 1))
        while rest.num_rows:
            held.append(rest.slice(0, min(rows - count, most)))
            rest = rest.slice(held[-1].num_rows)
            count, size = count + held[-1].num_rows, size + held[-1].nbytes
            if count == rows or size >= MOST_BYTES:
                yield join(held), share
                held, count, size = [], 0, 0
    if held:
        yield join(held), 1.0


def join(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Join record batches, of which at least one has rows."""
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
