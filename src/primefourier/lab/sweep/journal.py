"""The second copy of all that a store holds: a text file to which lines are added.

A store that was damaged or cut off is restored from it. Each line is a row of one of the store's
tables and carries a digest; a line that was torn by a crash does not count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from primefourier.lab.sweep.rows import FORMAT, Row, digest

Tables = dict[str, list[Row]]


@dataclass(frozen=True)
class Journal:
    """What a journal holds.

    Args:
        tables: The intact rows of each table, in the order they were written.
        damaged: How many lines cannot be believed.
        torn: Whether the last line was broken off, as by a crash while it was written.
    """

    tables: Tables = field(default_factory=dict)
    damaged: int = 0
    torn: bool = False


def read_journal(path: Path) -> Journal:
    """Read the journal at a path; one that is not there is empty."""
    try:
        *lines, last = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return Journal()
    tables: Tables = {}
    damaged = 0
    for line in lines:
        try:
            table, row, written = json.loads(line)
            intact = isinstance(row, list) and written == digest([FORMAT, table, row])
        except (ValueError, TypeError, RecursionError):
            intact = False
        if intact:
            tables.setdefault(str(table), []).append(tuple(row))
        else:
            damaged += 1
    return Journal(tables, damaged, torn=bool(last))


def append_rows(path: Path, table: str, rows: Sequence[Row]) -> None:
    """Add rows of a table, and return once they are on disk; on failure, nothing is added."""
    is_new = not path.exists()
    with path.open("ab", buffering=0) as file:
        before = file.tell()
        try:
            _write(file.fileno(), _lines((table, row) for row in rows))
        except OSError:
            with suppress(OSError):
                file.truncate(before)
            raise
    if is_new:
        _sync_folder(path.parent)


def write_journal(path: Path, tables: Tables) -> None:
    """Replace a journal by one that holds just these rows, whole or not at all."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with unfinished.open("wb", buffering=0) as file:
            _write(file.fileno(), _lines((name, row) for name in tables for row in tables[name]))
        unfinished.replace(path)
        _sync_folder(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def _lines(rows: Iterable[tuple[str, Row]]) -> bytes:
    lines = [json.dumps([name, row, digest([FORMAT, name, row])]) + "\n" for name, row in rows]
    return "".join(lines).encode()


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
    os.fsync(file)


def _sync_folder(folder: Path) -> None:
    """Let a new name in a folder survive a loss of power, where the system can do that."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
