import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from primefourier.lab.sweep.database import (
    ADDED_LATER,
    TABLES,
    StoreError,
    has_table,
    is_damage,
    open_to_read,
    open_to_write,
    remedy,
    require_ours,
    told,
)
from primefourier.lab.sweep.folder import JOURNAL_NAME


def test_a_new_file_is_ours_and_safe(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    with closing(open_to_write(path)) as opened:
        assert opened.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert opened.execute("PRAGMA synchronous").fetchone() == (2,)
        with closing(open_to_read(path)) as reader:
            require_ours(reader, path)
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.execute("DELETE FROM records")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "make room .* are safe"),
        (PermissionError(errno.EACCES, "Permission denied"), "choose another with --out"),
        (sqlite3.DatabaseError("file is not a database"), "the file is damaged; restore the file"),
    ],
)
def test_errors_say_what_to_do(tmp_path: Path, error: Exception, words: str) -> None:
    with pytest.raises(StoreError, match=words), told(tmp_path / "records.sqlite"):
        raise error


def test_a_locked_file_is_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    with closing(open_to_write(path)) as first, closing(sqlite3.connect(path, timeout=0)) as second:
        first.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked") as caught:
            second.execute("BEGIN IMMEDIATE")
        assert not is_damage(caught.value)
        with pytest.raises(StoreError, match="another process keeps it locked"), told(path):
            raise caught.value


def test_the_remedy_is_the_journal_where_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    assert "from a copy" in remedy(path)
    (tmp_path / JOURNAL_NAME).touch()
    assert remedy(path) == f"pfe repair {tmp_path} restores it from {JOURNAL_NAME}"


def columns(opened: sqlite3.Connection, name: str) -> list[str]:
    return [row[1] for row in opened.execute(f"PRAGMA table_info({name})")]


def test_a_file_from_before_a_table_gets_it_when_it_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    with closing(open_to_write(path)) as opened:
        schema = opened.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
        for name in ADDED_LATER:
            opened.execute(f"DROP TABLE {name}")
        opened.execute("INSERT INTO runs VALUES ('now', 'pfe run x')")
    with closing(open_to_read(path)) as reader:
        require_ours(reader, path)
        assert [name for name in TABLES if not has_table(reader, name)] == list(ADDED_LATER)
    for _ in range(2):
        with closing(open_to_write(path)) as opened:
            again = opened.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
            assert again == schema
            assert all(columns(opened, name) == list(TABLES[name]) for name in TABLES)
            assert opened.execute("SELECT * FROM runs").fetchall() == [("now", "pfe run x")]
            assert not opened.in_transaction
