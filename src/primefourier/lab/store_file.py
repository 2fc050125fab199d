"""The SQLite file of a store: how it is created, opened, checked and copied, and its errors."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shlex import quote

from primefourier._files import new_file, refuse_link
from primefourier.lab.store_rows import TABLES, DamagedRowError, Row, Tables, upgrade

STORE_NAME = "records.sqlite"
BACKUP_NAME = "records.backup.sqlite"
FORMAT = 2
"""Raised whenever the tables of a store or the meaning of a column change; 1 is still read."""
SIBLINGS = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite writes beside a store."""
_APPLICATION = 0x50464531  # "PFE1", the application id in the header of the file
_CREATE = {
    name: f"CREATE TABLE {name} ({columns}){' WITHOUT ROWID' * (name != 'runs')}"
    for name, columns in TABLES.items()
}
_INSERT = {
    "planned": "INSERT OR IGNORE INTO planned VALUES (?, ?, ?)",
    # a measured model stays as it is; a failed one may be replaced
    "records": "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
    "status = excluded.status, measurement = excluded.measurement, error = excluded.error, "
    "provenance = excluded.provenance, digest = excluded.digest WHERE records.status = 'failed'",
    "probes": "INSERT OR IGNORE INTO probes VALUES (?, ?, ?, ?)",
    "studies": "INSERT OR REPLACE INTO studies VALUES (?, ?)",
    "members": "INSERT OR IGNORE INTO members VALUES (?, ?)",
    "runs": "INSERT INTO runs VALUES (?, ?)",
}
_ADDED_LATER = {"probes", "studies", "members"}
"""Tables that an older store lacks; it gets them when it is written to."""
_NETWORK = (
    *("nfs", "cifs", "smb", "lustre", "gpfs", "beegfs", "ceph", "afs", "fuse", "9p", "gluster"),
)
_FULL = (
    "the disk seems to be full or broken; make room and run the same command again; records "
    "written before are safe"
)
_CLOSED = "the folder cannot be used; choose another, or change its permissions"
_ADVICE = {
    ("FULL", "IOERR"): _FULL,
    ("READONLY", "CANTOPEN", "PERM", "AUTH"): _CLOSED,
    ("BUSY", "LOCKED"): "another process keeps it locked; wait for it or stop it",
    ("NOMEM",): "memory is short; run the same command again",
}


class FolderError(ValueError):
    """A folder that cannot be used for a run."""


class StoreError(RuntimeError):
    """A store that cannot be written to, or that is damaged."""


class DamagedStoreError(StoreError):
    """A store that differs from what was written."""

    def __init__(self, path: Path, reason: object) -> None:
        super().__init__(
            f"{path} is damaged: {reason}; pfe repair {quote(str(path.parent))} saves what can be "
            "saved"
        )
        self.reason = str(reason)


def create_or_open(path: Path) -> sqlite3.Connection:
    """Open a store for writing; create the file and its tables if needed."""
    refuse_link(path)
    opened = _connect(path)
    try:
        if not is_empty(opened):
            require_store(opened, path)
        # readers need not wait for a writer with a write-ahead log, which needs a local disk
        mode = "DELETE" if is_on_network(path.parent) else "WAL"
        opened.execute(f"PRAGMA journal_mode = {mode}")
        opened.execute("PRAGMA wal_autocheckpoint = 1")  # so that the file alone is up to date
        opened.execute("PRAGMA synchronous = FULL")
        lacking = [name for name in TABLES if name not in tables_of(opened)]
        if lacking or format_of(opened) < FORMAT:
            old = format_of(opened) == 1
            rows = upgrade(read_rows(opened)) if old else {}
            with transaction(opened):
                for name in lacking:
                    opened.execute(_CREATE[name])
                for name in rows:
                    opened.execute(f"DELETE FROM {name}")
                insert(opened, rows)
                opened.execute(f"PRAGMA application_id = {_APPLICATION}")
                opened.execute(f"PRAGMA user_version = {FORMAT}")
    except BaseException:
        opened.close()
        raise
    return opened


@contextmanager
def transaction(opened: sqlite3.Connection) -> Iterator[None]:
    """Commit all changes of a block together, or none if it raises an error."""
    with opened:
        opened.execute("BEGIN IMMEDIATE")
        yield


def insert(opened: sqlite3.Connection, tables: Mapping[str, Iterable[Row]]) -> None:
    """Add rows to tables, within a transaction."""
    for name, rows in tables.items():
        opened.executemany(_INSERT[name], rows)


def read_rows(opened: sqlite3.Connection) -> Tables:
    """Return all rows of all tables that a store has."""
    return {name: opened.execute(f"SELECT * FROM {name}").fetchall() for name in tables_of(opened)}


def tables_of(opened: sqlite3.Connection) -> list[str]:
    """Return the tables that a file has exactly as this module creates them."""
    found = set(opened.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    return [name for name, sql in _CREATE.items() if (name, sql) in found]


def format_of(opened: sqlite3.Connection) -> int:
    """Return the format of a store; 0 for a file without tables."""
    return int(opened.execute("PRAGMA user_version").fetchone()[0])


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a store for reading, also while another process writes to it."""
    options = "?mode=ro"
    closed_folder = not os.access(path.parent, os.W_OK)
    if path.is_symlink() or (closed_folder and not path.with_name(f"{path.name}-wal").exists()):
        options += "&immutable=1"  # otherwise SQLite creates its log beside the file
    return _connect(path, options)


def _connect(path: Path, options: str = "") -> sqlite3.Connection:
    for ending in SIBLINGS:
        refuse_link(path.with_name(path.name + ending))
    address = path.absolute().as_uri() + options
    return sqlite3.connect(address, uri=True, timeout=30, isolation_level=None)


def is_empty(opened: sqlite3.Connection) -> bool:
    """Return whether a file has no tables yet, because its run was stopped before it began."""
    (tables,) = opened.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (pages,) = opened.execute("PRAGMA page_count").fetchone()
    return not tables and pages <= 1


def require_store(opened: sqlite3.Connection, path: Path) -> None:
    """Refuse a file of another program or format, other tables, and damaged pages.

    Reading views, triggers, computed columns and pages that point at each other may never end.

    Raises:
        FolderError: If another program or another format wrote the file.
        sqlite3.DatabaseError: If the tables are not those of a store, or pages are damaged.
    """
    (application,) = opened.execute("PRAGMA application_id").fetchone()
    version = format_of(opened)
    found = set(opened.execute("SELECT name, sql FROM sqlite_master"))
    known = set(_CREATE.items())
    if application != _APPLICATION and not found & known:
        raise FolderError(f"{path} is another program's SQLite file; choose another folder")
    if application == _APPLICATION and not 1 <= version <= FORMAT:
        raise FolderError(
            f"{path} has record format {version}, and this version of primefourier reads formats "
            f"1 to {FORMAT}; use the version that wrote it, or choose another folder"
        )
    lacking = {name for name, _ in known - found}
    if found - known or lacking - _ADDED_LATER or application != _APPLICATION:
        raise sqlite3.DatabaseError("its tables are not those of a store")
    (answer,) = opened.execute("PRAGMA integrity_check(1)").fetchone()
    if answer != "ok":
        raise sqlite3.DatabaseError(answer.splitlines()[-1])


def back_up(opened: sqlite3.Connection, path: Path) -> None:
    """Copy an open store to another file, complete or not at all."""
    with new_file(path) as file, closing(sqlite3.connect(file.name)) as copy:
        opened.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")


def leave_one_file(opened: sqlite3.Connection) -> None:
    """Remove SQLite's log, so that the file can be read where nothing can be written.

    This does nothing while another process reads the store.
    """
    with suppress(sqlite3.Error):
        opened.execute("PRAGMA busy_timeout = 0")
        opened.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into errors that say what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO)
        raise StoreError(
            f"{error.filename or path}: {error.strerror or error}; {_FULL if full else _CLOSED}"
        ) from error
    except DamagedRowError as error:
        raise DamagedStoreError(path, error) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite may cite damaged text
        name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
        for names, advice in _ADVICE.items():
            if name.startswith(names):
                raise StoreError(f"{path}: {error}; {advice}") from error
        raise DamagedStoreError(path, error) from error


def is_on_network(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Return whether a folder lies on a network file system, as far as the system tells."""
    if not mounts.is_file():
        return False
    place, best, kind = folder.resolve(), -1, ""
    for line in mounts.read_text().splitlines():
        _, point, found, *_ = line.split()
        mount = Path(point.replace("\\040", " "))
        if place.is_relative_to(mount) and len(mount.parts) >= best:
            best, kind = len(mount.parts), found
    return kind.startswith(_NETWORK)
