"""Repair a damaged store: keep every row whose digest holds, from the file and from its backup."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from primefourier._files import new_file, refuse_link
from primefourier.lab.config import ModelConfig
from primefourier.lab.store import lock_folder, read_store
from primefourier.lab.store_file import (
    BACKUP_NAME,
    SIBLINGS,
    STORE_NAME,
    DamagedStoreError,
    FolderError,
    StoreError,
    create_or_open,
    format_of,
    insert,
    open_to_read,
    tables_of,
    transaction,
    translate_errors,
)
from primefourier.lab.store_rows import (
    TABLES,
    DamagedRowError,
    Row,
    RowReader,
    Tables,
    study_row,
    upgrade,
)
from primefourier.lab.studies.study import Study


@dataclass(frozen=True)
class Repair:
    """What a repair found.

    Args:
        planned: The planned models.
        missing: Those without a measurement: not trained yet, failed, or lost.
        damage: What was wrong with the store, or None if it was intact.
        kept: The copy of the damaged file, if there was a file.
    """

    planned: list[ModelConfig]
    missing: list[ModelConfig]
    damage: str | None = None
    kept: Path | None = None


def repair_store(folder: Path | str) -> Repair:
    """Check the store of a folder, and replace a damaged one by its intact rows.

    Rows come from the damaged file and from the backup of the last run. The damaged file is kept.

    Raises:
        FolderError: If the folder holds no store, or one of another program or format.
        StoreError: If no planned model can be saved.
    """
    path, backup = Path(folder, STORE_NAME), Path(folder, BACKUP_NAME)
    if not path.is_file() and not backup.is_file():
        raise FolderError(
            f"{folder} holds no {STORE_NAME}; name the folder that a run was written to"
        )
    with lock_folder(path.parent):
        try:
            found = _report(path)
            if found.planned:
                return found
            damage = "it holds no models"
        except DamagedStoreError as error:
            damage = error.reason
        with translate_errors(path):
            refuse_link(path)
            rows = _merge(_intact_rows([path, backup]))
            if not rows["planned"]:
                raise StoreError(
                    f"nothing could be saved: neither {STORE_NAME} nor {BACKUP_NAME} of {folder} "
                    "holds an intact model; restore one of them from a copy, or run again in a new "
                    "folder"
                )
            kept = _replace(path, rows)
        return replace(_report(path), damage=damage, kept=kept)


def _report(path: Path) -> Repair:
    """Read a whole store, and return its models."""
    with read_store(path.parent) as store:
        found = store.read()
    done = {record.config.key for record in found.records if record.error is None}
    return Repair(found.planned, [config for config in found.planned if config.key not in done])


def _intact_rows(paths: Iterable[Path]) -> Iterator[Tables]:
    """Yield the intact rows of some files, as far as SQLite can read them."""
    keys: set[str] = set()
    for path in paths:
        rows: Tables = {name: [] for name in TABLES}
        old = False
        with suppress(sqlite3.Error, UnicodeDecodeError), closing(open_to_read(path)) as opened:
            old = format_of(opened) == 1
            for name in tables_of(opened):
                rows[name] = list(dict.fromkeys(_readable(opened, name, path, keys)))
                keys |= {row[0] for row in rows["planned"] if isinstance(row[0], str)}
        reader = RowReader(old=old)
        intact = {
            name: [r for r in some if _is_intact(reader, name, r)] for name, some in rows.items()
        }
        yield upgrade(intact) if old else intact


def _readable(
    opened: sqlite3.Connection, table: str, path: Path, keys: Iterable[str]
) -> Iterator[Row]:
    """Yield the rows around damaged pages: from both ends of a table, and those of known keys.

    Damaged pages can repeat rows without end: no more is read than the files have bytes.
    """
    key = {"runs": "rowid", "studies": "name", "members": "study, key"}.get(table, "key")
    queries: list[tuple[str, tuple[str, ...]]] = [
        (f"ORDER BY {key}", ()),
        (f"ORDER BY {key.replace(',', ' DESC,')} DESC", ()),
        *((f"WHERE {key} = ?", (one,)) for one in keys if key == "key"),
    ]
    size = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    for query, values in queries:
        left = size
        with suppress(sqlite3.Error, UnicodeDecodeError):
            for row in opened.execute(f"SELECT * FROM {table} {query}", values):
                left -= sum(len(str(value)) for value in row)
                if left < 0:
                    break
                yield row


def _is_intact(reader: RowReader, table: str, row: Row) -> bool:
    try:
        reader.check(table, row)
    except DamagedRowError:
        return False
    return True


def _merge(stores: Iterable[Tables]) -> Tables:
    """Join the rows of some stores; of a model measured in several, the first row counts."""
    found = list(stores)
    rows = {
        name: list(dict.fromkeys(row for some in found for row in some[name])) for name in TABLES
    }
    rows["planned"].sort(key=lambda row: row[1])
    # the plan of a record may be lost; whoever measured a model had planned it
    known = {row[0] for row in rows["planned"]}
    lost = {row[0]: row[2] for row in rows["records"] if row[0] not in known}
    position = max((row[1] for row in rows["planned"]), default=-1) + 1
    rows["planned"] += [(key, position + i, text) for i, (key, text) in enumerate(lost.items())]
    named = {name for name, _ in rows["studies"]}
    members = {key for study, key in rows["members"] if study in named}
    reader = RowReader()
    others = [reader.plan(row) for row in rows["planned"] if row[0] not in members]
    if others:
        study = Study("recovered", others)
        rows["studies"].append(study_row(study))
        rows["members"] += [(study.name, config.key) for config in study.configs]
    return rows


def _replace(path: Path, rows: Tables) -> Path | None:
    """Write rows to a new file that replaces a store; return the copy of what it replaces."""
    kept = _copy_aside(path) if path.exists() else None
    with new_file(path) as file, closing(create_or_open(Path(file.name))) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")
        with transaction(opened):
            insert(opened, rows)
        for ending in SIBLINGS:
            path.with_name(path.name + ending).unlink(missing_ok=True)
    return kept


def _copy_aside(path: Path) -> Path:
    """Copy a store and SQLite's files beside it to free names."""
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in count(1))
    kept = next(name for name in names if not name.exists() and not name.is_symlink())
    for ending in ("", *SIBLINGS):
        source = path.with_name(path.name + ending)
        if source.is_file():
            shutil.copyfile(source, kept.with_name(kept.name + ending))
    return kept
