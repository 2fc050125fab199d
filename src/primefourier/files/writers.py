"""Write rows and their codes to Parquet, Arrow or .npy files, one batch at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from primefourier._files import writing
from primefourier.encoding import PrimeBasis
from primefourier.files.job import Job
from primefourier.files.reports import FileError

METADATA_KEY = b"primefourier"
"""The metadata key under which a column of codes describes its basis as JSON."""

Write = Callable[[pa.RecordBatch, Sequence[NDArray[Any]]], None]
"""Adds rows, and one array of codes of shape (rows, P, D, 2) per encoded column."""


@contextmanager
def open_writer(job: Job, path: Path, file: BinaryIO, schema: pa.Schema) -> Iterator[Write]:
    """Begin an output file, which is complete when the block ends.

    Args:
        job: Format, basis, precision and names of the codes.
        path: The name of the file, for errors.
        file: A seekable binary file.
        schema: The columns of the input to keep; a .npy file keeps none.

    Raises:
        FileError: If the format cannot hold the columns.
        OSError: With a sentence that names the file, if it cannot be written.
    """
    with _translate_errors(path):
        opened = _NpyFile(job, file) if job.format == "npy" else _TableFile(job, file, schema)

    def write(rows: pa.RecordBatch, codes: Sequence[NDArray[Any]]) -> None:
        with _translate_errors(path):
            opened.write(rows, codes)

    try:
        yield write
    finally:  # also after an error: an open Parquet writer would close itself later
        with _translate_errors(path):
            opened.close()


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        with writing(path):
            yield
    except pa.ArrowException as error:  # such as types that Parquet does not have
        raise FileError(
            f"{path} cannot hold the columns of the input: {error}; leave them out, or write "
            "another format"
        ) from error


def code_field(name: str, basis: PrimeBasis, dtype: str) -> pa.Field:
    """Return the field of a column of codes, whose metadata describe the basis.

    >>> field = code_field("code", PrimeBasis((3, 5), depth=2), "float32")
    >>> field.type
    FixedSizeListType(fixed_size_list<item: float>[8])
    >>> json.loads(field.metadata[METADATA_KEY])["primes"]
    [3, 5]
    """
    about = {
        "primes": basis.primes,
        "depth": basis.depth,
        "dtype": dtype,
        "version": version("primefourier"),
    }
    kind = pa.list_(pa.from_numpy_dtype(np.dtype(dtype)), basis.dim)
    return pa.field(name, kind, metadata={METADATA_KEY: json.dumps(about)})


class _TableFile:
    """A Parquet or Arrow file: columns of the input, and codes as lists of fixed size.

    A batch becomes a row group with page checksums, or a record batch. Parquet neither compresses
    the codes nor puts them into dictionaries: they are nearly random, and snappy saved only 5 %.
    """

    def __init__(self, job: Job, file: BinaryIO, schema: pa.Schema) -> None:
        self._codes = [code_field(name, job.basis, job.dtype) for name in job.code_names]
        # An Arrow file holds one dictionary per column, while every batch may have its own.
        kept = [_plain(field) for field in schema] if job.format == "arrow" else list(schema)
        self._schema = pa.schema([*kept, *self._codes], schema.metadata)
        self._writer: Any
        if job.format == "arrow":
            self._writer = pa.ipc.new_file(file, self._schema)
            return
        others = _leaf_paths(schema)
        self._writer = pq.ParquetWriter(
            file,
            self._schema,
            use_dictionary=others or False,
            write_page_checksum=True,
            write_statistics=others or False,
            compression=dict.fromkeys(others, "snappy"),
        )

    def write(self, rows: pa.RecordBatch, codes: Sequence[NDArray[Any]]) -> None:
        kept = [
            column.cast(kind) if column.type != kind else column
            for column, kind in zip(rows.columns, self._schema.types, strict=False)
        ]
        lists = [
            pa.FixedSizeListArray.from_arrays(pa.array(one.reshape(-1)), type=field.type)
            for one, field in zip(codes, self._codes, strict=True)
        ]
        self._writer.write_batch(pa.record_batch([*kept, *lists], schema=self._schema))

    def close(self) -> None:
        self._writer.close()


def _plain(field: pa.Field) -> pa.Field:
    is_dictionary = pa.types.is_dictionary(field.type)
    return field.with_type(field.type.value_type) if is_dictionary else field


def _leaf_paths(schema: pa.Schema) -> list[str]:
    """Return the names of the columns in Parquet, those inside lists and structs included."""
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    found = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return [found.column(i).path for i in range(len(found.names))]


class _NpyFile:
    """An array of codes, written one after another; the header gets their number at the end."""

    def __init__(self, job: Job, file: BinaryIO) -> None:
        columns = [len(job.code_names)] if len(job.code_names) > 1 else []
        self._shape, self._dtype = [*columns, *job.basis.shape], np.dtype(job.dtype)
        self._file, self._rows = file, 0
        self._write_header()

    def write(self, rows: pa.RecordBatch, codes: Sequence[NDArray[Any]]) -> None:
        joined = codes[0] if len(codes) == 1 else np.stack(codes, axis=1)
        self._file.write(np.ascontiguousarray(joined).data)
        self._rows += rows.num_rows

    def close(self) -> None:
        self._file.seek(0)
        self._write_header()  # of the same length: numpy leaves room for a first axis that grows

    def _write_header(self) -> None:
        header: dict[str, Any] = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._rows, *self._shape),
        }
        np.lib.format.write_array_header_1_0(self._file, header)
