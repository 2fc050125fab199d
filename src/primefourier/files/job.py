"""What to encode and how: everything that the output depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from numpy.typing import NDArray

from primefourier.encoding import PrimeBasis, encode
from primefourier.files.integer_columns import read_column, require_integer_type
from primefourier.files.readers import NPY_COLUMN, Batch, Source, join, open_table
from primefourier.files.reports import BadRow, FileError
from primefourier.files.text_readers import open_csv, open_jsonl

Format = Literal["parquet", "arrow", "npy"]
OnBad = Literal["error", "reject"]


@dataclass(frozen=True)
class Job:
    """Everything that the output depends on, as plain data that JSON can hold.

    Args:
        inputs: What :func:`fingerprint_of` returned for each input file.
        columns: The columns to encode; none for .npy files.
        name: The name of the codes.
        primes: The primes of the basis.
        depth: The depth of the basis.
        dtype: float16, float32 or float64.
        format: The format of the output.
        on_bad: Whether a bad row is an error or is left out.
        rows: The number of rows in a batch.
        version: The version of this package.
    """

    inputs: Sequence[Mapping[str, Any]]
    columns: Sequence[str]
    name: str
    primes: Sequence[int]
    depth: int
    dtype: str
    format: Format
    on_bad: OnBad
    rows: int
    version: str

    def to_json(self) -> str:
        """Return the content of a job file."""
        return json.dumps(asdict(self), indent=2) + "\n"

    @property
    def basis(self) -> PrimeBasis:
        """The basis of the codes."""
        return PrimeBasis(tuple(self.primes), self.depth)

    @property
    def code_names(self) -> list[str]:
        """The names of the columns of codes."""
        if len(self.columns) <= 1:
            return [self.name]
        return [f"{column}_{self.name}" for column in self.columns]

    def open(self, path: Path) -> Source:
        """Open an input file.

        Returns:
            Names and types of the columns that are read, and the batches of rows. A .npy file as
            output needs the columns to encode alone.

        Raises:
            FileError: If the file is not of its format, or does not have the columns.
            OSError: If it cannot be read.
        """
        kind, columns, rows = path.suffix.lower(), self.columns or [NPY_COLUMN], self.rows
        if kind == ".npy" and self.columns:
            raise FileError(f"{path} has no columns; leave column out")
        if kind != ".npy" and not self.columns:
            raise FileError(f"column must say which column of {path} to encode")
        only = columns if self.format == "npy" else None
        if kind in (".csv", ".tsv"):
            schema, batches = open_csv(path, "," if kind == ".csv" else "\t", only, rows)
        elif kind in (".jsonl", ".ndjson"):
            schema, batches = open_jsonl(path, columns, only, rows)
        else:
            schema, batches = open_table(path, only, rows)
        _require_columns(path, schema.names, columns)
        for column in columns:
            require_integer_type(schema.field(column).type, f"column {column!r} of {path}")
        if only is not None:
            return pa.schema([schema.field(column) for column in columns]), batches
        for name in self.code_names:
            if name in schema.names:
                raise FileError(
                    f"{path} has a column {name!r} already; choose another name for the codes"
                )
        return schema, batches

    def encode(
        self, batch: Batch, threads: int
    ) -> tuple[pa.RecordBatch, list[NDArray[Any]], list[BadRow]]:
        """Encode a batch with a number of threads.

        Returns:
            The rows with an integer in every column, one array of codes per column, exactly as
            :func:`primefourier.encode` returns them, and the bad rows in order.
        """
        columns, rows = self.columns or [NPY_COLUMN], batch.rows
        found = {column: read_column(rows.column(column)) for column in columns}
        bad = dict(batch.unread)
        for column, (_, reasons) in found.items():
            for index, reason in reasons.items():
                line = None if batch.lines is None else batch.lines[index]
                value = rows.column(column)[index].as_py()
                text = None if value is None else str(value)
                bad.setdefault(index, BadRow(batch.first + index, line, column, text, reason))
        if bad:
            # joined slices, since Arrow cannot filter columns of every type
            edges = pairwise([-1, *sorted(bad), rows.num_rows])
            good = [rows.slice(low + 1, high - low - 1) for low, high in edges]
            rows = join(good) if len(bad) < rows.num_rows else rows.slice(0, 0)
            found = {column: read_column(rows.column(column)) for column in columns}
        codes = [encode(n, self.basis, self.dtype, threads=threads) for n, _ in found.values()]
        return rows, codes, [bad[index] for index in sorted(bad)]


def _require_columns(path: Path, names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a table without the columns, or with a repeated name."""
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


def fingerprint_of(path: Path) -> dict[str, Any]:
    """Return name, size and time of a file, which show whether it was changed."""
    found = path.stat()
    return {"name": path.name, "size": found.st_size, "modified": found.st_mtime_ns}


def require_unchanged(path: Path, fingerprint: Mapping[str, Any]) -> None:
    """Refuse an input that was changed, or that is another file on another machine.

    Raises:
        FileError: If its fingerprint is not the one with which the job began.
    """
    if not path.exists() or fingerprint_of(path) != fingerprint:
        raise FileError(
            f"{path} was changed while it was read; run the command again when it is complete. On "
            "a cluster, all machines must share its file system"
        )
