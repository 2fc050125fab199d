"""The records of a sweep in one SQLite file: one writer, any number of readers, nothing lost.

A record is committed before it counts as done. Each row carries a digest of its content, so that a
damaged file is noticed and not believed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Measurement, Provenance, Record
from primefourier.lab.sweep.filesystem import is_on_network
from primefourier.lab.sweep.folder import STORE_NAME, FolderError, require_sweep

FORMAT = 1
"""Raised whenever the tables or the meaning of a column change."""
_APPLICATION = 0x50464531  # "PFE1", by which SQLite files say whose they are
_TABLES = """
CREATE TABLE planned (
    key TEXT PRIMARY KEY, position INTEGER NOT NULL, config TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE records (
    key TEXT PRIMARY KEY, status TEXT NOT NULL, config TEXT NOT NULL, measurement TEXT,
    error TEXT, provenance TEXT NOT NULL, digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (started TEXT NOT NULL, command TEXT NOT NULL);
"""
_COLUMNS = "key, status, config, measurement, error, provenance, digest"


class StoreError(RuntimeError):
    """A store that could not be written to, or that is damaged."""


class Store:
    """An open store; make one with :func:`write_store` or :func:`read_store`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def begin(self, configs: Iterable[ModelConfig], command: str) -> None:
        """Note a command and the models it asks for; those asked for before stay."""
        with self._transaction():
            (count,) = self._one("SELECT coalesce(max(position) + 1, 0) FROM planned")
            self._connection.executemany(
                "INSERT OR IGNORE INTO planned VALUES (?, ?, ?)",
                ((c.key, count + i, _dump(c.to_dict())) for i, c in enumerate(configs)),
            )
            self._connection.execute(
                "INSERT INTO runs VALUES (?, ?)",
                (datetime.now(UTC).isoformat(timespec="seconds"), command),
            )

    def add(self, record: Record) -> None:
        """Commit one record. A model that is done stays as it is; a failed one may be replaced."""
        row = _to_row(record)
        with self._transaction():
            self._connection.execute(
                f"INSERT INTO records ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET status = excluded.status, "
                "measurement = excluded.measurement, error = excluded.error, "
                "provenance = excluded.provenance, digest = excluded.digest "
                "WHERE records.status = 'failed'",
                row,
            )

    def done(self) -> set[str]:
        """Return the keys of all models that were measured."""
        return {record.config.key for record in self.records() if record.error is None}

    def planned(self) -> list[ModelConfig]:
        """Return all models ever asked for, in that order."""
        rows = self._all("SELECT key, config FROM planned ORDER BY position")
        return [self._read_config(key, config) for key, config in rows]

    def records(self) -> list[Record]:
        """Return all records in the order in which their models were asked for."""
        rows = self._all(
            f"SELECT {', '.join('records.' + name for name in _COLUMNS.split(', '))} FROM records "
            "LEFT JOIN planned USING (key) ORDER BY position, records.key"
        )
        return [self._from_row(row) for row in rows]

    def commands(self) -> list[str]:
        """Return the commands that wrote here, each once, in order."""
        rows = self._all("SELECT command FROM runs ORDER BY started, rowid")
        return list(dict.fromkeys(command for (command,) in rows))

    def _from_row(self, row: tuple[Any, ...]) -> Record:
        key, _, config, measurement, error, provenance, digest = row
        if digest != _digest(row[:-1]):
            raise self._damage(key)
        return Record(
            config=self._read_config(key, config),
            measurement=measurement and Measurement.from_dict(json.loads(measurement)),
            error=error,
            provenance=Provenance(**json.loads(provenance)),
        )

    def _read_config(self, key: str, text: str) -> ModelConfig:
        try:
            config = ModelConfig.from_dict(json.loads(text))
        except (TypeError, ValueError) as error:
            raise self._damage(key) from error
        if config.key != key:
            raise self._damage(key)
        return config

    def _damage(self, key: str) -> StoreError:
        return StoreError(
            f"{self.path} is damaged: what it says of model {str(key)[:12]} is not what was "
            "written; restore the file from a copy, or start in a new folder"
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _told(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        with _told(self.path):
            return self._connection.execute(query).fetchall()

    def _one(self, query: str) -> tuple[Any, ...]:
        return self._all(query)[0]


@contextmanager
def write_store(folder: Path) -> Iterator[Store]:
    """Open the store of a folder for writing and create it if there is none."""
    path = folder / STORE_NAME
    with _told(path), closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as opened:
        if path.stat().st_size:
            _require_ours(opened, path)
        mode = "DELETE" if is_on_network(folder) else "WAL"
        opened.execute(f"PRAGMA journal_mode = {mode}")
        opened.execute("PRAGMA synchronous = FULL")
        if not opened.execute("PRAGMA user_version").fetchone()[0]:
            opened.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {_APPLICATION}; "
                f"PRAGMA user_version = {FORMAT}; COMMIT;"
            )
        yield Store(opened, path)


@contextmanager
def read_store(folder: Path) -> Iterator[Store]:
    """Open the store of a folder for reading, also while another process writes to it."""
    path = require_sweep(folder)
    address = path.absolute().as_uri() + "?mode=ro"
    if not os.access(folder, os.W_OK) and not path.with_name(f"{STORE_NAME}-wal").exists():
        address += "&immutable=1"  # SQLite would want to create its log beside the file
    with _told(path), closing(sqlite3.connect(address, uri=True, timeout=30)) as opened:
        _require_ours(opened, path)
        if not opened.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise FolderError(f"{path} is empty: its sweep was stopped before it began; run it")
        yield Store(opened, path)


def _require_ours(opened: sqlite3.Connection, path: Path) -> None:
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


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            advice = (
                "the disk seems to be full or broken; make room and run the same command again; "
                "records written before are safe"
            )
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            advice = "the folder cannot be written to; choose another with --out"
        elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            advice = "the file is damaged; restore it from a copy, or start in a new folder"
        elif name.startswith("SQLITE_BUSY"):
            advice = "another process keeps it locked; wait for it or stop it"
        else:
            advice = "run the same command again"
        raise StoreError(f"{path}: {error}; {advice}") from error


def _to_row(record: Record) -> tuple[Any, ...]:
    row = (
        record.config.key,
        "done" if record.error is None else "failed",
        _dump(record.config.to_dict()),
        record.measurement and _dump(asdict(record.measurement)),
        record.error,
        _dump(asdict(record.provenance)),
    )
    return (*row, _digest(row))


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _digest(row: tuple[Any, ...]) -> str:
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()
