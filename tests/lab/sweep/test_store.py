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
from primefourier.lab.sweep.journal import read_journal
from primefourier.lab.sweep.rows import FORMAT, digest, probe_row
from primefourier.lab.sweep.store import StoreError, read_store, write_store
from small_models import small_config


@pytest.fixture(scope="module")
def record() -> Record:
    return run_model(small_config(epochs=1))


@pytest.fixture(scope="module")
def probed(record: Record) -> Record:
    """The same record with a probe that was made later."""
    again = run_model(record.config, probe=True)
    return replace(again, provenance=record.provenance)


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


def test_probes_come_back_as_they_were_beside_records_that_have_none(
    tmp_path: Path, record: Record, probed: Record
) -> None:
    other = replace(record, config=small_config(seed=1, epochs=1))
    shuffled = replace(record, config=small_config(embedding="shuffled-column", epochs=1))
    with write_store(tmp_path) as store:
        store.begin([other.config, probed.config, shuffled.config], "pfe run x --probe")
        for one in (probed, other, shuffled):
            store.add(one)
        assert store.done() == {one.config.key for one in (probed, other, shuffled)}
        assert store.done(probe=True) == {probed.config.key, shuffled.config.key}
    with read_store(tmp_path) as store:
        assert store.records() == [other, probed, shuffled]


def test_a_probe_may_come_later_and_leaves_the_record_as_it_is(
    tmp_path: Path, record: Record, probed: Record
) -> None:
    later = replace(probed, provenance=replace(record.provenance, seconds=99.0))
    with write_store(tmp_path) as store:
        store.add(record)
        store.add(later)
        assert store.records() == [probed]
    with read_store(tmp_path) as store:
        assert store.records() == [probed]


def test_a_second_probe_leaves_the_first_and_the_store_whole(
    tmp_path: Path, probed: Record
) -> None:
    assert probed.probe is not None
    second = replace(probed, probe=replace(probed.probe, shift_error=(0.5, 0.25)))
    told: list[str] = []
    with write_store(tmp_path, told.append) as store:
        store.begin([probed.config], "x")
        store.add(probed)
        store.add(second)
        assert store.records() == [probed]
    for _ in range(2):
        with read_store(tmp_path) as store:
            assert store.records() == [probed]
        with write_store(tmp_path, told.append) as store:
            assert store.records() == [probed]
    assert told == []
    (tmp_path / STORE_NAME).unlink()
    with write_store(tmp_path, told.append) as store:
        assert store.records() == [probed]
    assert len(told) == 1


def test_a_failure_takes_neither_record_nor_probe(tmp_path: Path, probed: Record) -> None:
    with write_store(tmp_path) as store:
        store.add(probed)
        store.add(replace(failed(probed), probe=None, probed=None))
        assert store.records() == [probed]


def drop_probes(folder: Path) -> None:
    """Leave what a version without probes would have written."""
    with sqlite3.connect(folder / STORE_NAME) as opened:
        opened.execute("DROP TABLE probes")
    opened.close()


def test_a_store_from_before_probes_is_read_and_gets_them_when_written(
    tmp_path: Path, record: Record, probed: Record
) -> None:
    with write_store(tmp_path) as store:
        store.begin([record.config], "x")
        store.add(record)
    drop_probes(tmp_path)
    before = (tmp_path / STORE_NAME).read_bytes()
    with read_store(tmp_path) as store:
        assert store.records() == [record]
        assert (store.done(), store.done(probe=True)) == ({record.config.key}, set())
    assert (tmp_path / STORE_NAME).read_bytes() == before
    told: list[str] = []
    with write_store(tmp_path, told.append) as store:
        assert store.records() == [record]
        store.add(probed)
    with read_store(tmp_path) as store:
        assert store.records() == [probed]
    assert told == []


def test_a_store_that_lost_its_table_of_probes_is_told_and_gets_them_back(
    tmp_path: Path, probed: Record
) -> None:
    with write_store(tmp_path) as store:
        store.add(probed)
    drop_probes(tmp_path)
    with pytest.raises(StoreError, match="lacks 1 of the lines of"), read_store(tmp_path):
        pass
    with write_store(tmp_path) as store:
        assert store.records() == [probed]


@pytest.mark.parametrize("column", ["probe", "provenance", "digest"])
def test_a_damaged_probe_is_noticed_and_comes_back_from_the_journal(
    tmp_path: Path, probed: Record, column: str
) -> None:
    with write_store(tmp_path) as store:
        store.add(probed)
        store._all(f"UPDATE probes SET {column} = {column} || ' ' RETURNING 1")
    with (
        read_store(tmp_path) as store,
        pytest.raises(
            StoreError, match=r"damaged: the digest of a probe .*; pfe repair .* restores"
        ),
    ):
        store.records()
    told: list[str] = []
    with write_store(tmp_path, told.append) as store:
        assert store.records() == [probed]
    assert "the digest of a probe is not that of its content. It is kept as" in told[0]


@pytest.mark.parametrize(
    "table",
    [
        "CREATE TABLE probes (key TEXT)",
        "CREATE TABLE probes (key, probe, provenance, digest, more)",
    ],
)
def test_a_made_up_table_of_probes_is_told(tmp_path: Path, probed: Record, table: str) -> None:
    key = probed.config.key
    with write_store(tmp_path) as store:
        store.add(probed)
    drop_probes(tmp_path)
    with sqlite3.connect(tmp_path / STORE_NAME) as opened:
        opened.execute(table)
        count = len(opened.execute("PRAGMA table_info(probes)").fetchall())
        opened.execute(f"INSERT INTO probes VALUES ({', '.join('?' * count)})", [key] * count)
    opened.close()
    with pytest.raises(StoreError, match="damaged"), read_store(tmp_path) as store:
        store.records()
    with write_store(tmp_path) as store:
        assert store.records() == [probed]


def test_a_probe_that_does_not_fit_its_record_is_told(tmp_path: Path, probed: Record) -> None:
    other = run_model(small_config(epochs=1, primes=(3, 5)), probe=True)
    row = (probed.config.key, *probe_row(other)[1:3])
    with write_store(tmp_path) as store:
        store.add(replace(probed, probe=None, probed=None))
        store._insert("probes", [(*row, digest(row))])
    with read_store(tmp_path) as store, pytest.raises(StoreError, match="does not fit its record"):
        store.records()


def test_a_missing_journal_is_written_anew_with_probes(tmp_path: Path, probed: Record) -> None:
    with write_store(tmp_path) as store:
        store.begin([probed.config], "x")
        store.add(probed)
    journal = tmp_path / JOURNAL_NAME
    before = read_journal(journal)
    journal.unlink()
    told: list[str] = []
    with write_store(tmp_path, told.append):
        pass
    assert read_journal(journal) == before
    assert before.tables["probes"] == [probe_row(probed)]
    assert ["was not whole; it was written anew" in sentence for sentence in told] == [True]
