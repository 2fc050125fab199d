"""Stores that are cut off and damaged at random, and come back whole."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep import FolderError, StoreError, read_store
from primefourier.lab.sweep.folder import JOURNAL_NAME, STORE_NAME, prepare_folder
from primefourier.lab.sweep.store import write_store
from small_models import small_config

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Thirty, of which every third has a probe."""
    first = run_model(small_config(epochs=1), probe=True)
    plain = replace(first, probe=None, probed=None)
    return [
        replace(plain if seed % 3 else first, config=small_config(epochs=1, seed=seed))
        for seed in range(30)
    ]


@pytest.fixture(scope="module")
def files(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Files:
    """What a sweep that was killed leaves: the store, its log, and the journal."""
    folder = tmp_path_factory.mktemp("whole")
    with write_store(folder) as store:
        store.begin([record.config for record in records], "pfe run x")
        for record in records[:20]:
            store.add(record)
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for record in records[20:]:
            store.add(record)
        found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(found) == {STORE_NAME, f"{STORE_NAME}-wal", f"{STORE_NAME}-shm", JOURNAL_NAME}
    return found


def place(files: Files, folder: Path) -> None:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def check_whole(folder: Path, records: list[Record]) -> list[str]:
    """Open the store as a sweep does; return what was told."""
    told: list[str] = []
    prepare_folder(folder)
    with write_store(folder, told.append) as store:
        assert store.records() == records
        assert store.planned() == [record.config for record in records]
        assert "pfe run x" in store.commands()
    again: list[str] = []
    with write_store(folder, again.append), read_store(folder) as store:
        assert store.records() == records
    assert again == [], "a second time there is nothing to restore"
    return told


def test_a_killed_sweep_s_files_are_whole(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    place(files, tmp_path / "f")
    assert check_whole(tmp_path / "f", records) == []


DAMAGES: dict[str, tuple[Callable[[Files], Files], str]] = {
    "store gone": (lambda f: f | {STORE_NAME: b""}, "30 records of"),
    "log gone": (lambda f: {n: d for n, d in f.items() if "-" not in n}, "10 records of"),
    "not SQLite": (lambda f: f | {STORE_NAME: b"no database" * 900}, "is damaged: file is not"),
    "half": (lambda f: f | {STORE_NAME: f[STORE_NAME][: len(f[STORE_NAME]) // 2]}, "damaged"),
    "owner": (lambda f: f | {STORE_NAME: patch(f[STORE_NAME], 68, b"abcd")}, "its header"),
    "version": (lambda f: f | {STORE_NAME: patch(f[STORE_NAME], 60, b"\0\0\0\7")}, "its header"),
}


def patch(data: bytes, place: int, new: bytes) -> bytes:
    return data[:place] + new + data[place + len(new) :]


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_store_comes_back_from_its_journal(
    files: Files, records: list[Record], tmp_path: Path, name: str
) -> None:
    damage, words = DAMAGES[name]
    folder = tmp_path / "f"
    changed = damage(files)
    if "log" not in name:  # which would repair the pages of the store, as it should
        changed = {n: d for n, d in changed.items() if "-" not in n}
    place(changed, folder)
    with pytest.raises((StoreError, FolderError)), read_store(folder) as store:
        store.records()
    told = check_whole(folder, records)
    assert any(words in sentence for sentence in told), told
    kept = folder / f"{STORE_NAME}.damaged-1"
    assert kept.exists() == any("is kept as" in sentence for sentence in told)


def test_a_missing_store_is_told_to_readers_and_restored(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    place({JOURNAL_NAME: files[JOURNAL_NAME]}, tmp_path / "f")
    with pytest.raises(FolderError, match="pfe repair"), read_store(tmp_path / "f"):
        pass
    check_whole(tmp_path / "f", records)


def test_a_damaged_or_missing_journal_comes_back_from_the_store(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    journal = files[JOURNAL_NAME]
    half = len(journal) // 2
    for i, data in enumerate([None, b"", journal[:half], patch(journal, half, b"\xff\xff")]):
        changed = {n: d for n, d in files.items() if n != JOURNAL_NAME}
        place(changed | ({} if data is None else {JOURNAL_NAME: data}), tmp_path / str(i))
        told = check_whole(tmp_path / str(i), records)
        assert [sentence for sentence in told if "was not whole; it was written anew" in sentence]
        assert (tmp_path / str(i) / JOURNAL_NAME).read_bytes().count(b"\n") == 71


def test_with_both_damaged_the_intact_rows_of_each_are_kept(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    journal = files[JOURNAL_NAME]
    place(files | {JOURNAL_NAME: journal[: -len(journal) // 5]}, tmp_path / "f")
    with sqlite3.connect(tmp_path / "f" / STORE_NAME) as opened:
        opened.execute("UPDATE records SET error = 'x' WHERE key = ?", (records[0].config.key,))
    opened.close()
    told = check_whole(tmp_path / "f", records)
    assert "the digest of a record" in told[0]
    assert "30 records of" in told[1]


def test_a_record_whose_plan_is_lost_is_still_of_a_model_that_was_asked_for(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    lines = files[JOURNAL_NAME].split(b"\n")
    place({JOURNAL_NAME: b"\n".join(lines[:4] + lines[5:])}, tmp_path / "f")
    with write_store(tmp_path / "f") as store:
        assert len(store.planned()) == len(store.records()) == 30


def test_random_damage_never_loses_doubles_or_changes_a_record(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    dice = random.Random(7)
    restored = 0
    for i in range(60):
        name = dice.choice([STORE_NAME, STORE_NAME, f"{STORE_NAME}-wal", f"{STORE_NAME}-shm"])
        data = bytearray(files[name])
        if dice.random() < 0.3:
            del data[dice.randrange(len(data)) :]
        else:
            for _ in range(dice.choice([1, 4, 64])):
                data[dice.randrange(len(data))] = dice.randrange(256)
        folder = tmp_path / str(i)
        place(files | {name: bytes(data)}, folder)
        with suppress(StoreError, FolderError), read_store(folder) as store:
            found = store.records()  # either an error, or the truth
            assert found == records
        restored += bool(check_whole(folder, records))
    assert restored > 4, "the damage was hardly ever felt"


def test_a_store_of_a_later_format_is_not_taken_for_a_damaged_one(
    files: Files, tmp_path: Path
) -> None:
    later = files[JOURNAL_NAME].replace(b'"]\n', b'0"]\n')  # digests of another format
    changed = {STORE_NAME: patch(files[STORE_NAME], 60, b"\0\0\0\2"), JOURNAL_NAME: later}
    place(changed, tmp_path / "f")
    with pytest.raises(FolderError, match="has record format 2"), write_store(tmp_path / "f"):
        pass
    assert (tmp_path / "f" / STORE_NAME).read_bytes() == changed[STORE_NAME]


def spoil_probes(folder: Path, keys: list[str]) -> None:
    with sqlite3.connect(folder / STORE_NAME) as opened:
        for key in keys:
            opened.execute("UPDATE probes SET probe = '{}' WHERE key = ?", (key,))
    opened.close()


def test_probes_come_back_from_whichever_copy_is_whole(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    lines = files[JOURNAL_NAME].splitlines(keepends=True)
    probes = [line for line in lines if line.startswith(b'["probes"')]
    assert len(probes) == 10
    without = b"".join(line for line in lines if line not in probes[:4])
    keys = [record.config.key for record in records if record.probe is not None]

    place(files | {JOURNAL_NAME: without}, tmp_path / "lines gone")
    assert "was not whole" in check_whole(tmp_path / "lines gone", records)[0]
    place(files, tmp_path / "rows damaged")
    spoil_probes(tmp_path / "rows damaged", keys)
    assert "the digest of a probe" in check_whole(tmp_path / "rows damaged", records)[0]
    lost = [line for line in probes if keys[0].encode() in line]
    without = b"".join(line for line in lines if line not in lost)
    place(files | {JOURNAL_NAME: without}, tmp_path / "a part of each")
    spoil_probes(tmp_path / "a part of each", keys[1:])
    assert "the digest of a probe" in check_whole(tmp_path / "a part of each", records)[0]


def test_a_probe_that_is_lost_in_both_copies_leaves_the_record(
    files: Files, records: list[Record], tmp_path: Path
) -> None:
    lines = files[JOURNAL_NAME].splitlines(keepends=True)
    lost = next(line for line in lines if line.startswith(b'["probes"'))
    only_journal = {JOURNAL_NAME: b"".join(line for line in lines if line != lost)}
    place(only_journal, tmp_path / "f")
    expected = [
        replace(record, probe=None, probed=None) if record.config.key.encode() in lost else record
        for record in records
    ]
    assert expected != records
    check_whole(tmp_path / "f", expected)


def test_a_model_trained_again_for_its_probe_comes_back_with_its_first_record(
    records: list[Record], tmp_path: Path
) -> None:
    probed = records[0]
    first = replace(probed, probe=None, probed=None)
    again = replace(probed, provenance=replace(probed.provenance, seconds=99.0))
    with write_store(tmp_path) as store:
        store.begin([first.config], "pfe run x")
        store.add(first)
        store.add(again)
    (tmp_path / STORE_NAME).unlink()
    assert check_whole(tmp_path, [probed]) == [
        f"1 record of {tmp_path / STORE_NAME} came back from the journal."
    ]
