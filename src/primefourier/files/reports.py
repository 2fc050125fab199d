"""What a run reports: errors, bad rows, progress and a summary."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

_KEPT = 200


class FileError(ValueError):
    """A file that cannot be encoded, or options that do not fit together."""


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be encoded.

    Args:
        row: Number of the row of data, from 1.
        line: Number of the line at which it begins, from 1; None for formats without lines.
        column: The column without an integer; None if the whole row cannot be read.
        value: At most the first 200 characters of the value; None if there is none.
        reason: Why it cannot be encoded, as the end of a sentence.

    >>> print(BadRow(row=3, line=None, column="n", value=None, reason="is null"))
    row 3, column 'n': the value is null
    """

    row: int
    line: int | None
    column: str | None
    value: str | None
    reason: str

    def __post_init__(self) -> None:
        if self.value is not None and len(self.value) > _KEPT:
            object.__setattr__(self, "value", self.value[:_KEPT] + "…")

    def __str__(self) -> str:
        line = "" if self.line is None else f" (line {self.line})"
        column = "" if self.column is None else f", column {self.column!r}"
        value = "the value" if self.value is None else repr(self.value)
        return f"row {self.row}{line}{column}: {value} {self.reason}"


class BadRowError(FileError):
    """A row without an integer to encode, ``bad``, of the input ``file``.

    >>> print(BadRowError(Path("in.csv"), BadRow(3, 4, "n", "x", "is not a decimal integer")))
    in.csv, row 3 (line 4), column 'n': 'x' is not a decimal integer; correct it, or leave such rows
    out with on_bad 'reject'
    """

    def __init__(self, file: Path, bad: BadRow) -> None:
        super().__init__(file, bad)  # as arguments, so that a Dask worker can send it
        self.file = file
        self.bad = bad

    def __str__(self) -> str:
        return f"{self.file}, {self.bad}; correct it, or leave such rows out with on_bad 'reject'"


def reject_lines(file: Path, bad: Iterable[BadRow]) -> bytes:
    """Return bad rows as JSON lines."""
    lines = [json.dumps({"file": str(file), **asdict(one)}) + "\n" for one in bad]
    return "".join(lines).encode()


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
        """Return the sum of two counts, at a given share of the input."""
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
    """

    rows: int
    rejected: int
    out: Path
    rejects: Path | None = None
    parts: int | None = None
    parts_before: int = 0

    def as_dict(self) -> dict[str, object]:
        """Return the fields as values that JSON can hold."""
        return {k: str(v) if isinstance(v, Path) else v for k, v in asdict(self).items()}
