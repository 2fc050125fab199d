"""What to encode and how: everything that the output depends on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from numpy.typing import NDArray

from primefourier.encoding import PrimeBasis, encode
from primefourier.files.integer_columns import read_column, require_integer_type
from primefourier.files.readers import NPY_COLUMN, Batch, Batches, Source, join, open_table
from primefourier.files.reports import BadRow, BadRowError, FileError
from primefourier.files.text_readers import open_csv, open_jsonl

Format = Literal["parquet", "arrow", "npy"]
OnBad = Literal["error", "reject"]


@dataclass(frozen=True)
class Job:
    """Everything that the output depends on, as plain data that JSON can hold."""

    inputs: Sequence[Mapping[str, Any]]  # what fingerprint_of returned for each file
    columns: Sequence[str]  # none for .npy files
    name: str
    primes: Sequence[int]
    depth: int
    dtype: str
    format: Format
    on_bad: OnBad
    rows: int  # in a batch
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
        """Open an input file, and check its columns.

        Returns:
            Names and types of its columns, and the batches of rows; these may lack the columns that
            are not encoded if a .npy file, which cannot hold them, is the output.
        """
        kind, columns = path.suffix.lower(), self.columns or [NPY_COLUMN]
        if kind == ".npy" and self.columns:
            raise FileError(f"{path} has no columns; leave column out")
        if kind != ".npy" and not self.columns:
            raise FileError(f"column must say which column of {path} to encode")
        others = self.format != "npy"
        with _reading(path):
            if kind in (".csv", ".tsv"):
                schema, batches = open_csv(path, "," if kind == ".csv" else "\t", self.rows)
            elif kind in (".jsonl", ".ndjson"):
                schema, batches = open_jsonl(path, columns, self.rows, others=others)
            else:
                schema, batches = open_table(path, None if others else columns, self.rows)
            names = schema.names  # decoded here

        def checked() -> Batches:
            with _reading(path), closing(batches):
                yield from batches

        shown = ", ".join(map(repr, names[:20]))
        if len(set(names)) < len(names):
            raise FileError(f"columns must have different names, {path} has one twice: {shown}")
        for column in columns:
            if column not in names:
                raise FileError(f"{path} has no column {column!r}; its columns are {shown}")
            require_integer_type(schema.field(column).type, f"column {column!r} of {path}")
        for name in self.code_names:
            if others and name in names:
                raise FileError(
                    f"{path} has a column {name!r} already; choose another name for the codes"
                )
        return schema, checked()

    def encode(
        self, path: Path, batch: Batch, threads: int
    ) -> tuple[pa.RecordBatch, list[NDArray[Any]], list[BadRow]]:
        """Encode a batch of an input file with a number of threads.

        Returns:
            The rows with an integer in every column, one array of codes per column, exactly as
            :func:`primefourier.encode` returns them, and the bad rows in order.

        Raises:
            BadRowError: At the first bad row, if that is an error.
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
        if bad and self.on_bad == "error":
            raise BadRowError(path, bad[min(bad)])
        if bad:
            # joined slices, since Arrow cannot filter columns of every type
            edges = pairwise([-1, *sorted(bad), rows.num_rows])
            good = [rows.slice(low + 1, high - low - 1) for low, high in edges]
            rows = join(good) if len(bad) < rows.num_rows else rows.slice(0, 0)
            found = {column: read_column(rows.column(column)) for column in columns}
        codes = [encode(n, self.basis, self.dtype, threads=threads) for n, _ in found.values()]
        return rows, codes, [bad[index] for index in sorted(bad)]


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Translate errors of the system, and of Arrow and numpy at damaged files."""
    try:
        yield
    except FileError:
        raise
    except Exception as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise FileError(f"{path} cannot be read: {reason[0]}") from error


def fingerprint_of(path: Path) -> dict[str, Any]:
    """Return name, size and time of a file, which show whether it was changed."""
    found = path.stat()
    return {"name": path.name, "size": found.st_size, "modified": found.st_mtime_ns}


def require_unchanged(path: Path, fingerprint: Mapping[str, Any]) -> None:
    """Refuse an input that was changed."""
    if not path.exists() or fingerprint_of(path) != fingerprint:
        raise FileError(
            f"{path} was changed while it was read; run the command again when it is complete"
        )
