"""The SQLite file of a sweep: its tables, how it is opened, and what its errors mean."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from primefourier.lab.sweep.filesystem import is_on_network
from primefourier.lab.sweep.folder import JOURNAL_NAME, STORE_NAME, FolderError
from primefourier.lab.sweep.rows import FORMAT

TABLES = {
    "planned": {
        "key": "TEXT PRIMARY KEY",
        "position": "INTEGER NOT NULL",
        "config": "TEXT NOT NULL",
    },
    "records": {
        "key": "TEXT PRIMARY KEY",
        "status": "TEXT NOT NULL",
        "config": "TEXT NOT NULL",
        "measurement": "TEXT",
        "error": "TEXT",
        "provenance": "TEXT NOT NULL",
        "digest": "TEXT NOT NULL",
    },
    "probes": {
        "key": "TEXT PRIMARY KEY",
        "probe": "TEXT NOT NULL",
        "provenance": "TEXT NOT NULL",
        "digest": "TEXT NOT NULL",
    },
    "runs": {"started": "TEXT NOT NULL", "command": "TEXT NOT NULL"},
}
ADDED_LATER = ("probes",)
"""Tables that a store from before them lacks; it counts as whole, and gets them when written to."""
_APPLICATION = 0x50464531  # "PFE1", by which SQLite files say whose they are
_NOT_DAMAGE = ("FULL", "IOERR", "READONLY", "CANTOPEN", "PERM", "BUSY", "LOCKED", "AUTH", "NOMEM")
_FULL = (
    "the disk seems to be full or broken; make room and run the same command again; records "
    "written before are safe"
)
_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
NO_REMEDY = "restore the file from a copy, or start in a new folder"
_CLOSED = "the folder cannot be used; choose another with --out, or change its permissions"


class StoreError(RuntimeError):
    """A store that could not be written to, or that is damaged."""


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open the file, or create it with its tables."""
    opened = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        if path.stat().st_size:
            require_ours(opened, path)
        mode = "DELETE" if is_on_network(path.parent) else "WAL"
        opened.execute(f"PRAGMA journal_mode = {mode}")
        opened.execute("PRAGMA synchronous = FULL")
        if not opened.execute("PRAGMA user_version").fetchone()[0]:
            opened.executescript(
                f"BEGIN IMMEDIATE; {_create(TABLES)} PRAGMA application_id = {_APPLICATION}; "
                f"PRAGMA user_version = {FORMAT}; COMMIT;"
            )
        elif lacking := [name for name in ADDED_LATER if not has_table(opened, name)]:
            opened.executescript(f"BEGIN IMMEDIATE; {_create(lacking)} COMMIT;")
    except BaseException:
        opened.close()
        raise
    return opened


def fold_log(opened: sqlite3.Connection) -> None:
    """Leave one plain file, which can be read where nothing can be written, unless it is in use."""
    with suppress(sqlite3.Error):
        opened.execute("PRAGMA busy_timeout = 0")
        opened.execute("PRAGMA journal_mode = DELETE")


def has_table(opened: sqlite3.Connection, name: str) -> bool:
    """Tell whether a store has a table."""
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
    return bool(opened.execute(query, (name,)).fetchone()[0])


def _create(names: Iterable[str]) -> str:
    statements = []
    for name in names:
        listed = ", ".join(f"{column} {kind}" for column, kind in TABLES[name].items())
        statements.append(f"CREATE TABLE {name} ({listed}){' WITHOUT ROWID' * (name != 'runs')};")
    return " ".join(statements)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open the file for reading, also while another process writes to it."""
    address = path.absolute().as_uri() + "?mode=ro"
    if not os.access(path.parent, os.W_OK) and not path.with_name(f"{STORE_NAME}-wal").exists():
        address += "&immutable=1"  # SQLite would want to create its log beside the file
    return sqlite3.connect(address, uri=True, timeout=30)


def require_ours(opened: sqlite3.Connection, path: Path) -> None:
    """Refuse a file of another program or of another format."""
    (application,) = opened.execute("PRAGMA application_id").fetchone()
    (version,) = opened.execute("PRAGMA user_version").fetchone()
    (tables,) = opened.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == _APPLICATION and version == FORMAT:
        return
    if application == _APPLICATION:
        raise FolderError(
            f"{path} has record format {version}, and this version of primefourier reads format "
            f"{FORMAT}; use the version that wrote it, or choose another folder with --out"
        )
    if tables:
        raise FolderError(
            f"{path} is somebody else's SQLite file; choose another folder with --out"
        )


def is_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Tell whether an error means that the file is not what was written to it.

    Where SQLite cites a damaged file, Python may fail to decode what it says.
    """
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    return not name.startswith(_NOT_DAMAGE)


def remedy(path: Path) -> str:
    """Say what to do about a damaged file."""
    if (path.parent / JOURNAL_NAME).is_file():
        return f"pfe repair {path.parent} restores it from {JOURNAL_NAME}"
    return NO_REMEDY


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into sentences that say what to do."""
    try:
        yield
    except OSError as error:
        advice = _FULL if error.errno in _FULL_ERRORS else _CLOSED
        raise StoreError(
            f"{error.filename or path}: {error.strerror or error}; {advice}"
        ) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            advice = _FULL
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            advice = _CLOSED
        elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            advice = "another process keeps it locked; wait for it or stop it"
        elif is_damage(error):
            advice = f"the file is damaged; {remedy(path)}"
        else:
            advice = "run the same command again"
        raise StoreError(f"{path}: {error}; {advice}") from error
