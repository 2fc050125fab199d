"""Make a damaged store whole again, from what of it can be read and from its journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

from primefourier.lab.sweep.database import (
    ADDED_LATER,
    NO_REMEDY,
    TABLES,
    StoreError,
    has_table,
    is_damage,
    open_to_read,
    require_ours,
)
from primefourier.lab.sweep.folder import JOURNAL_NAME, FolderError
from primefourier.lab.sweep.journal import Journal, Tables, read_journal, write_journal
from primefourier.lab.sweep.rows import DamagedRowError, Row, read_config, read_probe, read_record

_UPSERT = (
    "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
    "status = excluded.status, measurement = excluded.measurement, error = excluded.error, "
    "provenance = excluded.provenance, digest = excluded.digest WHERE records.status = 'failed'"
)
INSERT = {
    "planned": "INSERT OR REPLACE INTO planned VALUES (?, ?, ?)",
    "records": _UPSERT,  # a model that is done stays as it is; a failed one may be replaced
    "probes": "INSERT OR IGNORE INTO probes VALUES (?, ?, ?, ?)",
    "runs": "INSERT INTO runs VALUES (?, ?)",
}


def set_aside_if_damaged(path: Path, tell: Callable[[str], None]) -> Tables:
    """Return the rows that a store should hold, from its journal; move a damaged store away.

    Raises:
        StoreError: If the store is damaged and there is no journal to restore it from.
    """
    journal = read_journal(path.parent / JOURNAL_NAME)
    tables = {name: list(_intact(name, journal.tables.get(name, []))) for name in TABLES}
    if not path.exists() or not path.stat().st_size or not (damage := _damage(path, journal)):
        return tables
    if not any(tables.values()):
        raise StoreError(f"{path} is damaged: {damage}; {NO_REMEDY}")
    for name, rows in _readable(path).items():
        tables[name] += _without(rows, tables[name])
    kept = _move_away(path)
    tell(f"{path} is damaged: {damage}. It is kept as {kept.name}, and restored from the journal.")
    return tables


def restore_rows(opened: sqlite3.Connection, wanted: Tables) -> int:
    """Insert what a store lacks, and return how many records that were."""
    held = all_rows(opened)
    known = {row[0]: row[1] for row in held["records"]}
    wanted = wanted | {"planned": wanted["planned"] + _unplanned(wanted, held)}
    lacking = [row for row in wanted["records"] if known.get(row[0]) not in ("done", row[1])]
    rows: Tables = {
        "planned": _without(wanted["planned"], held["planned"]),
        "records": lacking,
        "probes": _of_other_keys(wanted["probes"], held["probes"]),
        "runs": _without(wanted["runs"], held["runs"]),
    }
    if any(rows.values()):
        opened.execute("BEGIN IMMEDIATE")
        for name, some in rows.items():
            opened.executemany(INSERT[name], some)
        opened.execute("COMMIT")
    return len({row[0] for row in lacking})


def _unplanned(wanted: Tables, held: Tables) -> list[Row]:
    """Return plans for records whose own plan was lost: who measured a model had asked for it."""
    plans = [*wanted["planned"], *held["planned"]]
    known = {row[0] for row in plans}
    first = max((row[1] for row in plans), default=-1) + 1
    records = {row[0]: row[2] for row in [*wanted["records"], *held["records"]]}
    lost = [(key, config) for key, config in records.items() if key not in known]
    return [(key, first + i, config) for i, (key, config) in enumerate(lost)]


def restore_journal(opened: sqlite3.Connection, path: Path, tell: Callable[[str], None]) -> None:
    """Write a journal anew if it lacks something that the store holds, or is damaged."""
    journal, held = read_journal(path), all_rows(opened)
    lacks = any(_without(held[name], journal.tables.get(name, [])) for name in held)
    if not (lacks or journal.damaged or journal.torn):
        return
    if lacks or journal.damaged:
        tell(f"{path} was not whole; it was written anew from the store.")
    write_journal(path, held)


def count_lost(opened: sqlite3.Connection, journal: Journal) -> int:
    """Count the plans and measured records of a journal, read before, that a store lacks."""
    held = {key for (key,) in opened.execute("SELECT key FROM records WHERE status = 'done'")}
    rows = _intact("records", journal.tables.get("records", []))
    lost = {row[0] for row in rows if row[1] == "done"} - held
    plans = list(_intact("planned", journal.tables.get("planned", [])))
    probes = list(_intact("probes", journal.tables.get("probes", [])))
    lost_probes = _of_other_keys(probes, _rows(opened, "probes"))
    lost_plans = _without(plans, _rows(opened, "planned"))
    return len(lost) + len(lost_probes) + len(lost_plans)


def all_rows(opened: sqlite3.Connection) -> Tables:
    """Return every row of every table, plans in their order."""
    return {name: _rows(opened, name) for name in TABLES}


def _rows(opened: sqlite3.Connection, name: str) -> list[Row]:
    if name in ADDED_LATER and not has_table(opened, name):
        return []
    order = "position" if name == "planned" else 1
    return opened.execute(f"SELECT * FROM {name} ORDER BY {order}").fetchall()


def _damage(path: Path, journal: Journal) -> str | None:
    """Say what is wrong with a store, or None."""
    try:
        with closing(open_to_read(path)) as opened:
            require_ours(opened, path)
            (answer,) = opened.execute("PRAGMA integrity_check(1)").fetchone()
            if answer != "ok":
                return str(answer)
            for name, columns in TABLES.items():
                found = [row[1] for row in opened.execute(f"PRAGMA table_info({name})")]
                if found != list(columns) and not (name in ADDED_LATER and not found):
                    return f"its table {name} has columns {found}"
            for name, rows in all_rows(opened).items():
                for row in rows:
                    _read(name, row)
    except FolderError:
        if not any(journal.tables.values()):
            raise  # really somebody else's
        return "its header is not that of a store"
    except DamagedRowError as error:
        return str(error)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if not is_damage(error):
            raise
        return str(error)
    return None


def _readable(path: Path) -> Tables:
    """Return the intact rows of a damaged store, as far as SQLite gets."""
    tables: Tables = {name: [] for name in TABLES}
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(open_to_read(path)) as opened:
        for name in TABLES:
            rows: list[Row] = []
            with suppress(sqlite3.Error, UnicodeDecodeError):
                rows.extend(opened.execute(f"SELECT * FROM {name}"))
            tables[name] = list(_intact(name, rows))
    return tables


def _intact(name: str, rows: list[Row]) -> Iterator[Row]:
    for row in rows:
        with suppress(DamagedRowError):
            _read(name, row)
            yield row


def _read(name: str, row: Row) -> None:
    """Raise an error if a row is not what was written."""
    if len(row) != len(TABLES[name]):
        raise DamagedRowError(f"a row of {name} has {len(row)} columns")
    if name == "records":
        read_record(row)
    elif name == "probes":
        read_probe(row)
    elif name == "planned":
        read_config(row[0], row[2])
    kinds = {
        "records": (object,) * 7,
        "probes": (str,) * 4,
        "planned": (str, int, str),
        "runs": (str, str),
    }[name]
    if not all(map(isinstance, row, kinds)):
        raise DamagedRowError(f"a row of {name} holds other types than were written")


def _without(rows: list[Row], others: list[Row]) -> list[Row]:
    known = set(others)
    return [row for row in rows if row not in known]


def _of_other_keys(rows: list[Row], others: list[Row]) -> list[Row]:
    """Return the rows of models that the others have none of."""
    known = {row[0] for row in others}
    return [row for row in rows if row[0] not in known]


def _move_away(path: Path) -> Path:
    """Rename a store, and its log if there is one, to names that are free."""
    for number in count(1):
        kept = path.with_name(f"{path.name}.damaged-{number}")
        if not kept.exists():
            break
    for ending in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(kept.with_name(kept.name + ending))
    return kept
