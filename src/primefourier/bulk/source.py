"""An input file, whatever its format: which columns it has, and its rows batch by batch."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Literal, Protocol

import pyarrow as pa

from primefourier.bulk.batch import Batch
from primefourier.bulk.errors import BulkError
from primefourier.bulk.formats import Format

Keep = Literal["columns", "lines", "nothing"]
"""What of a row goes to the output: its columns, its line as it stands, or nothing but the code."""

MOST_BYTES = 32 << 20
"""A batch ends early when what it holds beside the codes reaches this size."""


class Source(Protocol):
    """An input file that was opened, found to be of its format, and to have the column."""

    @property
    def schema(self) -> pa.Schema:
        """Name and type of what is kept of each row."""
        ...

    def batches(self, rows: int) -> Generator[Batch, None, None]:
        """Read the file from its beginning, so many rows at a time; the last batch may be smaller.

        The same file always gives the same batches.
        """
        ...


def open_source(path: Path, kind: Format, *, column: str | None, keep: Keep, name: str) -> Source:
    """Open an input file.

    Args:
        path: The file.
        kind: Its format.
        column: What to encode; None for .npy files, which have no columns.
        keep: What of a row is to be kept.
        name: What the column of codes will be called, which no column may be called already.

    Returns:
        The file, ready to be read.

    Raises:
        BulkError: If the file is not of its format, or has not the column.
        OSError: If it cannot be read.
    """
    from primefourier.bulk.read_csv import CsvSource
    from primefourier.bulk.read_jsonl import JsonlSource
    from primefourier.bulk.read_npy import NpySource
    from primefourier.bulk.read_parquet import ParquetSource

    if kind == "npy":
        if column is not None:
            raise BulkError(f"{path} has no columns; leave --column out")
        return NpySource(path, name=name)
    if column is None:
        raise BulkError(f"--column must say which column of {path} is to be encoded")
    if kind == "parquet":
        return ParquetSource(path, column=column, keep=keep, name=name)
    if kind == "jsonl":
        return JsonlSource(path, column=column, keep=keep, name=name)
    return CsvSource(path, column=column, keep=keep, name=name, tabs=kind == "tsv")


def require_columns(path: Path, names: list[str], column: str, name: str) -> None:
    """Refuse a table without the column, with one name twice, or that has codes already.

    >>> require_columns(Path("in.csv"), ["id", "n"], "m", "code")
    Traceback (most recent call last):
    primefourier.bulk.errors.BulkError: in.csv has no column 'm'; its columns are 'id', 'n'
    """
    shown = ", ".join(repr(found) for found in names[:20]) + (", …" if len(names) > 20 else "")
    if column not in names:
        advice = ""
        if len(names) == 1 and any(sign in names[0] for sign in ";\t|,"):
            advice = "; fields are separated by commas in .csv files, by tabs in .tsv files"
        raise BulkError(
            f"{path} has no column {column!r}; its columns are {shown or 'none'}{advice}"
        )
    twice = {found for found in names if names.count(found) > 1} if len(names) < 1000 else set()
    if twice or len(set(names)) < len(names):
        one = repr(min(twice)) if twice else "a name"
        raise BulkError(f"columns must have different names, {path} has {one} twice: {shown}")
    if name in names:
        raise BulkError(
            f"{path} has a column {name!r} already; choose another name for the codes with --name"
        )
