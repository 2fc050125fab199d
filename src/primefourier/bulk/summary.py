"""How far the encoding of a file is, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Progress:
    """How far it is.

    Args:
        rows: Rows written, those of earlier runs included.
        rejected: Rows left out because they were bad.
        share: Which part of the input is read, from 0 to 1.
        before: How many of the rows, rejected ones included, earlier runs had done.
    """

    rows: int = 0
    rejected: int = 0
    share: float = 0.0
    before: int = 0

    def after(self, *, rows: int, rejected: int, share: float, before: int = 0) -> Progress:
        """Return the progress after some more rows.

        >>> Progress(rows=2).after(rows=3, rejected=1, share=0.5)
        Progress(rows=5, rejected=1, share=0.5, before=0)
        """
        return Progress(self.rows + rows, self.rejected + rejected, share, self.before + before)


@dataclass(frozen=True)
class Summary:
    """How it ended.

    Args:
        rows: Rows in the output.
        rejected: Rows left out because they were bad.
        out: The file or folder that was written.
        rejects: Where the bad rows are listed, if there are any.
        parts: How many files the folder has; None if the output is one file.
        parts_before: How many of them were there already.
        started_over: Whether an unfinished file of an earlier run was found and thrown away.

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
        """Return the same as JSON can hold it."""
        return {
            "rows": self.rows,
            "rejected": self.rejected,
            "out": str(self.out),
            "rejects": None if self.rejects is None else str(self.rejects),
            "parts": self.parts,
            "parts_before": self.parts_before,
            "started_over": self.started_over,
        }
