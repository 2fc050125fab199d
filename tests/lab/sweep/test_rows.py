import json
from dataclasses import asdict, replace

import pytest

from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep.rows import (
    DamagedRowError,
    Row,
    config_row,
    digest,
    dump,
    read_config,
    read_record,
    record_row,
)
from small_models import small_config


@pytest.fixture(scope="module")
def record() -> Record:
    return run_model(small_config(epochs=1))


def test_a_record_comes_back_as_it_was(record: Record) -> None:
    assert read_record(record_row(record)) == record
    failed = replace(record, measurement=None, error="é 𝕫 \x00 '")
    assert read_record(record_row(failed)) == failed


def test_a_config_comes_back_as_it_was() -> None:
    config = small_config(seed=3)
    key, position, text = config_row(config, 7)
    assert position == 7
    assert read_config(key, text) == config


def test_any_changed_field_of_a_record_is_noticed(record: Record) -> None:
    row = record_row(record)
    for i, value in enumerate(row):
        for changed in (f"{value} ", None if value is not None else "x", 1, b"bytes"):
            with pytest.raises(DamagedRowError):
                read_record((*row[:i], changed, *row[i + 1 :]))


def resealed(row: Row, place: int, value: object) -> Row:
    """Change a field and give the row the digest that belongs to it, as only a person would."""
    changed = (*row[:place], value, *row[place + 1 : -1])
    return (*changed, digest(changed))


@pytest.mark.parametrize(
    "change",
    [
        {"correct": -1},
        {"correct": 1.5},
        {"correct": "7"},
        {"correct": True},
        {"lost": [1]},
        {"gained": 3},
        {"lost": "123"},
        {"test_size": 0},
        {"unknown": 1},
    ],
)
def test_a_made_up_measurement_that_cannot_be_is_refused(
    record: Record, change: dict[str, object]
) -> None:
    row = record_row(record)
    text = dump(json.loads(row[3]) | change)
    with pytest.raises(DamagedRowError):
        read_record(resealed(row, 3, text))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (1, "finished"),
        (1, "failed"),
        (3, "[" * 100_000),
        (3, "null"),
        (3, None),
        (4, "an error as well"),
        (5, "{}"),
        (5, "[]"),
        (5, "7"),
    ],
)
def test_a_made_up_row_that_cannot_be_is_refused(record: Record, place: int, value: object) -> None:
    with pytest.raises(DamagedRowError):
        read_record(resealed(record_row(record), place, value))


def test_made_up_provenance_is_refused(record: Record) -> None:
    for name in asdict(record.provenance):
        text = dump(asdict(record.provenance) | {name: [1]})
        with pytest.raises(DamagedRowError):
            read_record(resealed(record_row(record), 5, text))


@pytest.mark.parametrize("text", ["{}", "no JSON", "[]", "7", "[" * 100_000, None, b"\xff"])
def test_a_config_that_cannot_be_read_is_refused(text: object) -> None:
    with pytest.raises(DamagedRowError):
        read_config(small_config().key, text)
