"""Stores of format 1 read as they did: all published records, and what happens when they grow."""

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from primefourier import lab
from primefourier.lab.migrate import old_config, old_key, upgrade
from primefourier.lab.store import STORE_NAME, StoreError, read_store, write_store
from primefourier.lab.store_file import FORMAT
from primefourier.lab.store_repair import repair_store
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


def rows_of(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{folder / STORE_NAME}?mode=ro", uri=True)) as opened:
        return opened.execute(query).fetchall()


def test_all_published_records_have_new_keys_and_their_old_numbers() -> None:
    stored = rows_of(PUBLISHED, "SELECT key, config, measurement FROM records")
    assert len(stored) == 1454
    found = {record.config.key: record for record in lab.open(PUBLISHED).records}
    assert len(found) == 1454
    for key, text, counts in stored:
        data = json.loads(text)
        assert old_key(data) == key == hashlib.sha256(text.encode()).hexdigest()
        config = old_config(data)
        record = found[config.key]
        assert record.config == config
        assert config.to_dict()["network"] == {
            "name": "row-classifier",
            "version": 1,
            "encoder": [64, 32],
            "classifier": 128,
        }
        assert (config.task.modulus, config.task.input_range) == (
            data["modulus"],
            data["input_range"],
        )
        assert config.task.sizes() == (
            json.loads(counts)["train_size"],
            json.loads(counts)["test_size"],
        )
        assert list(config.embedding.primes) == data["primes"]
        assert (config.seed, config.training.epochs) == (data["seed"], data["epochs"])
        for name, value in json.loads(counts).items():
            now = getattr(record.measured, name)
            assert (list(now) if isinstance(now, tuple) else now) == value


def test_the_published_models_are_those_of_the_papers_experiments() -> None:
    run = lab.open(PUBLISHED)
    assert [study.name for study in run.studies] == ["exp1", "control", "exp2"]
    assert {config.key for config in models_of(profile("paper"))} <= {
        record.config.key for record in run.records
    }


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "exp2 primes=3,5,7"),
        ({"experiment": "exp1", "modulus": 3, "epochs": 25}, "exp1"),
        ({"experiment": "exp1", "modulus": 3, "epochs": 2}, "exp1 epochs=2"),
        ({"experiment": "mine"}, "mine"),
    ],
)
def test_models_of_other_settings_get_a_study_apart(changes: dict[str, Any], name: str) -> None:
    data = {**OLD, **changes}
    rows = upgrade({"planned": [(old_key(data), 0, json.dumps(data))]})
    assert [row[0] for row in rows["studies"]] == [name]
    assert rows["members"] == [(name, old_config(data).key)]


def test_unknown_and_missing_fields_of_old_models_are_damage() -> None:
    for data in ({**OLD, "extra": 1}, {k: v for k, v in OLD.items() if k != "depth"}):
        row = (old_key(data), 0, json.dumps(data))
        with pytest.raises(ValueError, match="a row of planned cannot be read"):
            upgrade({"planned": [row]})
        assert upgrade({"planned": [row]}, skip_damaged=True)["planned"] == []


def test_writing_to_an_old_store_rewrites_it_and_reading_does_not(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(PUBLISHED / STORE_NAME, folder)
    before, content = lab.open(folder), (folder / STORE_NAME).read_bytes()
    assert (folder / STORE_NAME).read_bytes() == content == (PUBLISHED / STORE_NAME).read_bytes()
    with write_store(folder) as store:
        store.begin([small_study()], "pfe run x")
    assert rows_of(folder, "PRAGMA user_version") == [(FORMAT,)]
    after = lab.open(folder)
    assert list(after.records) == list(before.records)
    assert [study.name for study in after.studies] == ["exp1", "control", "exp2", "small"]
    assert after.planned == [*before.planned, small_config()]


def test_damage_of_an_old_store_is_found_and_repaired(tmp_path: Path) -> None:
    shutil.copy(PUBLISHED / STORE_NAME, tmp_path)
    keys = [key for (key,) in rows_of(tmp_path, "SELECT key FROM records ORDER BY key LIMIT 3")]
    with closing(sqlite3.connect(tmp_path / STORE_NAME, isolation_level=None)) as opened:
        opened.execute("UPDATE records SET measurement = '{}' WHERE key = ?", keys[:1])
        opened.execute("UPDATE probes SET probe = '{}' WHERE key = ?", keys[1:2])
    with (
        pytest.raises(StoreError, match=r"digest of a (record|probe) does not match"),
        read_store(tmp_path) as store,
    ):
        store.records()
    found = repair_store(tmp_path)
    assert len(found.missing) == 1
    assert len(lab.open(tmp_path).records) == 1453
