"""Repair a damaged store: keep every row whose digest holds, from the file and from its backup."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from primefourier._files import new_file, refuse_link
from primefourier.lab.config import ModelConfig
from primefourier.lab.migrate import upgrade
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
    has_table,
    insert,
    open_to_read,
    translate_errors,
)
from primefourier.lab.store_rows import (
    TABLES,
    DamagedRowError,
    Row,
    check_row,
    read_plan,
    study_row,
)
from primefourier.lab.studies.study import Study

Rows = dict[str, list[Row]]


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
            rows = _merge(*_intact_rows([path, backup]))
            if not rows["planned"]:
                raise StoreError(
                    f"nothing could be saved: neither {STORE_NAME} nor {BACKUP_NAME} of {folder} "
                    "holds an intact model; restore one of them from a copy, or run again in a new "
                    "folder"
                )
            kept = _replace(path, rows)
        found = _report(path)
        return Repair(found.planned, found.missing, damage, kept)


def _report(path: Path) -> Repair:
    """Read a whole store, and return its models.

    Raises:
        StoreError: If anything is damaged.
    """
    with read_store(path.parent) as store:
        planned, done = store.read().planned, store.done()
    return Repair(planned, [config for config in planned if config.key not in done])


def _intact_rows(paths: Iterable[Path]) -> list[Rows]:
    """Return the intact rows of each table of some files, as far as SQLite can read them."""
    found: list[Rows] = []
    keys: set[str] = set()
    for path in paths:
        rows: Rows = {name: [] for name in TABLES}
        found.append(rows)
        if not path.is_file():
            continue
        with suppress(sqlite3.Error, UnicodeDecodeError), closing(open_to_read(path)) as opened:
            for name in [name for name in TABLES if has_table(opened, name)]:
                rows[name] = list(dict.fromkeys(_readable(opened, name, path, keys)))
                keys |= {row[0] for row in rows["planned"] if isinstance(row[0], str)}
            if format_of(opened) == 1:
                rows |= upgrade(rows, skip_damaged=True)
        for name, some in rows.items():
            rows[name] = [row for row in some if _is_intact(name, row)]
    return found


def _readable(
    opened: sqlite3.Connection, table: str, path: Path, keys: Iterable[str]
) -> Iterator[Row]:
    """Yield the rows around damaged pages: from both ends of a table, and those of known keys.

    Damaged pages can repeat rows without end: no more is read than the files have bytes.
    """
    key = {"runs": "rowid", "studies": "name", "members": "study, key"}.get(table, "key")
    down = ", ".join(f"{column} DESC" for column in key.split(", "))
    queries: list[tuple[str, tuple[str, ...]]] = [
        (f"ORDER BY {key}", ()),
        (f"ORDER BY {down}", ()),
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


def _is_intact(table: str, row: Row) -> bool:
    try:
        check_row(table, row)
    except DamagedRowError:
        return False
    return True


def _merge(first: Rows, second: Rows) -> Rows:
    """Join the rows of two stores; of a model measured in both, the first store's row wins."""
    rows = {name: list(dict.fromkeys(first[name] + second[name])) for name in TABLES}
    rows["planned"].sort(key=lambda row: row[1])
    # the plan of a record may be lost; whoever measured a model had planned it
    known = {row[0] for row in rows["planned"]}
    lost = {row[0]: row[2] for row in rows["records"] if row[0] not in known}
    position = max((row[1] for row in rows["planned"]), default=-1) + 1
    rows["planned"] += [(key, position + i, text) for i, (key, text) in enumerate(lost.items())]
    named = {name for name, _ in rows["studies"]}
    at_home = {key for study, key in rows["members"] if study in named}
    homeless = [read_plan(row) for row in rows["planned"] if row[0] not in at_home]
    if homeless:
        study = Study("recovered", homeless)
        rows["studies"].append(study_row(study))
        rows["members"] += [(study.name, config.key) for config in homeless]
    return rows


def _replace(path: Path, rows: Rows) -> Path | None:
    """Write rows to a new file that replaces a store; return the copy of what it replaces."""
    kept = _copy_aside(path) if path.exists() else None
    with new_file(path) as file, closing(create_or_open(Path(file.name))) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")
        opened.execute("BEGIN IMMEDIATE")
        for name, some in rows.items():
            insert(opened, name, some)
        opened.execute("COMMIT")
        for sibling in _siblings(path):
            sibling.unlink(missing_ok=True)
    return kept


def _copy_aside(path: Path) -> Path:
    """Copy a store and SQLite's files beside it to free names."""
    for number in count(1):
        kept = path.with_name(f"{path.name}.damaged-{number}")
        if not kept.exists() and not kept.is_symlink():
            break
    for source, ending in zip([path, *_siblings(path)], ["", *SIBLINGS], strict=True):
        if source.is_file():
            with new_file(kept.with_name(kept.name + ending)) as copy, source.open("rb") as file:
                shutil.copyfileobj(file, copy)
    return kept


def _siblings(path: Path) -> Iterable[Path]:
    return [path.with_name(path.name + ending) for ending in SIBLINGS]
