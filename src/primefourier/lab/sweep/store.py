"""The records of a sweep in one SQLite file: one writer, any number of readers, nothing lost.

A record is committed, and written to the journal, before it counts as done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.probing import can_be_probed
from primefourier.lab.record import Record
from primefourier.lab.sweep.database import (
    StoreError,
    fold_log,
    has_table,
    open_to_read,
    open_to_write,
    remedy,
    require_ours,
    told,
)
from primefourier.lab.sweep.folder import (
    JOURNAL_NAME,
    STORE_NAME,
    FolderError,
    WriterLock,
    require_sweep,
)
from primefourier.lab.sweep.journal import append_rows, read_journal
from primefourier.lab.sweep.restore import (
    INSERT,
    count_lost,
    restore_journal,
    restore_rows,
    set_aside_if_damaged,
)
from primefourier.lab.sweep.rows import (
    DamagedRowError,
    Row,
    config_row,
    probe_row,
    read_config,
    read_record,
    record_row,
    with_probe,
)

__all__ = ["Store", "StoreError", "read_store", "repair_store", "write_store"]


class Store:
    """An open store; make one with :func:`write_store` or :func:`read_store`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def begin(self, configs: Iterable[ModelConfig], command: str) -> None:
        """Note a command and the models it asks for; those asked for before stay."""
        known = dict(self._all("SELECT key, position FROM planned"))
        first = max(known.values(), default=-1) + 1
        new = [config for config in configs if config.key not in known]
        self._insert("planned", [config_row(config, first + i) for i, config in enumerate(new)])
        self._insert("runs", [(datetime.now(UTC).isoformat(timespec="seconds"), command)])

    def add(self, record: Record) -> None:
        """Commit one record and its probe.

        A model that is done stays as it is, and so does its probe; a failed one may be replaced.
        """
        self._insert("records", [record_row(record)])
        if record.probe is not None:
            self._insert("probes", [probe_row(record)])

    def done(self, *, probe: bool = False) -> set[str]:
        """Return the keys of all models that were measured, and probed if that is asked for."""
        return {
            record.config.key
            for record in self.records()
            if record.error is None
            and not (probe and record.probe is None and can_be_probed(record.config))
        }

    def planned(self) -> list[ModelConfig]:
        """Return all models ever asked for, in that order."""
        rows = self._all("SELECT key, config FROM planned ORDER BY position")
        with self._damage_told():
            return [read_config(key, config) for key, config in rows]

    def records(self) -> list[Record]:
        """Return all records in the order in which their models were asked for."""
        rows = self._all(
            "SELECT records.* FROM records LEFT JOIN planned USING (key) "
            "ORDER BY position, records.key"
        )
        probes = {}
        if has_table(self._connection, "probes"):
            probes = {row[0]: row for row in self._all("SELECT * FROM probes")}
        with self._damage_told():
            records = map(read_record, rows)
            return [
                with_probe(record, probes[record.config.key])
                if record.config.key in probes
                else record
                for record in records
            ]

    def commands(self) -> list[str]:
        """Return the commands that wrote here, each once, in order."""
        rows = self._all("SELECT command FROM runs ORDER BY started, rowid")
        return list(dict.fromkeys(str(command) for (command,) in rows))

    def _insert(self, table: str, rows: list[Row]) -> None:
        """Commit rows, then write them to the journal: it never holds what the store does not."""
        if not rows:
            return
        with told(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(INSERT[table], rows)
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            append_rows(self.path.with_name(JOURNAL_NAME), table, rows)

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        with told(self.path):
            return self._connection.execute(query).fetchall()

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        try:
            yield
        except DamagedRowError as error:
            raise StoreError(f"{self.path} is damaged: {error}; {remedy(self.path)}") from error


@contextmanager
def write_store(folder: Path, tell: Callable[[str], None] = lambda _: None) -> Iterator[Store]:
    """Open the store of a folder for writing: create it, or make it whole if it is damaged.

    Args:
        folder: Where it is.
        tell: Called with a sentence about what was damaged and restored.
    """
    path = folder / STORE_NAME
    with told(path):
        wanted = set_aside_if_damaged(path, tell)
        opened = open_to_write(path)
    with closing(opened):
        with told(path):
            if restored := restore_rows(opened, wanted):
                records = "1 record" if restored == 1 else f"{restored} records"
                tell(f"{records} of {path} came back from the journal.")
            restore_journal(opened, folder / JOURNAL_NAME, tell)
        yield Store(opened, path)
        fold_log(opened)


@contextmanager
def read_store(folder: Path) -> Iterator[Store]:
    """Open the store of a folder for reading, also while another process writes to it."""
    path = require_sweep(folder)
    with told(path):
        journal = read_journal(folder / JOURNAL_NAME)  # before the store, which is always ahead
        opened = open_to_read(path)
    with closing(opened):
        with told(path):
            require_ours(opened, path)
            empty = not opened.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if empty and not journal.tables:
                raise FolderError(f"{path} is empty: its sweep was stopped before it began; run it")
            lost = 0 if empty else count_lost(opened, journal)
        if empty or lost:
            what = "is empty" if empty else f"lacks {lost} of the lines of {JOURNAL_NAME}"
            raise StoreError(f"{path} {what}, so it is damaged; {remedy(path)}")
        yield Store(opened, path)


def repair_store(folder: Path, tell: Callable[[str], None] = lambda _: None) -> tuple[int, int]:
    """Restore what is damaged or missing; return how many models were asked for and measured."""
    if not (folder / JOURNAL_NAME).is_file():
        require_sweep(folder)
    with WriterLock(folder), write_store(folder, tell) as store:
        return len(store.planned()), len(store.done())
