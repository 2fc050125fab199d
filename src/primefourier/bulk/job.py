"""Everything that decides what the output is: the input, the column, the basis, the format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.errors import BulkError
from primefourier.bulk.formats import Format, format_of
from primefourier.bulk.source import Keep, Source, open_source

OnBad = Literal["error", "reject"]

_FILE_BYTES, _FILE_ROWS = 32 << 20, 65_536
_PART_BYTES, _PART_ROWS = 64 << 20, 262_144


@dataclass(frozen=True)
class Job:
    """A file to encode, and what to make of it.

    Args:
        source: The input.
        column: What to encode; None for .npy files.
        out: The file or folder to write.
        folder: Whether it is a folder.
        format: The format of what is written.
        name: What the column of codes is called.
        recipe: The basis and the dtype.
        on_bad: Whether a bad row is an error or is left out.
        rejects: Where bad rows are listed; None if they are errors.
        fingerprint: What the input was before it was read, from :func:`fingerprint_of`.
    """

    source: Path
    column: str | None
    out: Path
    folder: bool
    format: Format
    name: str
    recipe: Recipe
    on_bad: OnBad
    rejects: Path | None
    fingerprint: Mapping[str, object]

    @property
    def keep(self) -> Keep:
        """What of the input's rows goes to the output."""
        if self.format == "npy":
            return "nothing"
        return "lines" if self.format == "jsonl" == format_of(self.source) else "columns"

    @property
    def rows(self) -> int:
        """How many rows make a batch: as many as have a few dozen MiB of codes."""
        size, most = (_PART_BYTES, _PART_ROWS) if self.folder else (_FILE_BYTES, _FILE_ROWS)
        return max(1, min(most, size // self.recipe.bytes))

    def open(self) -> Source:
        """Open the input."""
        kind = format_of(self.source)
        return open_source(self.source, kind, column=self.column, keep=self.keep, name=self.name)

    def settings(self) -> dict[str, object]:
        """Return all that the content of the output depends on, as JSON can hold it."""
        return {
            "input": dict(self.fingerprint),
            "column": self.column,
            "name": self.name,
            "primes": list(self.recipe.basis.primes),
            "depth": self.recipe.basis.depth,
            "dtype": self.recipe.dtype,
            "format": self.format,
            "on_bad": self.on_bad,
            "rejects": self._rejects_elsewhere(),
            "rows in a part": self.rows,
            "primefourier": version("primefourier"),
        }

    def _rejects_elsewhere(self) -> str | None:
        """Return where bad rows are listed if it is not in the folder, which may be moved."""
        if self.rejects is None or self.rejects.parent == self.out:
            return None
        return str(self.rejects.absolute())

    def require_unchanged(self) -> None:
        """Refuse to call the output whole if the input was changed while it was read.

        Raises:
            BulkError: If its fingerprint is another one now.
        """
        if fingerprint_of(self.source) != self.fingerprint:
            raise BulkError(
                f"{self.source} was changed while it was read; run the command again when it is "
                "complete"
            )


def fingerprint_of(path: Path) -> dict[str, object]:
    """Return what tells a file from another one, and from itself before a change."""
    found = path.stat()
    return {"name": path.name, "size": found.st_size, "modified": found.st_mtime_ns}
