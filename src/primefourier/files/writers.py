"""Write rows and their codes to Parquet, Arrow or .npy files, one batch at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from primefourier.encoding import PrimeBasis
from primefourier.files.job import Job
from primefourier.files.reports import FileError

Write = Callable[[pa.RecordBatch, Sequence[NDArray[Any]]], None]
"""Adds rows, and one array of codes of shape (rows, P, D, 2) per encoded column."""


def open_writer(job: Job, file: BinaryIO, schema: pa.Schema) -> AbstractContextManager[Write]:
    """Begin an output file, which is complete when the block ends.

    Args:
        job: Format, basis, precision and names of the codes.
        file: A seekable binary file.
        schema: The columns of the input to keep; a .npy file keeps none.
    """
    return _write_npy(job, file) if job.format == "npy" else _write_table(job, file, schema)


def code_field(name: str, basis: PrimeBasis, dtype: str) -> pa.Field:
    """Return the field of a column of codes, whose metadata describe the basis."""
    about = {
        "primes": basis.primes,
        "depth": basis.depth,
        "dtype": dtype,
        "version": version("primefourier"),
    }
    kind = pa.list_(pa.from_numpy_dtype(np.dtype(dtype)), basis.dim)
    return pa.field(name, kind, metadata={b"primefourier": json.dumps(about)})


@contextmanager
def _write_table(job: Job, file: BinaryIO, schema: pa.Schema) -> Iterator[Write]:
    """Write columns of the input, and codes as lists of fixed size.

    A batch becomes a record batch, or a row group with page checksums. Parquet neither compresses
    the codes nor puts them into dictionaries: they are nearly random, and snappy saved only 5 %.
    """
    codes = [code_field(name, job.basis, job.dtype) for name in job.code_names]
    # An Arrow file holds one dictionary per column, while every batch may have its own.
    kept = [_plain(field) for field in schema] if job.format == "arrow" else list(schema)
    full = pa.schema([*kept, *codes], schema.metadata)
    try:
        if job.format == "arrow":
            writer = pa.ipc.new_file(file, full)
        else:
            others = _leaf_paths(schema)
            writer = pq.ParquetWriter(
                file,
                full,
                use_dictionary=others or False,
                write_page_checksum=True,
                write_statistics=others or False,
                compression=dict.fromkeys(others, "snappy"),
            )
    except pa.ArrowException as error:  # such as types that Parquet does not have
        raise FileError(
            f"{job.format} cannot hold the columns of the input: {error}; leave them out, or write "
            "another format"
        ) from error

    def write(rows: pa.RecordBatch, arrays: Sequence[NDArray[Any]]) -> None:
        others = [
            column.cast(field.type) if column.type != field.type else column
            for column, field in zip(rows.columns, kept, strict=True)
        ]
        lists = [
            pa.FixedSizeListArray.from_arrays(pa.array(array.reshape(-1)), type=field.type)
            for array, field in zip(arrays, codes, strict=True)
        ]
        writer.write_batch(pa.record_batch([*others, *lists], schema=full))

    with writer:
        yield write


def _plain(field: pa.Field) -> pa.Field:
    is_dictionary = pa.types.is_dictionary(field.type)
    return field.with_type(field.type.value_type) if is_dictionary else field


def _leaf_paths(schema: pa.Schema) -> list[str]:
    """Return the names of the columns in Parquet, those inside lists and structs included."""
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    found = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return [found.column(i).path for i in range(len(found.names))]


@contextmanager
def _write_npy(job: Job, file: BinaryIO) -> Iterator[Write]:
    """Write codes one after another; the header gets the number of rows at the end."""
    columns = [len(job.code_names)] if len(job.code_names) > 1 else []
    count = 0

    def write_header() -> None:
        header: dict[str, Any] = {
            "descr": np.lib.format.dtype_to_descr(np.dtype(job.dtype)),
            "fortran_order": False,
            "shape": (count, *columns, *job.basis.shape),
        }
        np.lib.format.write_array_header_1_0(file, header)

    def write(rows: pa.RecordBatch, arrays: Sequence[NDArray[Any]]) -> None:
        nonlocal count
        joined = arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=1)
        file.write(np.ascontiguousarray(joined).data)
        count += rows.num_rows

    write_header()
    yield write
    file.seek(0)
    write_header()  # of the same length: numpy leaves room for a first axis that grows
