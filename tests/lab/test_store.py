"""The store: what was reported stays, whatever ends the writer; what was changed is not read."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from disk import fill
from lab_records import EXP1, failed, measured, records_of
from primefourier.lab import Axis, ModelConfig, Study, measure
from primefourier.lab.record import Record
from primefourier.lab.store import (
    STORE_NAME,
    Contents,
    FolderError,
    StoreError,
    current_writer,
    read_store,
    repair_store,
    write_store,
)
from small_models import small_config, small_study

SMALL = EXP1[:4]
RECORDS = records_of(SMALL)


def store_of(folder: Path, records: list[Record] = RECORDS) -> Path:
    """Write a store of four models and some records, and return its file."""
    with write_store(folder) as store:
        store.begin([Study("small", SMALL)], "pfe run small")
        for record in records:
            store.add(record)
    return folder / STORE_NAME


def test_everything_comes_back_as_it_was_in_planned_order(tmp_path: Path) -> None:
    trained = measure(small_config(ablations=("zero", "permute"), beyond=(100, 10**20)))
    broken = failed(small_config(seed=7), "Traceback\nodd \udcff text, \x00 and 数")
    axes = [Axis("task.modulus", "N")]
    study = Study(
        "own", [broken.config, trained.config], "Own", axes, 0.5, kind="k", settings={"a": [1, 2.5]}
    )
    with write_store(tmp_path) as store:
        store.begin([study], "pfe run own.py")
        store.add(trained)
        store.add(broken)
    found = read_store(tmp_path)
    assert (found.studies, found.records) == ([study], [broken, trained])
    assert (found.planned, found.commands) == (list(study.configs), ["pfe run own.py"])
    assert trained.measured.train_correct_by_epoch


def test_every_line_is_one_fact_that_starts_with_its_digest_and_kind(tmp_path: Path) -> None:
    lines = store_of(tmp_path).read_text().splitlines()
    kinds = [json.loads(line)["fact"]["kind"] for line in lines]
    assert kinds == ["study", "run", *["model"] * 4, *["record"] * 4]
    assert all(line[77:].startswith('"fact":{"kind":"') for line in lines)


def test_planning_again_keeps_the_order_and_adds_new_models(tmp_path: Path) -> None:
    store_of(tmp_path, [])
    with write_store(tmp_path) as store:
        store.begin([Study("small", EXP1[2:6]), Study("other", EXP1[:1])], "more")
    found = read_store(tmp_path)
    assert found.planned == EXP1[:6]
    assert [list(study.configs) for study in found.studies] == [EXP1[:6], EXP1[:1]]
    assert found.commands == ["pfe run small", "more"]


def test_two_studies_of_one_name_must_share_models_or_settings(tmp_path: Path) -> None:
    store_of(tmp_path, [])
    with write_store(tmp_path) as store:
        store.begin([Study("small", EXP1[6:8])], "the same settings")
    with write_store(tmp_path) as store, pytest.raises(FolderError, match="another study named"):
        store.begin([Study("small", EXP1[8:9], threshold=0.5)], "others")


def test_a_measured_model_stays_and_a_failed_one_is_replaced(tmp_path: Path) -> None:
    first, other = failed(SMALL[0]), measured(SMALL[0], [0.5, 0, 0, 0])
    store_of(tmp_path, [first, RECORDS[0], other, failed(SMALL[0], "later")])
    assert read_store(tmp_path).records == [RECORDS[0]]


def test_two_runs_are_joined_by_cat(tmp_path: Path) -> None:
    one, two = store_of(tmp_path / "one", RECORDS[:2]), store_of(tmp_path / "two", RECORDS[1:])
    one.write_bytes(one.read_bytes() + two.read_bytes())
    found = read_store(tmp_path / "one")
    assert (found.records, len(found.studies), len(found.planned)) == (RECORDS, 1, 4)


# what a run must not write, since it could not be read


M = RECORDS[0].measured


@pytest.mark.parametrize(
    "odd",
    [
        failed(SMALL[0], "1" * 301),
        replace(RECORDS[0], measurement=replace(M, test_size=2**63)),
        replace(RECORDS[0], measurement=replace(M, beyond={"9": (True, 2)})),
        replace(RECORDS[0], measurement=replace(M, correct=float(M.correct))),  # type: ignore[arg-type]
        replace(RECORDS[0], provenance=replace(RECORDS[0].provenance, seconds=float("nan"))),
    ],
)
def test_a_record_that_cannot_be_read_back_is_not_written(tmp_path: Path, odd: Record) -> None:
    path = store_of(tmp_path, [])
    before = path.read_bytes()
    with (
        write_store(tmp_path) as store,
        pytest.raises(ValueError, match=r"digits|counts|another|seconds"),
    ):
        store.add(odd)
    assert path.read_bytes() == before


# what ends a writer


def test_a_store_that_was_cut_off_anywhere_has_every_whole_line(tmp_path: Path) -> None:
    path = store_of(tmp_path)
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    first = next(i for i, end in enumerate(ends) if b'"record"' in whole[end : end + 120])
    dice = random.Random(1)
    for cut in sorted(
        {dice.randrange(ends[first], len(whole)) for _ in range(15)} | {*ends[first:]}
    ):
        path.write_bytes(whole[:cut])
        count = sum(end <= cut for end in ends[first + 1 :])
        assert read_store(tmp_path).records == RECORDS[:count]
        with write_store(tmp_path) as store:  # the torn line goes, and the next one is whole
            for record in RECORDS[count:]:
                store.add(record)
        assert read_store(tmp_path).records == RECORDS


_WRITER = """
import sys
from lab_records import EXP1, records_of
from primefourier.lab import Study
from primefourier.lab.store import write_store

with write_store(sys.argv[1]) as store:
    store.begin([Study("small", EXP1[:40])], "writer")
    done = {record.config.key for record in store.contents.records}
    for record in records_of(config for config in EXP1[:40] if config.key not in done):
        store.add(record)
        print(record.config.key, flush=True)
"""


def kill_writers(folder: Path, kills: int) -> int:
    """Kill a process that writes a store again and again; return how often it was killed."""
    dice, reported, killed = random.Random(kills), set[str](), 0
    for _ in range(kills):
        words = [sys.executable, "-c", _WRITER, str(folder)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            for i, line in enumerate(process.stdout):
                reported.add(line.strip())
                if i >= dice.randrange(6):
                    process.send_signal(signal.SIGKILL)
                    killed += 1
                    break
            reported |= {line.strip() for line in process.stdout}
        found = read_store(folder).measured
        assert reported <= found.keys(), "what was reported is there"
        assert list(found.values()) == records_of(record.config for record in found.values())
        if len(found) == 40:
            (folder / STORE_NAME).unlink()
            reported.clear()
    return killed


@pytest.mark.process
def test_a_killed_writer_loses_nothing_it_reported(tmp_path: Path) -> None:
    assert kill_writers(tmp_path / "run", 2) >= 1


@pytest.mark.faults
def test_many_killed_writers_lose_nothing_they_reported(tmp_path: Path) -> None:
    assert kill_writers(tmp_path / "run", 200) >= 150


def test_a_full_disk_is_reported_and_nothing_is_half_written(small_disk: Path) -> None:
    path, disk = store_of(small_disk / "run", RECORDS[:2]), small_disk
    before = path.read_bytes()
    filler = fill(disk)
    words = "the disk is full; make room and run the same command"
    with pytest.raises(StoreError, match=words), write_store(disk / "run") as store:
        store.begin([Study("small", EXP1)], "")
    assert path.read_bytes().startswith(before)
    filler.unlink()
    found = read_store(disk / "run")
    assert RECORDS[:2] == found.records[:2]
    assert not found.damaged


@pytest.mark.parametrize("how", ["folder", "file", "replaced"])
def test_a_store_that_vanished_under_a_run_is_an_error_at_once(tmp_path: Path, how: str) -> None:
    path = tmp_path / "run" / STORE_NAME
    with write_store(path.parent) as store:
        store.begin([Study("small", SMALL)], "")
        store.add(RECORDS[0])
        path.unlink()
        if how == "folder":
            path.with_name("writer.lock").unlink()
            path.parent.rmdir()
        if how == "replaced":
            path.write_bytes(b"")
        with pytest.raises(StoreError, match="was removed or replaced while a run wrote to it"):
            store.add(RECORDS[1])


# what was changed


def mutations(whole: bytes, count: int) -> Iterator[bytes]:
    """Yield a file with a changed, lost, doubled or exchanged part."""
    dice = random.Random(count)
    for _ in range(count):
        start = dice.randrange(len(whole))
        stop = min(len(whole), start + dice.choice((1, 1, 2, 8, 64)))
        part = bytes(dice.randrange(256) for _ in range(stop - start))
        digit = str(dice.randrange(10)).encode()
        yield dice.choice(
            [
                whole[:start] + part + whole[stop:],
                whole[:start] + whole[stop:],
                whole[:start] + whole[start:stop] * 2 + whole[stop:],
                whole[:start] + digit + whole[start + 1 :],
            ]
        )


def check_mutations(folder: Path, count: int) -> int:
    """Read mutated stores; return how many were refused. No record is other than it was."""
    path = store_of(folder)
    intact, whole, refused = read_store(folder), path.read_bytes(), 0
    known = {record.config.key: record for record in RECORDS}
    for data in mutations(whole, count):
        path.write_bytes(data)
        try:
            found = read_store(folder)
        except StoreError:
            refused += 1
            found, kept = repair_store(folder)
            assert kept is not None
            assert kept.read_bytes() == data
            kept.unlink()
            found = read_store(folder)
        assert all(known[record.config.key] == record for record in found.records)
        assert {config.key for config in found.planned} <= known.keys()
        assert set(found.commands) <= set(intact.commands)
        assert all(
            vars(study) | {"configs": ()} == vars(before) | {"configs": ()}
            for study in found.studies
            for before in intact.studies
            if study.name == before.name and study.title != study.name
        )
    return refused


def test_what_was_changed_is_not_read_and_repair_keeps_the_rest(tmp_path: Path) -> None:
    assert check_mutations(tmp_path, 60) > 40


@pytest.mark.faults
def test_what_was_changed_in_many_ways_is_not_read(tmp_path: Path) -> None:
    assert check_mutations(tmp_path, 3000) > 2000


def test_a_repaired_store_has_all_other_lines(tmp_path: Path) -> None:
    path = store_of(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[0] = lines[0].replace(b"0.85", b"0.86")  # the study
    lines[2] = b"\xff\n"  # a planned model, whose record remains
    lines[7] = lines[7].replace(b'"correct":', b'"correct": ')
    path.write_bytes(b"".join(lines))
    with pytest.raises(StoreError, match=r"line 1, it differs from what was written, and 2 more"):
        read_store(tmp_path)
    found, kept = repair_store(tmp_path)
    assert list(found.damaged) == [1, 3, 8]
    assert kept is not None
    assert kept.read_bytes() == b"".join(lines)
    now = read_store(tmp_path)
    assert {r.config.key for r in now.records} == {r.config.key for r in RECORDS if r != RECORDS[1]}
    assert [(study.name, study.title, study.threshold) for study in now.studies] == [
        ("small", "small", 0.85),
        ("recovered", "recovered", 0.85),
    ]
    assert repair_store(tmp_path)[1] is None


def sealed(kind: str, key: str, data: object) -> bytes:
    """Return a line with a right digest, whatever it says."""
    import hashlib

    text = json.dumps({"kind": kind, "key": key, "data": data})
    return b'{"sha256":"%s","fact":%s}\n' % (
        hashlib.sha256(text.encode()).hexdigest().encode(),
        text.encode(),
    )


@pytest.mark.parametrize(
    "line",
    [
        sealed("other", "a", {}),
        sealed("study", "a", {"title": 1}),
        sealed("study", "\x1b[2J", {"title": "a", "axes": None, "threshold": 0.5}),
        sealed("model", "a", {"studies": ["small"], "config": SMALL[0].to_dict()}),
        sealed("model", SMALL[0].key, {"studies": 1, "config": SMALL[0].to_dict()}),
        sealed("record", SMALL[1].key, RECORDS[0].as_data()),
        sealed("record", SMALL[0].key, {**RECORDS[0].as_data(), "error": "both"}),
        sealed("record", SMALL[0].key, {**RECORDS[0].as_data(), "more": 1}),
        sealed("record", SMALL[0].key, []),
        sealed("run", "a", {"command": 7}),
        sealed("run", "a", {"command": "1" * 400}),
        b'{"sha256":"' + b"0" * 64 + b'","fact":{}}\n',
        b"[" * 100_000 + b"\n",
        b"\n",
        b"a file of another program",
    ],
)
def test_a_line_that_no_program_writes_is_damage(tmp_path: Path, line: bytes) -> None:
    path = store_of(tmp_path)
    path.write_bytes(path.read_bytes() + line)
    if b'"study"' in line:  # a study without models is not shown
        models = sealed(
            "model", SMALL[0].key, {"studies": ["a", "\x1b[2J"], "config": SMALL[0].to_dict()}
        )
        path.write_bytes(path.read_bytes() + models)
    with pytest.raises(StoreError, match="is damaged: line 1"):
        read_store(tmp_path)


# folders and writers


def test_one_process_writes_and_others_learn_which(tmp_path: Path) -> None:
    assert current_writer(tmp_path) is None
    with write_store(tmp_path) as store:
        writer = current_writer(tmp_path)
        assert writer is not None
        assert writer["process"] == os.getpid()
        with (
            pytest.raises(FolderError, match=rf"written to by process {os.getpid()} on"),
            write_store(tmp_path),
        ):
            pass
        store.begin([Study("small", SMALL)], "")
        assert read_store(tmp_path).planned == SMALL, "readers need not wait"
    assert current_writer(tmp_path) is None


def test_folders_are_created_and_those_with_other_files_are_refused(tmp_path: Path) -> None:
    with write_store(tmp_path / "a" / "b") as store:
        assert store.contents == Contents()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "thesis.tex").write_text("")
    with pytest.raises(FolderError, match=r"holds other files, such as 'thesis.tex'"):
        store_of(tmp_path / "c")
    with pytest.raises(FolderError, match="cannot be used for a run"):
        store_of(tmp_path / "c" / "thesis.tex")


def test_only_folders_with_a_store_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="there is no folder"):
        read_store(tmp_path / "missing")
    for use in (read_store, repair_store):
        with pytest.raises(FolderError, match=r"holds no records.jsonl; name the folder"):
            use(tmp_path)


def test_a_link_in_place_of_the_store_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "run" / STORE_NAME).symlink_to(tmp_path / "elsewhere")
    with suppress(StoreError), pytest.raises(FolderError, match="is a link"):
        store_of(tmp_path / "run")
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_what_the_system_refuses_is_an_error_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_number: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    path = store_of(tmp_path, RECORDS[:1])
    before = path.read_bytes()
    with write_store(tmp_path) as store:
        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(StoreError, match=r"cannot be written to: Input/output error"):
            store.add(RECORDS[1])
    assert path.read_bytes() == before


def test_a_part_that_has_changed_is_unknown_and_its_records_are_read(tmp_path: Path) -> None:
    config = small_config()
    data = json.loads(json.dumps(config.to_dict()))
    data["task"]["modulus"] = -3  # as a class of another version may have allowed
    odd = ModelConfig.from_dict(data)
    with write_store(tmp_path) as store:
        store.begin([small_study(odd)], "")
        store.add(failed(odd))
    (record,) = read_store(tmp_path).records
    assert not record.config.known
