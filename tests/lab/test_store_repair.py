"""Stores that are truncated and damaged, and what a repair saves of them."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from chaos.hostile_stores import SCHEMAS, change_tables, repeat_runs
from primefourier.lab.measurement import measure
from primefourier.lab.record import Record
from primefourier.lab.store import (
    BACKUP_NAME,
    STORE_NAME,
    FolderError,
    StoreError,
    read_store,
    write_store,
)
from primefourier.lab.store_repair import repair_store
from small_models import small_config, small_study

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Thirty records."""
    first = measure(small_config(epochs=1))
    return [replace(first, config=small_config(epochs=1, seed=seed)) for seed in range(30)]


@pytest.fixture(scope="module")
def files(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The files of a run that was continued and killed: its backup has the first ten records."""
    folder = tmp_path_factory.mktemp("run")
    with write_store(folder) as store:
        store.begin([small_study(*(record.config for record in records))], "pfe run x")
        for record in records[:10]:
            store.add(record)
    with write_store(folder) as store:
        for record in records[10:]:
            store.add(record)
        found = {path.name: path.read_bytes() for path in folder.glob("records*")}
    assert set(found) == {STORE_NAME, BACKUP_NAME, f"{STORE_NAME}-wal", f"{STORE_NAME}-shm"}
    return found


def place(files: Files, folder: Path) -> Path:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def read_records(folder: Path) -> list[Record]:
    with read_store(folder) as store:
        assert len(store.read().planned) == 30
        return store.records()


def test_an_intact_store_stays_as_it_is(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    folder = place(files, tmp_path / "f")
    found = repair_store(str(folder))
    assert (found.damage, found.kept, found.missing) == (None, None, [])
    assert found.planned == [record.config for record in records]
    assert (folder / STORE_NAME).read_bytes() == files[STORE_NAME]
    place({STORE_NAME: files[STORE_NAME]}, tmp_path / "alone")
    assert read_records(tmp_path / "alone") == records  # the file alone is up to date


def patch(data: bytes, place: int, new: bytes) -> bytes:
    return data[:place] + new + data[place + len(new) :]


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "missing or empty"),
    "not SQLite": (lambda _: b"no database" * 900, "not a database"),
    "half": (lambda data: data[: len(data) // 2], "malformed"),
    "owner": (lambda data: patch(data, 68, b"abcd"), "not those of a store"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_file_is_kept_and_the_backup_is_used(
    files: Files, records: list[Record], tmp_path: Path, name: str
) -> None:
    damage, words = DAMAGES[name]
    data = damage(files[STORE_NAME])
    folder = place({STORE_NAME: data, BACKUP_NAME: files[BACKUP_NAME]}, tmp_path / "f")
    found = repair_store(folder)
    assert words in str(found.damage)
    assert found.kept == folder / f"{STORE_NAME}.damaged-1"
    assert found.kept.read_bytes() == data
    saved = read_records(folder)
    assert saved[:10] == records[:10]
    assert found.missing == [record.config for record in records[len(saved) :]]
    assert (len(saved) == 30) == (name == "owner")
    (folder / STORE_NAME).write_bytes(b"again")
    assert repair_store(folder).kept == folder / f"{STORE_NAME}.damaged-2"
    (folder / STORE_NAME).unlink()
    assert repair_store(folder).kept is None
    assert read_records(folder) == records[:10]


def test_intact_rows_of_the_file_and_of_the_backup_are_joined(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    folder = place(files, tmp_path / "f")
    lost = [records[3], records[17]]
    change_tables(
        folder / STORE_NAME,
        "".join(f"UPDATE records SET error = 'x' WHERE key = '{r.config.key}';" for r in lost)
        + f"DELETE FROM planned WHERE key = '{records[29].config.key}'",
    )
    found = repair_store(folder)
    assert "digest of a record" in str(found.damage)
    assert found.missing == [records[17].config]
    assert read_records(folder) == [*records[:17], *records[18:]]
    with read_store(folder) as store:
        assert store.read().commands == ["pfe run x"]


def test_a_failure_in_the_file_does_not_hide_a_measurement_in_the_backup(
    records: list[Record], tmp_path: Path
) -> None:
    with write_store(tmp_path) as store:
        store.begin([small_study(records[0].config)], "x")
        store.add(records[0])
    backup = (tmp_path / BACKUP_NAME).read_bytes()
    (tmp_path / STORE_NAME).unlink()
    (tmp_path / BACKUP_NAME).unlink()
    failure = replace(records[0], measurement=None, error="x")
    with write_store(tmp_path) as store:
        store.begin([small_study(records[0].config, records[1].config)], "x")
        store.add(failure)
        store.add(records[1])
    (tmp_path / BACKUP_NAME).write_bytes(backup)
    damage = f"UPDATE records SET digest = 'x' WHERE key = '{records[1].config.key}'"
    change_tables(tmp_path / STORE_NAME, damage)
    assert repair_store(tmp_path).missing == [records[1].config]
    with read_store(tmp_path) as store:
        assert store.records() == [records[0]]


def without_pages(data: bytes, table: str, *numbers: int) -> tuple[bytes, float]:
    """Return a store with some pages of a table zeroed, and the share of all its pages."""
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.deserialize(patch(data, 18, b"\1\1"))
        query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'"
        try:
            pages = [page for (page,) in opened.execute(query, [table])]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no dbstat")
    for number in numbers:
        data = patch(data, (pages[number] - 1) * 4096, bytes(4096))
    return data, len(numbers) / len(pages)


def test_rows_around_damaged_pages_are_saved(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    data, share = without_pages(files[STORE_NAME], "records", 1, 3)
    folder = place({STORE_NAME: data}, tmp_path / "f")
    found = repair_store(folder)
    assert 0 < len(found.missing) < 30 * 1.5 * share
    assert [r for r in records if r.config not in found.missing] == read_records(folder)


def test_plans_on_both_sides_of_a_damaged_page_are_saved(tmp_path: Path) -> None:
    configs = [small_config(seed=seed) for seed in range(60)]
    with write_store(tmp_path / "run") as store:
        store.begin([small_study(*configs)], "x")
    data, share = without_pages((tmp_path / "run" / STORE_NAME).read_bytes(), "planned", 1)
    found = repair_store(place({STORE_NAME: data}, tmp_path / "f"))
    assert 60 * (1 - 1.5 * share) < len(found.planned) < 60


@pytest.mark.parametrize("name", ["view", "trigger", "no table", "endless pages"])
def test_hostile_stores_are_repaired_in_finite_time(
    files: Files, records: list[Record], tmp_path: Path, name: str
) -> None:
    folder = place({STORE_NAME: files[STORE_NAME]}, tmp_path / "f")
    if name in SCHEMAS:
        change_tables(folder / STORE_NAME, SCHEMAS[name])
    else:
        repeat_runs(folder / STORE_NAME)
    assert len(repair_store(folder).missing) == (30 if name == "no table" else 0)
    measured = [] if name == "no table" else [record.measurement for record in records]
    assert [record.measurement for record in read_records(folder)] == measured


def test_nothing_to_save_is_an_error_and_files_stay(tmp_path: Path) -> None:
    some = {STORE_NAME: b"nonsense" * 1000, BACKUP_NAME: b"nonsense"}
    folder = place(some, tmp_path / "f")
    with pytest.raises(StoreError, match=r"nothing could be saved: neither .* run again"):
        repair_store(folder)
    assert {path.name: path.read_bytes() for path in folder.glob("records*")} == some
    with pytest.raises(FolderError, match=f"holds no {STORE_NAME}"):
        repair_store(tmp_path)
    with write_store(tmp_path / "new"), pytest.raises(FolderError, match="is being written to"):
        repair_store(tmp_path / "new")
    with pytest.raises(StoreError, match="nothing could be saved"):
        repair_store(tmp_path / "new")


def test_a_store_of_a_later_format_is_left_alone(tmp_path: Path, files: Files) -> None:
    later = patch(files[STORE_NAME], 60, b"\0\0\0\3")
    folder = place({STORE_NAME: later}, tmp_path / "later")
    with pytest.raises(FolderError, match="has record format 3"):
        repair_store(folder)
    assert (folder / STORE_NAME).read_bytes() == later


def test_random_damage_never_changes_a_record(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    dice = random.Random(7)
    repaired = 0
    for i in range(40):
        name = dice.choice(sorted(files))
        data = bytearray(files[name])
        if dice.random() < 0.3:
            del data[dice.randrange(len(data)) :]
        else:
            for _ in range(dice.choice([1, 4, 64])):
                data[dice.randrange(len(data))] = dice.randrange(256)
        folder = place(files | {name: bytes(data)}, tmp_path / str(i))
        with suppress(StoreError, FolderError):
            with read_store(folder) as store:
                _ = store.read().planned
                assert store.records() == records  # either an error, or the truth
            continue
        with suppress(FolderError):  # a damaged number of the format looks like another format
            repaired += repair_store(folder).damage is not None
            with read_store(folder) as store:
                saved = store.records()
            assert all(record in records for record in saved)
            assert {r.config for r in saved} >= {r.config for r in records[:10]}
    assert repaired > 4, "the damage was hardly ever noticed"
