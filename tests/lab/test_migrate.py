"""Stores of format 1 read as they did: all published records, and what happens when they grow."""

import hashlib
import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from primefourier import lab
from primefourier.lab.migrate import old_config
from primefourier.lab.store import STORE_NAME, StoreError, write_store
from primefourier.lab.store_file import FORMAT
from primefourier.lab.store_repair import repair_store
from primefourier.lab.store_rows import DamagedRowError, dump, upgrade
from primefourier.lab.studies import models_of, profile
from small_models import small_config, small_study

PUBLISHED = Path(__file__).parents[2] / "results" / "paper"
OLD: dict[str, Any] = {
    "experiment": "exp2",
    "modulus": 15,
    "input_range": 100,
    "primes": [3, 5, 7],
    "depth": 6,
    "operation": "add",
    "embedding": "pfe",
    "seed": 7,
    "epochs": 40,
    "batch_size": 1024,
    "learning_rate": 0.003,
    "pairs": 80000,
    "trainer": "fast",
}
FIELDS = {
    "embedding": ("primes", "depth"),
    "task": ("modulus", "input_range", "operation"),
    "training": ("epochs", "batch_size", "learning_rate", "trainer"),
}
"""Fields that have the same names in both formats."""


def rows_of(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{folder / STORE_NAME}?mode=ro", uri=True)) as opened:
        return opened.execute(query).fetchall()


def test_all_published_records_keep_their_numbers() -> None:
    stored = rows_of(PUBLISHED, "SELECT config, measurement FROM records")
    run = lab.open(PUBLISHED)
    assert [study.name for study in run.studies] == ["exp1", "control", "exp2"]
    found = {record.config.key: record for record in run.records}
    assert len(stored) == len(found) == 1454
    assert {config.key for config in models_of(profile("paper"))} <= found.keys()
    for text, counts in stored:
        data = json.loads(text)
        record = found[old_config(data).key]
        parts = record.config.to_dict()
        assert parts["network"] == {
            "name": "row-classifier", "version": 1, "encoder": [64, 32], "classifier": 128,
        }  # fmt: skip
        for part, names in FIELDS.items():
            assert {name: parts[part][name] for name in names} == {n: data[n] for n in names}
        assert (parts["seed"], parts["task"]["samples"]) == (data["seed"], data["pairs"])
        for name, value in json.loads(counts).items():
            now = getattr(record.measured, name)
            assert (list(now) if isinstance(now, tuple) else now) == value


def planned(**changes: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Return the tables of a store of format 1 with one planned model."""
    text = dump({**OLD, **changes})
    key = hashlib.sha256(text.encode()).hexdigest()
    return {"planned": [(key, 0, text)], "records": [], "runs": []}


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "exp2 primes=3,5,7"),
        ({"experiment": "exp1", "modulus": 3, "epochs": 25}, "exp1"),
        ({"experiment": "exp1", "modulus": 3, "epochs": 25, "pairs": 500}, "exp1 pairs=500"),
        ({"experiment": "mine"}, "mine"),
    ],
)
def test_models_of_other_settings_get_a_study_of_their_own(
    changes: dict[str, Any], name: str
) -> None:
    rows = upgrade(planned(**changes))
    assert [row[0] for row in rows["studies"]] == [name]
    assert rows["members"] == [(name, old_config({**OLD, **changes}).key)]


@pytest.mark.parametrize("changes", [{"extra": 1}, {"depth": None}, {"embedding": "other"}])
def test_old_models_that_cannot_be_read_are_damage(changes: dict[str, Any]) -> None:
    with pytest.raises(DamagedRowError, match="a model cannot be read"):
        upgrade(planned(**changes))


def test_writing_to_an_old_store_rewrites_it_and_reading_does_not(tmp_path: Path) -> None:
    shutil.copy(PUBLISHED / STORE_NAME, tmp_path)
    before = lab.open(tmp_path)
    assert (tmp_path / STORE_NAME).read_bytes() == (PUBLISHED / STORE_NAME).read_bytes()
    with write_store(tmp_path) as store:
        store.begin([small_study()], "pfe run x")
    assert rows_of(tmp_path, "PRAGMA user_version") == [(FORMAT,)]
    after = lab.open(tmp_path)
    assert list(after.records) == list(before.records)
    assert [study.name for study in after.studies] == ["exp1", "control", "exp2", "small"]
    assert after.planned == [*before.planned, small_config()]


def test_what_was_probed_then_stands_beside_the_zeroed_rows(tmp_path: Path) -> None:
    probes = dict(rows_of(PUBLISHED, "SELECT key, probe FROM probes"))
    found = [record.measured for record in lab.open(PUBLISHED).records if record.knows("permute")]
    rows = [json.loads(text)["rows"] for text in probes.values()]
    for kind in ("mean", "permute"):
        counts = Counter((m.correct, *m.ablations[kind].lost) for m in found)
        assert counts == Counter((one[kind]["correct"], *one[kind]["lost"]) for one in rows)


def test_damage_of_an_old_store_is_found_and_repaired(tmp_path: Path) -> None:
    shutil.copy(PUBLISHED / STORE_NAME, tmp_path)
    keys = [key for (key,) in rows_of(tmp_path, "SELECT key FROM probes ORDER BY key LIMIT 3")]
    with closing(sqlite3.connect(tmp_path / STORE_NAME, isolation_level=None)) as opened:
        opened.execute("UPDATE records SET measurement = '{}' WHERE key = ?", keys[:1])
        opened.execute("UPDATE probes SET probe = '{}' WHERE key = ?", keys[1:2])
    with pytest.raises(StoreError, match=r"digest of a (record|probe) does not match"):
        lab.open(tmp_path)
    before = lab.open(PUBLISHED)
    assert len(repair_store(tmp_path).missing) == 1
    after = lab.open(tmp_path)
    assert after.planned == before.planned
    assert after.counts["measured"] == before.counts["measured"] - 1
    permuted = [sum(record.knows("permute") for record in run.records) for run in (before, after)]
    assert permuted == [960, 958]
