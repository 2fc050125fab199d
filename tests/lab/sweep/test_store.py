import json
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep.folder import JOURNAL_NAME, STORE_NAME, FolderError
from primefourier.lab.sweep.rows import FORMAT
from primefourier.lab.sweep.store import StoreError, read_store, write_store
from small_models import small_config


@pytest.fixture(scope="module")
def record() -> Record:
    return run_model(small_config(epochs=1))


def failed(record: Record) -> Record:
    return replace(record, measurement=None, error="Traceback …\nValueError: é 𝕫 \x00 '")


def test_records_come_back_as_they_were(tmp_path: Path, record: Record) -> None:
    other = replace(failed(record), config=small_config(seed=1))
    with write_store(tmp_path) as store:
        store.begin([other.config, record.config], "pfe run x")
        store.add(record)
        store.add(other)
        assert store.done() == {record.config.key}
    with read_store(tmp_path) as store:
        assert store.records() == [other, record]  # in the order they were asked for
        assert store.planned() == [other.config, record.config]
        assert store.commands() == ["pfe run x"]


def test_asking_again_keeps_the_order_and_adds_what_is_new(tmp_path: Path) -> None:
    a, b, c = (small_config(seed=seed) for seed in range(3))
    with write_store(tmp_path) as store:
        store.begin([b, a], "first")
        store.begin([c, a, b], "second")
        store.begin([c], "first")
        assert store.planned() == [b, a, c]
        assert store.commands() == ["first", "second"]


def test_a_measured_model_is_never_overwritten_and_a_failed_one_is(
    tmp_path: Path, record: Record
) -> None:
    with write_store(tmp_path) as store:
        store.add(failed(record))
        assert store.done() == set()
        store.add(record)
        assert store.records() == [record]
        later = replace(record, provenance=replace(record.provenance, seconds=99.0))
        store.add(later)
        store.add(failed(record))
        assert store.records() == [record]


def test_a_record_is_on_disk_when_add_returns(tmp_path: Path, record: Record) -> None:
    program = (
        "import os, sys, pickle\nfrom pathlib import Path\n"
        "from primefourier.lab.sweep.store import write_store\n"
        "from primefourier.lab.run_model import run_model\n"
        "from primefourier.lab.config import ModelConfig\nimport json\n"
        "config = ModelConfig.from_dict(json.loads(sys.argv[2]))\n"
        "with write_store(Path(sys.argv[1])) as store:\n"
        "    store.add(run_model(config))\n    os._exit(9)\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path), json.dumps(record.config.to_dict())]
    assert subprocess.run(words, check=False).returncode == 9
    with read_store(tmp_path) as store:
        (found,) = store.records()
    assert found.measurement == record.measurement


def test_readers_see_records_while_a_writer_is_at_work(tmp_path: Path, record: Record) -> None:
    with write_store(tmp_path) as writer, read_store(tmp_path) as reader:
        assert reader.records() == []
        writer.add(record)
        assert reader.records() == [record]


def test_a_finished_store_is_one_plain_file_that_reading_leaves_alone(
    tmp_path: Path, record: Record
) -> None:
    with write_store(tmp_path) as store:
        store.add(record)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(before) == {STORE_NAME, JOURNAL_NAME}
    with read_store(tmp_path) as store:
        assert store.records() == [record]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_full_disk_is_told_and_nothing_is_half_written(tmp_path: Path, record: Record) -> None:
    big = replace(failed(record), config=small_config(seed=9), error="x" * 1_000_000)
    with write_store(tmp_path) as store:
        store.add(record)
        ((pages,),) = store._all("PRAGMA page_count")
        store._all(f"PRAGMA max_page_count = {pages + 10}")
        with pytest.raises(StoreError, match=r"full.*run the same command again.*are safe"):
            store.add(big)
        assert store.records() == [record]
        store._all("PRAGMA max_page_count = 100000")
        store.add(big)
    with read_store(tmp_path) as store:
        assert len(store.records()) == 2


def test_a_damaged_record_is_noticed(tmp_path: Path, record: Record) -> None:
    with write_store(tmp_path) as store:
        store.add(record)
    path = tmp_path / STORE_NAME
    data = path.read_bytes()
    old = f'"correct":{record.measured.correct},'.encode()
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, old.replace(b"correct", b"corrext")))
    with (
        read_store(tmp_path) as store,
        pytest.raises(StoreError, match=r"is damaged: the digest .*; pfe repair .* restores it"),
    ):
        store.records()


@pytest.mark.parametrize("content", ["{}", "no JSON", '{"modulus": 3}', None])
def test_a_damaged_plan_is_noticed(tmp_path: Path, content: str | None) -> None:
    with write_store(tmp_path) as store:
        store.begin([small_config(), small_config(seed=1)], "x")
        other = json.dumps(small_config(seed=2).to_dict()) if content is None else content
        store._all(f"UPDATE planned SET config = '{other}' WHERE position = 1 RETURNING 1")
    with pytest.raises(StoreError, match="is damaged"), read_store(tmp_path):
        pass
    (tmp_path / JOURNAL_NAME).unlink()
    with read_store(tmp_path) as store, pytest.raises(StoreError, match="is damaged"):
        store.planned()


def test_a_damaged_store_without_a_journal_stops_a_sweep_that_would_continue(
    tmp_path: Path, record: Record
) -> None:
    with write_store(tmp_path) as store:
        store.add(record)
        store._all("UPDATE records SET measurement = replace(measurement, '1', '2') RETURNING 1")
    (tmp_path / JOURNAL_NAME).unlink()
    with (
        pytest.raises(StoreError, match=r"is damaged: .*restore the file from a copy"),
        write_store(tmp_path),
    ):
        pass


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / STORE_NAME).touch()
    with pytest.raises(FolderError, match="is empty"), read_store(tmp_path):
        pass
    with write_store(tmp_path) as store:
        assert store.records() == []


@pytest.mark.parametrize("damage", ["text", "truncated", "zeros"])
def test_a_damaged_file_is_told(tmp_path: Path, record: Record, damage: str) -> None:
    with write_store(tmp_path) as store:
        for seed in range(30):
            store.add(replace(failed(record), config=small_config(seed=seed)))
    path = tmp_path / STORE_NAME
    data = path.read_bytes()
    path.write_bytes(
        {
            "text": b"not a database at all" * 300,
            "truncated": data[: len(data) // 3],
            "zeros": data[:4096] + bytes(len(data) - 4096),
        }[damage]
    )
    with pytest.raises(StoreError, match="damaged"), read_store(tmp_path) as store:
        store.records()


def test_another_format_is_refused_both_ways(tmp_path: Path) -> None:
    with write_store(tmp_path):
        pass
    with sqlite3.connect(tmp_path / STORE_NAME) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    for open_store in (read_store, write_store):
        with (
            pytest.raises(FolderError, match=f"has record format {FORMAT + 1}.*reads format"),
            open_store(tmp_path),
        ):
            pass


def test_somebody_else_s_database_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / STORE_NAME) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = (tmp_path / STORE_NAME).read_bytes()
    for open_store in (read_store, write_store):
        with pytest.raises(FolderError, match="somebody else's"), open_store(tmp_path):
            pass
    assert (tmp_path / STORE_NAME).read_bytes() == before


def test_a_copy_of_the_file_is_a_whole_store(tmp_path: Path, record: Record) -> None:
    with write_store(tmp_path) as store:
        store.add(record)
    other = tmp_path / "copy"
    other.mkdir()
    shutil.copy(tmp_path / STORE_NAME, other)
    with read_store(other) as store:
        assert store.records() == [record]
