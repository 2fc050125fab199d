import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest

from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep.rows import (
    DamagedRowError,
    Row,
    config_row,
    digest,
    dump,
    probe_row,
    read_config,
    read_probe,
    read_record,
    record_row,
    with_probe,
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


@pytest.fixture(scope="module")
def probed() -> Record:
    return run_model(small_config(epochs=1), probe=True)


def test_a_probe_comes_back_as_it_was(probed: Record) -> None:
    later = replace(probed, probed=replace(probed.provenance, seconds=99.0))
    row = probe_row(later)
    assert read_probe(row) == (later.config.key, later.probe, later.probed)
    alone = read_record(record_row(later))
    assert alone == replace(later, probe=None, probed=None)
    assert with_probe(alone, row) == later


def test_a_record_without_a_probe_has_no_row_of_it(record: Record) -> None:
    with pytest.raises(ValueError, match="was not probed"):
        probe_row(record)


def test_any_changed_field_of_a_probe_is_noticed(probed: Record) -> None:
    row = probe_row(probed)
    for i, value in enumerate(row):
        for changed in (f"{value} ", None, 1, 1.5, b"bytes", value.encode()):
            with pytest.raises(DamagedRowError):
                read_probe((*row[:i], changed, *row[i + 1 :]))
    for other in ((), row[:-1], (*row, "more")):
        with pytest.raises(DamagedRowError, match="columns"):
            read_probe(other)


Data = dict[str, Any]
MADE_UP: list[Callable[[Data], Any]] = [
    lambda d: d["rows"].pop("mean"),
    lambda d: d["blocks"].update(other=d["blocks"]["zero"]),
    lambda d: d["rows"]["zero"].pop("lost"),
    lambda d: d["rows"]["zero"].update(lost=[-1, 0, 0]),
    lambda d: d["rows"]["zero"].update(lost=[True, 0, 0]),
    lambda d: d["rows"]["zero"].update(lost=[0.0, 0, 0]),
    lambda d: d["rows"]["zero"].update(lost=["0", 0, 0]),
    lambda d: d["rows"]["zero"].update(lost=[0, 0]),
    lambda d: d["rows"]["zero"].update(lost=[[0], 0, 0]),
    lambda d: d["rows"]["zero"].update(lost=3),
    lambda d: d["rows"]["zero"].update(lost={}),
    lambda d: d["rows"]["zero"].update(lost=None),
    lambda d: d["rows"]["zero"].update(lost=[10**4000] * 3),
    lambda d: d["rows"]["zero"].update(correct=None),
    lambda d: d["rows"]["zero"].update(unknown=1),
    lambda d: d["blocks"]["permute"].update(gained=[0] * 5),
    lambda d: d["blocks"].update(permute=[]),
    lambda d: d["blocks"].update(permute=7),
    lambda d: d.update(rows=[]),
    lambda d: d.update(rows="zero"),
    lambda d: d.update(rows=None),
    lambda d: d.update(blocks=d["rows"]),
    lambda d: d.pop("blocks"),
    lambda d: d.pop("shift_error"),
    lambda d: d.pop("test_size"),
    lambda d: d.update(unknown=1),
    lambda d: d.update(test_size=0),
    lambda d: d.update(test_size=180.0),
    lambda d: d.update(test_size="180"),
    lambda d: d.update(shifted_size=True),
    lambda d: d.update(shifted_size=[]),
    lambda d: d.update(answers_apart=[1]),
    lambda d: d.update(answers_apart=[1, 2, 3]),
    lambda d: d.update(answers_apart=[False, True]),
    lambda d: d.update(answers_apart=[10**400, 0]),
    lambda d: d.update(answers_apart=None),
    lambda d: d.update(shift_error=[0.5, float("nan")]),
    lambda d: d.update(shift_error=[0.5, float("inf")]),
    lambda d: d.update(shift_error=[0.5, -0.5]),
    lambda d: d.update(shift_error=[0.5, 10**400]),
    lambda d: d.update(shift_error={"0": 0.5}),
    lambda d: d.update(shift_error="ab"),
    lambda d: d.update(off_block_energy=[0.5, None]),
    lambda d: d.update(relevant_share=[0.5, [0.5]]),
    lambda d: d.update(relevant_share=0.5),
    lambda d: d.clear(),
]


@pytest.mark.parametrize("change", MADE_UP)
def test_a_made_up_probe_that_cannot_be_is_refused(
    probed: Record, change: Callable[[Data], Any]
) -> None:
    row = probe_row(probed)
    data = json.loads(row[1])
    change(data)
    with pytest.raises(DamagedRowError):
        with_probe(probed, resealed(row, 1, dump(data)))


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{}",
        "[]",
        "7",
        "null",
        "true",
        '"rows"',
        '[["rows", 1]]',
        "[" * 100_000,
        '{"rows":' * 100_000,
        '{"rows":{"zero":' + "[" * 100_000,
        "9" * 10_000,
        '{"seconds":' + "9" * 10_000 + "}",
        '{"test_size":1e999}',
        "\ud800",
        "\x00",
    ],
    ids=lambda text: str(text)[:20],
)
def test_a_made_up_row_of_a_probe_that_cannot_be_is_refused(
    probed: Record, place: int, text: str
) -> None:
    with pytest.raises(DamagedRowError):
        with_probe(probed, resealed(probe_row(probed), place, text))


def test_numbers_too_large_to_be_written_are_refused(probed: Record) -> None:
    text = probe_row(probed)[1].replace('"test_size":180', '"test_size":1' + "0" * 5000)
    for made_up in (text, text.replace("0" * 5000, "e999")):
        with pytest.raises(DamagedRowError):
            read_probe(resealed(probe_row(probed), 1, made_up))


def test_a_probe_of_another_network_does_not_fit(probed: Record) -> None:
    other = run_model(small_config(epochs=1, primes=(3, 5)), probe=True)
    with pytest.raises(DamagedRowError, match="does not fit its record"):
        with_probe(probed, probe_row(other))


def test_made_up_provenance_of_a_probe_is_refused(probed: Record) -> None:
    for name in asdict(probed.provenance):
        text = dump(asdict(probed.provenance) | {name: [1]})
        with pytest.raises(DamagedRowError):
            read_probe(resealed(probe_row(probed), 2, text))
