"""What to encode and how, and how far it got."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow as pa
from numpy.typing import NDArray

from primefourier.encoding import PrimeBasis, encode
from primefourier.files.bad_rows import BadRow, FileError
from primefourier.files.integer_columns import read_column
from primefourier.files.readers import (
    NPY_COLUMN,
    Batch,
    Source,
    open_arrow,
    open_npy,
    open_parquet,
)
from primefourier.files.text_readers import open_csv, open_jsonl
from primefourier.files.writers import Format, Write, open_writer

OnBad = Literal["error", "reject"]
_FILE_BYTES, _FILE_ROWS = 32 << 20, 65_536
_PART_BYTES, _PART_ROWS = 64 << 20, 262_144


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

    >>> job = Job([], ["n"], "code", [3, 5], 2, "float32", "npy", "error", 10, "0.1")
    >>> Job.from_json(job.to_json()) == job
    True
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

    @classmethod
    def from_json(cls, text: str) -> Job:
        """Return the job of a job file."""
        return cls(**json.loads(text))

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

        Raises:
            FileError: If the file is not of its format, or does not have the columns.
            OSError: If it cannot be read.
        """
        codes = None if self.format == "npy" else self.code_names
        kind = path.suffix.lower()
        if kind == ".npy":
            if self.columns:
                raise FileError(f"{path} has no columns; leave column out")
            return open_npy(path, codes, self.rows)
        if not self.columns:
            raise FileError(f"column must say which column of {path} to encode")
        if kind == ".parquet":
            return open_parquet(path, self.columns, codes, self.rows)
        if kind in (".arrow", ".feather"):
            return open_arrow(path, self.columns, codes, self.rows)
        if kind in (".jsonl", ".ndjson"):
            return open_jsonl(path, self.columns, codes, self.rows)
        delimiter = "\t" if kind == ".tsv" else ","
        return open_csv(path, self.columns, codes, self.rows, delimiter=delimiter)

    def writer(
        self, path: Path, file: BinaryIO, schema: pa.Schema
    ) -> AbstractContextManager[Write]:
        """Begin an output file for the columns that :meth:`open` reads."""
        names, basis, dtype = self.code_names, self.basis, self.dtype
        return open_writer(path, file, self.format, schema, names=names, basis=basis, dtype=dtype)

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
        bad: dict[int, BadRow] = {}
        for column, (_, reasons) in found.items():
            for index, reason in reasons.items():
                line = None if batch.lines is None else batch.lines[index]
                value = rows.column(column)[index].as_py()
                text = None if value is None else str(value)
                bad.setdefault(index, BadRow(batch.places[index], line, column, text, reason))
        if bad:
            # joined slices, since Arrow cannot filter columns of every type
            edges = pairwise([-1, *sorted(bad), rows.num_rows])
            good = [rows.slice(low + 1, high - low - 1) for low, high in edges]
            joined = pa.Table.from_batches(good).combine_chunks().to_batches()
            rows = joined[0] if joined else rows.slice(0, 0)
            found = {column: read_column(rows.column(column)) for column in columns}
        codes = [encode(n, self.basis, self.dtype, threads=threads) for n, _ in found.values()]
        return rows, codes, sorted([*batch.bad, *bad.values()], key=lambda one: one.row)


def rows_per_batch(basis: PrimeBasis, dtype: str, columns: int, *, folder: bool) -> int:
    """Return the number of rows in a batch, so that their codes take a few dozen MiB."""
    size, most = (_PART_BYTES, _PART_ROWS) if folder else (_FILE_BYTES, _FILE_ROWS)
    bytes_per_row = basis.dim * int(dtype.removeprefix("float")) // 8 * max(columns, 1)
    return max(1, min(most, size // bytes_per_row))


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


@dataclass(frozen=True)
class Progress:
    """Rows and parts so far.

    Args:
        rows: Rows written, including those of earlier runs.
        rejected: Bad rows that were left out.
        share: The fraction of the input that is read, from 0 to 1.
        before: Rows, including rejected ones, of earlier runs.
        parts: Files in the output folder, including those of earlier runs.
        parts_before: Files of earlier runs.
    """

    rows: int = 0
    rejected: int = 0
    share: float = 0.0
    before: int = 0
    parts: int = 0
    parts_before: int = 0

    def plus(self, more: Progress, *, share: float) -> Progress:
        """Return the sum of two counts, at a given share of the input.

        >>> Progress(rows=2).plus(Progress(rows=3, rejected=1), share=0.5)
        Progress(rows=5, rejected=1, share=0.5, before=0, parts=0, parts_before=0)
        """
        counts = {name: count + getattr(more, name) for name, count in asdict(self).items()}
        return Progress(**(counts | {"share": share}))


@dataclass(frozen=True)
class Summary:
    """The result of encoding files.

    Args:
        rows: Rows in the output.
        rejected: Bad rows that were left out.
        out: The file or folder that was written.
        rejects: The file that lists the bad rows, if there are any.
        parts: The number of files in the folder; None if the output is one file.
        parts_before: How many of them earlier runs wrote.
        started_over: Whether an earlier, interrupted run of the same file was started over.

    >>> Summary(rows=1, rejected=0, out=Path("codes.npy")).as_dict()["out"]
    'codes.npy'
    """

    rows: int
    rejected: int
    out: Path
    rejects: Path | None = None
    parts: int | None = None
    parts_before: int = 0
    started_over: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return the fields as values that JSON can hold."""
        return {k: str(v) if isinstance(v, Path) else v for k, v in asdict(self).items()}
