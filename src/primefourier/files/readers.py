"""Read Parquet, Arrow and .npy files batch by batch, in memory that does not grow with them."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from primefourier.files.bad_rows import BadRow, FileError
from primefourier.files.integer_columns import require_integer_type

MOST_BYTES = 32 << 20
"""A batch ends early when its columns reach this size."""
NPY_COLUMN = "n"
"""The column of integers from a .npy file."""

_HEADER_ERRORS = (TypeError, SyntaxError, TokenError, OverflowError, KeyError, RecursionError)


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of the input.

    Args:
        rows: The columns of the rows that could be read.
        places: The number of each row in the input, from 1.
        lines: The line at which each row begins; None for formats without lines.
        bad: The rows that could not be read.
        share: The fraction of the input that is read up to here, from 0 to 1.
    """

    rows: pa.RecordBatch
    places: Sequence[int]
    lines: Sequence[int] | None
    bad: Sequence[BadRow]
    share: float


@dataclass(frozen=True)
class Source:
    """An input file that has been checked.

    Args:
        schema: Names and types of the columns that are read.
        batches: The rows. The same file always gives the same batches.
    """

    schema: pa.Schema
    batches: Generator[Batch, None, None]


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Translate errors of the libraries that read a file into one that names the file.

    Raises:
        FileError: If the file is damaged or of another kind.
        OSError: If the system refuses to read it.

    >>> with reading(Path("in.parquet"), "a Parquet file"):
    ...     raise pa.ArrowInvalid("magic bytes not found")
    Traceback (most recent call last):
    primefourier.files.bad_rows.FileError: in.parquet cannot be read as a Parquet file: magic bytes
    not found
    """
    try:
        yield
    except FileError:
        raise
    except (pa.ArrowException, ValueError, EOFError, MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's own message, such as "Permission denied", names the file
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise FileError(f"{path} cannot be read as {kind}: {reason[0]}") from error


def require_columns(
    path: Path, names: Sequence[str], columns: Sequence[str], codes: Sequence[str]
) -> None:
    """Refuse a table without the columns, with a repeated name, or with the names of the codes.

    >>> require_columns(Path("in.csv"), ["id", "n"], ["m"], ["code"])
    Traceback (most recent call last):
    primefourier.files.bad_rows.FileError: in.csv has no column 'm'; its columns are 'id', 'n'
    """
    shown = ", ".join(repr(name) for name in names[:20]) + (", …" if len(names) > 20 else "")
    known = set(names)
    for column in columns:
        if column not in known:
            advice = ""
            if len(names) == 1 and any(sign in names[0] for sign in ";\t|,"):
                advice = "; fields are separated by commas in .csv files, by tabs in .tsv files"
            raise FileError(
                f"{path} has no column {column!r}; its columns are {shown or 'none'}{advice}"
            )
    if len(known) < len(names):
        raise FileError(f"columns must have different names, {path} has one twice: {shown}")
    for name in codes:
        if name in known:
            raise FileError(
                f"{path} has a column {name!r} already; choose another name for the codes"
            )


def open_parquet(
    path: Path, columns: Sequence[str], codes: Sequence[str] | None, rows: int
) -> Source:
    """Open a Parquet file; page checksums are verified where the file has them.

    Args:
        path: The file.
        columns: The columns to encode.
        codes: Names of the new columns of codes; None to read ``columns`` alone.
        rows: The number of rows in a batch.
    """
    kind = "a Parquet file"
    with reading(path, kind):
        file = pq.ParquetFile(
            path, pre_buffer=False, buffer_size=1 << 20, page_checksum_verification=True
        )
        about, schema = file.metadata, file.schema_arrow
        total = about.num_rows
        size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    schema = _checked(path, schema, columns, codes)
    most = max(1, MOST_BYTES * total // max(size, 1))

    def pieces() -> Iterator[tuple[pa.RecordBatch, float]]:
        done = 0
        chosen = None if codes is not None else list(columns)
        for piece in file.iter_batches(batch_size=min(rows, most, 65_536), columns=chosen):
            done += piece.num_rows
            yield piece, done / max(total, 1)

    return Source(schema, _batches(path, kind, pieces(), schema, rows))


def open_arrow(
    path: Path, columns: Sequence[str], codes: Sequence[str] | None, rows: int
) -> Source:
    """Open an Arrow IPC file (Feather version 2), as :func:`open_parquet`.

    Each record batch of the file is read as a whole, so memory grows with the largest of them.
    """
    kind = "an Arrow IPC file"
    with reading(path, kind):
        file = pa.ipc.open_file(pa.OSFile(str(path)))
        count, schema = file.num_record_batches, file.schema
    schema = _checked(path, schema, columns, codes)
    pieces = ((file.get_batch(i), (i + 1) / count) for i in range(count))
    return Source(schema, _batches(path, kind, pieces, schema, rows))


def open_npy(path: Path, codes: Sequence[str] | None, rows: int) -> Source:
    """Open a .npy file of one array of integers with one dimension, without pickled objects."""
    kind = "a .npy file"
    with reading(path, kind):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about odd headers; the result is checked
                array = np.lib.format.open_memmap(path, mode="r")  # never unpickles
        except _HEADER_ERRORS as error:
            raise ValueError(f"its header is damaged ({error})") from error
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise FileError(
            f"{path} must hold one array of integers with one dimension, got {array.dtype} of "
            f"shape {array.shape}; save it with .astype('int64') if its values are whole numbers, "
            "and .ravel()"
        )
    dtype, total, offset = array.dtype, array.size, array.offset
    native = dtype.newbyteorder("=")
    schema = pa.schema([(NPY_COLUMN, pa.from_numpy_dtype(native))])
    schema = _checked(path, schema, [NPY_COLUMN], codes)

    def pieces() -> Iterator[tuple[pa.RecordBatch, float]]:
        # Read, not mapped: pages of a map count as memory of the process until it ends.
        with path.open("rb") as file:
            file.seek(offset)
            for first in range(0, total, rows):
                numbers = np.fromfile(file, dtype, min(rows, total - first))
                if numbers.size < min(rows, total - first):
                    raise FileError(f"{path} was cut short while it was read")
                values = pa.array(numbers.astype(native, copy=False))
                share = (first + numbers.size) / total
                yield pa.record_batch([values], schema=schema), share

    return Source(schema, _batches(path, kind, pieces(), schema, rows))


def _checked(
    path: Path, schema: pa.Schema, columns: Sequence[str], codes: Sequence[str] | None
) -> pa.Schema:
    """Return the columns of a table that are read, after checking names and types."""
    require_columns(path, schema.names, columns, codes or ())
    for column in columns:
        require_integer_type(schema.field(column).type, f"column {column!r} of {path}")
    return schema if codes is not None else pa.schema([schema.field(name) for name in columns])


def _batches(
    path: Path,
    kind: str,
    pieces: Iterable[tuple[pa.RecordBatch, float]],
    schema: pa.Schema,
    rows: int,
) -> Generator[Batch, None, None]:
    """Cut and join record batches to a number of rows each, or fewer at MOST_BYTES.

    >>> pieces = [(pa.record_batch({"n": [1, 2, 3]}), 0.6), (pa.record_batch({"n": [4, 5]}), 1.0)]
    >>> found = _batches(Path("x"), "a file", pieces, pa.schema([("n", pa.int64())]), 2)
    >>> [(batch.rows["n"].to_pylist(), batch.places, batch.share) for batch in found]
    [([1, 2], range(1, 3), 0.6), ([3, 4], range(3, 5), 1.0), ([5], range(5, 6), 1.0)]
    """
    held: list[pa.RecordBatch] = []
    count = size = done = 0

    def batch(share: float) -> Batch:
        joined = pa.Table.from_batches(held).combine_chunks().to_batches()[0]
        return Batch(joined, range(done - count + 1, done + 1), None, (), share)

    with reading(path, kind):
        for piece, share in pieces:
            rest = piece.select(schema.names)
            rest.validate(full=True)  # a damaged file may hold texts that are not valid UTF-8
            most = max(1, MOST_BYTES * rest.num_rows // max(rest.nbytes, 1))
            while rest.num_rows:
                held.append(rest.slice(0, min(rows - count, most)))
                taken = held[-1].num_rows
                rest = rest.slice(taken)
                count, done, size = count + taken, done + taken, size + held[-1].nbytes
                if count == rows or size >= MOST_BYTES:
                    yield batch(share)
                    held, count, size = [], 0, 0
        if held:
            yield batch(1.0)
