"""The records of a run in one SQLite file: one writer, any number of readers.

A record is on disk before it counts as done. A copy of the file is made at the end of each run.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from primefourier._files import lock_file, open_in_place
from primefourier.lab.record import Record
from primefourier.lab.store_file import (
    BACKUP_NAME,
    STORE_NAME,
    DamagedStoreError,
    FolderError,
    StoreError,
    back_up,
    create_or_open,
    format_of,
    insert,
    is_empty,
    leave_one_file,
    open_to_read,
    read_rows,
    require_store,
    transaction,
    translate_errors,
)
from primefourier.lab.store_rows import (
    Contents,
    Row,
    RowReader,
    plan_row,
    record_row,
    study_row,
)
from primefourier.lab.studies.study import StudyLike

__all__ = [
    "BACKUP_NAME",
    "STORE_NAME",
    "FolderError",
    "Store",
    "StoreError",
    "current_writer",
    "lock_folder",
    "prepare_folder",
    "read_store",
    "write_store",
]
_LOG = logging.getLogger(__name__)
_LOCK_NAME = "writer.lock"


class Store:
    """An open store; :func:`write_store` and :func:`read_store` return one."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def begin(self, studies: Iterable[StudyLike], command: str) -> None:
        """Store a command and the studies that it plans; models planned before stay.

        Raises:
            FolderError: If the store holds another study of the same name.
        """
        chosen = list(studies)
        with translate_errors(self.path):
            stored = dict(self._connection.execute("SELECT name, study FROM studies"))
            members = self._connection.execute("SELECT study, key FROM members").fetchall()
            known = dict(self._connection.execute("SELECT key, position FROM planned"))
        for study in chosen:
            if study.name not in stored or stored[study.name] == study_row(study)[1]:
                continue
            before = {key for name, key in members if name == study.name}
            if before.isdisjoint(config.key for config in study.configs):
                raise FolderError(
                    f"{self.path.parent} holds another study named {study.name!r}, with none of "
                    "these models; choose another name or another folder"
                )
        first = max(known.values(), default=-1) + 1
        configs = {config.key: config for study in chosen for config in study.configs}
        new = [config for key, config in configs.items() if key not in known]
        self._insert(
            planned=[plan_row(config, first + i) for i, config in enumerate(new)],
            studies=[study_row(study) for study in chosen],
            members=[(study.name, config.key) for study in chosen for config in study.configs],
            runs=[(_now(), command)],
        )

    def add(self, record: Record) -> None:
        """Commit one record; that of a measured model is never replaced, a failure is."""
        self._insert(records=[record_row(record)])

    def read(self) -> Contents:
        """Read everything once, as it is now; models and records are in planned order."""
        with translate_errors(self.path):
            reader = RowReader(old=format_of(self._connection) == 1)
            return reader.read(read_rows(self._connection))

    def records(self) -> list[Record]:
        """Return all records, in the order in which their models were planned."""
        return self.read().records

    def done(self) -> set[str]:
        """Return the keys of all measured models."""
        return {record.config.key for record in self.records() if record.error is None}

    def _insert(self, **tables: list[Row]) -> None:
        with translate_errors(self.path), transaction(self._connection):
            insert(self._connection, tables)


@contextmanager
def write_store(folder: Path | str) -> Iterator[Store]:
    """Open the store of a folder for writing, by one process at a time; create it if needed.

    Raises:
        FolderError: If the folder cannot be used, or another process writes to it.
        StoreError: If the store is damaged, or cannot be written to.
    """
    path = Path(folder, STORE_NAME)
    prepare_folder(path.parent)
    with lock_folder(path.parent):
        _require_not_lost(path)
        with translate_errors(path):
            opened = create_or_open(path)
        with closing(opened):
            yield Store(opened, path)
            leave_one_file(opened)
            if opened.total_changes:
                try:
                    back_up(opened, path.with_name(BACKUP_NAME))
                except (OSError, sqlite3.Error) as error:
                    _LOG.warning("%s could not be written: %s", BACKUP_NAME, error)


@contextmanager
def read_store(folder: Path | str) -> Iterator[Store]:
    """Open the store of a folder for reading, also while another process writes to it.

    Raises:
        FolderError: If the folder holds no store.
        StoreError: If the store is damaged.
    """
    path = Path(folder, STORE_NAME)
    if not path.parent.is_dir():
        raise FolderError(f"there is no folder {str(folder)!r}; a run creates it")
    _require_not_lost(path)
    if not path.is_file():
        raise FolderError(
            f"{folder} holds no {STORE_NAME}; name the folder that a run was written to"
        )
    with translate_errors(path):
        opened = open_to_read(path)
    with closing(opened):
        with translate_errors(path):
            if is_empty(opened):
                raise FolderError(f"{path} is empty: its run was stopped before it began; run it")
            require_store(opened, path)
        yield Store(opened, path)


def _require_not_lost(path: Path) -> None:
    """Raise an error if a store is missing or empty, but its log or its backup is not."""
    empty = not path.is_file() or not path.stat().st_size
    traces = [path.with_name(f"{path.name}-wal"), path.with_name(BACKUP_NAME)]
    if empty and any(trace.is_file() and trace.stat().st_size for trace in traces):
        raise DamagedStoreError(path, "it is missing or empty")


def prepare_folder(folder: Path) -> None:
    """Create a folder for a run; an existing one must be empty or hold a run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    except OSError as error:
        raise FolderError(
            f"{folder} cannot be used as output folder: {error.strerror}; choose another"
        ) from error
    if names - {_LOCK_NAME} and not names & {STORE_NAME, BACKUP_NAME}:
        raise FolderError(
            f"{folder} holds other files, such as {min(names - {_LOCK_NAME})!r}, but no run; "
            "choose a new or empty folder"
        )


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Make this process the only one that writes to a folder; the lock ends with the process."""
    try:
        with open_in_place(folder / _LOCK_NAME, "ab") as file:
            if not lock_file(file):
                raise FolderError(
                    f"{folder} is being written to by {_describe(current_writer(folder))}; wait "
                    "for it, stop it, or choose another folder"
                )
            writer = {"process": os.getpid(), "host": platform.node(), "since": _now()}
            file.truncate(0)
            file.write(json.dumps(writer).encode())
            file.flush()
            locked = os.dup(file.fileno())  # which keeps the lock
    except OSError as error:
        raise FolderError(
            f"{folder} cannot be written to: {error.strerror or error}; make room, choose another "
            "folder, or change its permissions"
        ) from error
    try:
        yield
    finally:
        os.close(locked)


def current_writer(folder: Path | str) -> dict[str, Any] | None:
    """Return process, host and starting time of the current writer of a folder, or None."""
    path = Path(folder, _LOCK_NAME)
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                if not lock_file(file, shared=True):
                    text = file.read()
                    return dict(json.loads(text)) if text else {}
    return None


def _describe(writer: dict[str, Any] | None) -> str:
    if not writer:
        return "another process"
    return f"process {writer['process']} on {writer['host']} since {writer['since']}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
