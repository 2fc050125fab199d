"""Stores: what is written comes back, damage and forgeries are refused, one process writes."""

import errno
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chaos.hostile_stores import SCHEMAS, change_tables, repeat_runs
from primefourier.lab.measurement import measure
from primefourier.lab.record import Record
from primefourier.lab.store import (
    BACKUP_NAME,
    STORE_NAME,
    FolderError,
    StoreError,
    current_writer,
    lock_folder,
    prepare_folder,
    read_store,
    write_store,
)
from primefourier.lab.store_file import FORMAT, create_or_open, is_on_network, translate_errors
from primefourier.lab.store_rows import (
    DamagedRowError,
    Row,
    RowReader,
    dump,
    record_row,
    sealed,
)
from primefourier.lab.studies import Axis
from small_models import small_config, small_study


@pytest.fixture(scope="module")
def record() -> Record:
    return measure(small_config(epochs=1))


def failed(record: Record) -> Record:
    return replace(record, measurement=None, error="Traceback …\nValueError: é 𝕫 \x00 '")


def read_records(folder: Path) -> list[Record]:
    with read_store(folder) as store:
        return store.records()


# What is written comes back


def test_records_come_back_as_they_were_in_planned_order(tmp_path: Path, record: Record) -> None:
    other = replace(failed(record), config=small_config(seed=1))
    shuffled = replace(record, config=small_config(unit="column", epochs=1))
    with write_store(str(tmp_path)) as store:
        store.begin([small_study(other.config, record.config, shuffled.config)], "pfe run x")
        for one in (shuffled, record, other):
            store.add(one)
        assert store.done() == {shuffled.config.key, record.config.key}
    with read_store(str(tmp_path)) as store:
        assert store.records() == [other, record, shuffled]
        assert store.read().planned == [other.config, record.config, shuffled.config]
        assert store.read().commands == ["pfe run x"]


def test_planning_again_keeps_the_order_and_adds_new_models(tmp_path: Path) -> None:
    a, b, c = (small_config(seed=seed) for seed in range(3))
    with write_store(tmp_path) as store:
        store.begin([small_study(b, a)], "first")
        store.begin([small_study(c, a, b)], "second")
        store.begin([small_study(c)], "first")
        assert store.read().planned == [b, a, c]
        assert store.read().commands == ["first", "second"]


def test_two_studies_of_one_name_must_share_models_or_axes(tmp_path: Path) -> None:
    one, other = small_study(name="mine"), small_study(small_config(seed=1), name="mine")
    with write_store(tmp_path) as store:
        store.begin([one], "x")
        store.begin([other], "x")
        assert [len(study.configs) for study in store.read().studies] == [2]
        new = replace(small_study(small_config(seed=2), name="mine"), axes=(Axis("task.modulus"),))
        with pytest.raises(FolderError, match=r"another study named 'mine', .* choose another"):
            store.begin([new], "x")
        store.begin([replace(one, axes=(Axis("task.modulus"),))], "x")  # its axes were changed
        assert store.read().studies[0].axes == (Axis("task.modulus"),)


def test_a_measured_model_is_never_overwritten_and_a_failed_one_is(
    tmp_path: Path, record: Record
) -> None:
    with write_store(tmp_path) as store:
        store.add(failed(record))
        assert store.done() == set()
        store.add(record)
        store.add(replace(record, provenance=replace(record.provenance, seconds=99.0)))
        store.add(failed(record))
        assert store.records() == [record]


@pytest.mark.process
def test_a_record_is_on_disk_when_add_returns(tmp_path: Path, record: Record) -> None:
    program = (
        "import os, sys, json\n"
        "from primefourier.lab.store import write_store\n"
        "from primefourier.lab.measurement import measure\n"
        "from primefourier.lab.config import ModelConfig\n"
        "with write_store(sys.argv[1]) as store:\n"
        "    store.add(measure(ModelConfig.from_dict(json.loads(sys.argv[2]))))\n    os._exit(9)\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path), json.dumps(record.config.to_dict())]
    assert subprocess.run(words, check=False).returncode == 9
    assert current_writer(tmp_path) is None, "a killed process leaves no lock"
    assert [found.measurement for found in read_records(tmp_path)] == [record.measurement]
    (tmp_path / f"{STORE_NAME}-wal").unlink()  # the file alone is up to date
    assert len(read_records(tmp_path)) == 1


def test_readers_see_records_while_a_writer_works(tmp_path: Path, record: Record) -> None:
    with write_store(tmp_path) as writer, read_store(tmp_path) as reader:
        assert reader.records() == []
        assert writer._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # full
        writer.add(record)
        assert reader.records() == [record]
        with pytest.raises(StoreError, match="readonly"):
            reader.add(record)


def test_a_finished_store_is_one_file_and_its_backup_and_reading_leaves_both_alone(
    tmp_path: Path, record: Record
) -> None:
    with write_store(tmp_path) as store:
        store.add(record)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(before) == {STORE_NAME, BACKUP_NAME, "writer.lock"}
    assert read_records(tmp_path) == [record]
    with write_store(tmp_path):
        pass  # without a change there is no new backup
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert before[BACKUP_NAME] == after[BACKUP_NAME]
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / STORE_NAME).write_bytes(before[BACKUP_NAME])
    assert read_records(copy) == [record]


def test_a_full_disk_is_reported_and_nothing_is_half_written(
    tmp_path: Path, record: Record
) -> None:
    big = replace(failed(record), config=small_config(seed=9), error="x" * 1_000_000)
    with write_store(tmp_path) as store:
        store.add(record)
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 10}")
        with pytest.raises(StoreError, match=r"full.*run the same command again.*are safe"):
            store.add(big)
        assert store.records() == [record]
        store._connection.execute("PRAGMA max_page_count = 100000")
        store.add(big)
    assert len(read_records(tmp_path)) == 2


def test_a_change_is_made_completely_or_not_at_all(tmp_path: Path) -> None:
    with write_store(tmp_path) as store:
        with pytest.raises(StoreError):
            store.begin([small_study()], object())  # type: ignore[arg-type]
        assert store.read().planned == []
        store.begin([small_study()], "x")
        assert len(store.read().planned) == 1


def test_a_backup_that_cannot_be_written_is_a_warning(
    tmp_path: Path, record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / BACKUP_NAME / "x").mkdir(parents=True)
    with write_store(tmp_path) as store:
        store.add(record)
    assert f"{BACKUP_NAME} could not be written" in caplog.text
    assert read_records(tmp_path) == [record]


def test_a_store_without_tables_that_came_later_gets_them_when_written(
    tmp_path: Path, record: Record
) -> None:
    with write_store(tmp_path) as store:
        store.add(record)
    change_tables(tmp_path / STORE_NAME, "DROP TABLE probes")
    before = (tmp_path / STORE_NAME).read_bytes()
    assert read_records(tmp_path) == [record]
    assert (tmp_path / STORE_NAME).read_bytes() == before
    with write_store(tmp_path) as store:
        assert store.records() == [record]
    assert read_records(tmp_path) == [record]


# Damage


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE records SET error = 'x'", "digest of a record"),
        ("UPDATE planned SET config = '{}'", "a model cannot be read"),
        ("UPDATE planned SET key = 'x'", "key is not that of its config"),
        ("UPDATE planned SET position = 9223372036854775807", "position of a model"),
        ("UPDATE studies SET study = '{}'", "a study cannot be read"),
        ("PRAGMA application_id = 7", "tables are not those of a store"),
        ("text", "not a database"),
        ("zeros", ""),
        ("empty", "missing or empty"),
        ("missing", "missing or empty"),
        *((name, "tables are not those of a store") for name in SCHEMAS),
        ("endless pages", ""),
    ],
)
def test_damage_and_other_tables_are_an_error_that_names_repair(
    tmp_path: Path, record: Record, statement: str, words: str
) -> None:
    with write_store(tmp_path) as store:
        store.begin([small_study(record.config)], "x")
        store.add(record)
    path = tmp_path / STORE_NAME
    data = path.read_bytes()
    files = {
        "text": b"not a database at all" * 300,
        "zeros": data[:4096] + bytes(len(data) - 4096),
        "empty": b"",
    }
    if statement in files:
        path.write_bytes(files[statement])
    elif statement == "missing":
        path.unlink()
    elif statement == "endless pages":
        repeat_runs(path)
    else:
        change_tables(path, SCHEMAS.get(statement, statement))
    for open_store in (read_store, write_store):
        with (
            pytest.raises(StoreError, match=f"is damaged: .*({words}).*; pfe repair {tmp_path} sa"),
            open_store(tmp_path) as store,
        ):
            store.read()


def test_a_run_stopped_before_it_began_can_be_started_again(tmp_path: Path) -> None:
    (tmp_path / STORE_NAME).touch()
    with pytest.raises(FolderError, match="is empty"), read_store(tmp_path):
        pass
    with write_store(tmp_path) as store:
        assert store.records() == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "make room .* are safe"),
        (PermissionError(errno.EACCES, "Permission denied"), "choose another, or change"),
        (sqlite3.DatabaseError("file is not a database"), "is damaged: file is not .* pfe repair"),
    ],
)
def test_errors_say_what_to_do(tmp_path: Path, error: Exception, words: str) -> None:
    with pytest.raises(StoreError, match=words), translate_errors(tmp_path / STORE_NAME):
        raise error


def test_a_locked_file_is_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / STORE_NAME
    with closing(create_or_open(path)) as first, closing(sqlite3.connect(path, timeout=0)) as other:
        first.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process keeps it"), translate_errors(path):
            other.execute("BEGIN IMMEDIATE")


# Files of others, and forgeries


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (f"PRAGMA user_version = {FORMAT + 1}", f"has record format {FORMAT + 1}.*reads format"),
        ("CREATE TABLE theirs (x)", "another program's"),
    ],
)
def test_files_of_other_programs_and_formats_are_refused_and_left_alone(
    tmp_path: Path, statement: str, words: str
) -> None:
    if "user_version" in statement:
        with write_store(tmp_path):
            pass
    change_tables(tmp_path / STORE_NAME, statement)
    before = (tmp_path / STORE_NAME).read_bytes()
    for open_store in (read_store, write_store):
        with pytest.raises(FolderError, match=words), open_store(tmp_path):
            pass
    assert (tmp_path / STORE_NAME).read_bytes() == before


def test_any_changed_field_is_noticed(record: Record) -> None:
    row = record_row(record)
    RowReader().check("records", row)
    for i, value in enumerate(row):
        for changed in (f"{value} ", None if value is not None else "x", 1, b"bytes"):
            with pytest.raises(DamagedRowError):
                RowReader().check("records", (*row[:i], changed, *row[i + 1 :]))
    with pytest.raises(DamagedRowError):
        RowReader().check("runs", ("now", 7))


def resealed(row: Row, place: int, value: object) -> Row:
    """Change a field and compute the digest anew, as only a person would."""
    return sealed(*row[:place], value, *row[place + 1 : -1])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (1, "failed"),
        (2, f'{{"x":{"9" * 301}}}'),
        (3, "[" * 100_000),
        (3, "null"),
        (3, None),
        (4, "an error as well"),
        (5, "7"),
        (3, {"correct": True}),
        (3, {"lost": "123"}),
        (3, {"unknown": 1}),
        (3, {"correct_by_epoch": [7, 7]}),
        (3, {"train_size": 719}),
        (5, {"seconds": 10**299}),
        (5, {"versions": {"torch": [[]]}}),
        (5, {"machine": 1}),
    ],
    ids=lambda value: str(value)[:20],
)
def test_impossible_records_are_refused(record: Record, place: int, value: Any) -> None:
    sys.set_int_max_str_digits(0)  # as the command line does
    row = record_row(record)
    if isinstance(value, dict):
        value = dump(json.loads(row[place]) | value)
    with pytest.raises(DamagedRowError):
        RowReader().record(resealed(row, place, value))


@pytest.mark.parametrize("text", ["{}", "no JSON", "7", "[" * 100_000, None, b"\xff"])
def test_models_that_cannot_be_read_are_refused(text: object) -> None:
    with pytest.raises(DamagedRowError):
        RowReader().check("planned", (small_config().key, 0, text))
    for position in (-1, 2**63 - 1, 1.5, "x", True):
        with pytest.raises(DamagedRowError, match="the position"):
            RowReader().check("planned", (small_config().key, position, text))


# Folders and their writer


def test_folders_are_created_and_those_with_other_files_are_refused(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / ".gitkeep").touch()
    prepare_folder(tmp_path / "a" / "b")
    with pytest.raises(FolderError, match=r"such as 'a', but no run"):
        prepare_folder(tmp_path)
    (tmp_path / STORE_NAME).touch()
    prepare_folder(tmp_path)
    with pytest.raises(FolderError, match="cannot be used as output folder"):
        prepare_folder(tmp_path / STORE_NAME)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system nobody can write to")
def test_read_only_places_are_refused() -> None:
    with pytest.raises(FolderError, match=r"cannot be used as output folder: .*; choose another"):
        prepare_folder(Path("/sys/kernel/primefourier"))
    with pytest.raises(FolderError, match="cannot be written to"), lock_folder(Path("/sys/kernel")):
        pass


def test_only_folders_with_a_store_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="there is no folder"), read_store(tmp_path / "none"):
        pass
    with pytest.raises(FolderError, match=f"holds no {STORE_NAME}"), read_store(tmp_path):
        pass


def test_one_process_writes_and_others_learn_which(tmp_path: Path) -> None:
    assert current_writer(tmp_path) is None
    with write_store(tmp_path):
        writer = current_writer(str(tmp_path))
        assert writer is not None
        assert writer["process"] == os.getpid()
        with (
            pytest.raises(FolderError, match=f"written to by process {os.getpid()} on .* since"),
            write_store(tmp_path),
        ):
            pass
        assert current_writer(tmp_path) == writer
    assert current_writer(tmp_path) is None
    with write_store(tmp_path):
        pass


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("/var", False), ("/home/a/b", True), ("/homes", False), ("/home/local/x", False)],
)
def test_the_innermost_mount_decides_what_is_on_a_network(
    tmp_path: Path, folder: str, expected: bool
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/vda / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\n"
        "tmpfs /home/local tmpfs rw 0 0\nshare /mnt/my\\040share cifs rw 0 0\n"
    )
    assert is_on_network(Path(folder), mounts) is expected
    assert is_on_network(Path("/mnt/my share/x"), mounts)
    assert not is_on_network(tmp_path)
