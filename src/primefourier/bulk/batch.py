"""What travels through the room: rows of the input, bad ones among them, and codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

_SHOWN = 60
_KEPT = 1000


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be encoded.

    Args:
        row: Which row of data it is, from 1.
        line: The line of the file it begins at, from 1; None for formats without lines.
        value: What stands there, at most the first 1000 characters; None if nothing does.
        reason: Why it cannot be encoded, as the end of a sentence.

    >>> BadRow(row=3, line=None, value=None, reason="is null").describe()
    'row 3: the value is null'
    """

    row: int
    line: int | None
    value: str | None
    reason: str

    def __post_init__(self) -> None:
        if self.value is not None and len(self.value) > _KEPT:
            object.__setattr__(self, "value", self.value[:_KEPT] + "…")

    def describe(self) -> str:
        """Tell place, value and reason in words."""
        line = "" if self.line is None else f" (line {self.line})"
        value = "the value" if self.value is None else repr(self.value)
        if len(value) > _SHOWN:
            value = f"{value[: _SHOWN - 2]}…{value[0]}"
        return f"row {self.row}{line}: {value} {self.reason}"


@dataclass(frozen=True)
class Batch:
    """Some rows of the input, in order.

    Args:
        number: Which batch it is, from 0.
        count: How many rows of the input it stands for, bad ones included.
        rows: What of these rows is to be kept, one column each.
        values: For each row in ``rows`` what is to be encoded.
        places: For each row in ``rows`` which row of the input it is, from 1.
        lines: The line each row begins at, or None for formats without lines.
        bad: Rows that could not be read; they are not in ``rows``.
        share: Which part of the input is read when the batch is, from 0 to 1.
    """

    number: int
    count: int
    rows: pa.RecordBatch
    values: pa.Array
    places: NDArray[Any]
    lines: NDArray[Any] | None
    bad: tuple[BadRow, ...]
    share: float


@dataclass(frozen=True)
class Encoded:
    """A batch whose values are encoded.

    Args:
        count: How many rows of the input it stands for, bad ones included.
        rows: What is kept of the rows that could be encoded.
        codes: Their codes.
        bad: The other rows, in order.
        share: Which part of the input is read, from 0 to 1.

    Shape:
        ``codes`` is (rows, P, D, 2).
    """

    count: int
    rows: pa.RecordBatch
    codes: NDArray[Any]
    bad: tuple[BadRow, ...]
    share: float
