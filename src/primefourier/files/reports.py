"""What a run reports: bad rows, progress and a summary."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

_SHOWN = 60
_KEPT = 1000


class FileError(ValueError):
    """A file that cannot be encoded, or options that do not fit together."""


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be encoded.

    Args:
        row: Number of the row of data, from 1.
        line: Number of the line at which it begins, from 1; None for formats without lines.
        column: The column without an integer; None if the whole row cannot be read.
        value: At most the first 1000 characters of the value; None if there is none.
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
        if len(value) > _SHOWN:
            value = f"{value[: _SHOWN - 2]}…{value[0]}"
        return f"row {self.row}{line}{column}: {value} {self.reason}"


class BadRowError(FileError):
    """A row without an integer to encode.

    Args:
        file: The input.
        bad: The row, its value, and why it cannot be encoded.

    >>> print(BadRowError(Path("in.csv"), BadRow(3, 4, "n", "x", "is not a decimal integer")))
    in.csv, row 3 (line 4), column 'n': 'x' is not a decimal integer; correct it, or leave such rows
    out with on_bad 'reject'
    """

    def __init__(self, file: Path, bad: BadRow) -> None:
        self.file = file
        self.bad = bad
        super().__init__(f"{file}, {bad}; correct it, or leave such rows out with on_bad 'reject'")

    def __reduce__(self) -> tuple[type[BadRowError], tuple[Path, BadRow]]:
        return (type(self), (self.file, self.bad))  # lets a Dask worker send it


def reject_lines(file: Path, bad: Iterable[BadRow]) -> bytes:
    r"""Return bad rows as JSON lines, without the fields that do not apply.

    >>> reject_lines(Path("in.npy"), [BadRow(3, None, None, None, "is null")])
    b'{"file": "in.npy", "row": 3, "value": null, "reason": "is null"}\n'
    """
    lines = []
    for one in bad:
        known = {k: v for k, v in asdict(one).items() if v is not None or k == "value"}
        lines.append(json.dumps({"file": str(file), **known}, ensure_ascii=False) + "\n")
    # JSON escapes replace text that is not valid Unicode, such as odd bytes in a path
    return "".join(lines).encode(errors="backslashreplace")


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
    """

    rows: int
    rejected: int
    out: Path
    rejects: Path | None = None
    parts: int | None = None
    parts_before: int = 0
    started_over: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return the fields as values that JSON can hold.

        >>> Summary(rows=1, rejected=0, out=Path("codes.npy")).as_dict()["out"]
        'codes.npy'
        """
        return {k: str(v) if isinstance(v, Path) else v for k, v in asdict(self).items()}
