import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from lab_records import failed
from primefourier.lab.measurement import measure
from primefourier.lab.record import Measurement, Record
from small_models import small_config

MEASURED = Measurement(
    train_size=80,
    test_size=20,
    correct_by_epoch=(10, 19),
    correct=19,
    lost=(15, 1, 0),
    gained=(0, 1, 1),
    row_names=("3", "5", "7"),
    relevant=("3",),
)


def test_figures_follow_from_the_counts() -> None:
    assert MEASURED.accuracy == 0.95
    assert MEASURED.accuracy_by_epoch == (0.5, 0.95)
    assert MEASURED.drops == (0.75, 0.0, -0.05)
    assert MEASURED.noise_floor == pytest.approx(2 * (0.5 / 20) ** 0.5)
    assert MEASURED.p_values == pytest.approx((2 * 0.5**15, 1.0, 1.0), abs=0)


def test_a_record_tells_everything_as_plain_data() -> None:
    record = measure(small_config())
    data = json.loads(json.dumps(record.to_dict(), allow_nan=False))
    assert data["status"] == "done"
    assert data["measurement"]["trainer"] == "fast"
    assert data["config"] == small_config().to_dict()
    measured = data["measurement"]
    assert len(measured["accuracy_by_epoch"]) == 2
    assert len(measured["drops"]) == len(measured["p_values"]) == 3
    assert measured["accuracy"] == record.measured.accuracy
    assert {"seconds", "versions", "commit", "machine"} <= set(data["provenance"])


def test_what_is_stored_of_a_record_is_the_record() -> None:
    config = small_config(beyond=(100, 10**6), ablations=("mean",))
    for record in (measure(config), failed(config)):
        text = json.dumps(record.as_data(), allow_nan=False)
        assert Record.from_data(json.loads(text)) == record
        assert Record.from_data(json.loads(text), record.config) == record
        assert "accuracy" not in text, "what follows from the counts is left out"


def test_the_end_of_a_long_traceback_is_kept() -> None:
    record = replace(failed(small_config()), error="x" * 10**6 + "\nKeyError: 'ouch'")
    assert (len(record.error or ""), record.reason) == (20_000, "KeyError: 'ouch'")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"correct": 21, "gained": (0, 0, 0)}, "lose or gain"),
        ({"correct_by_epoch": (10, 21)}, "of no more examples"),
        ({"correct_by_epoch": ()}, "answers of all epochs"),
        ({"gained": (0, 1, 2)}, "lose or gain more answers than there are"),
        ({"lost": (15, 1)}, "a record of 3 rows must have as many drops"),
        ({"ablations": {"mean": {"correct": 19, "lost": [20, 0, 0], "gained": [0, 0, 0]}}}, "lose"),
        ({"beyond": {"100": (3, 2)}}, "more answers beyond the range than examples"),
        ({"beyond": {"100": (0, 0)}}, "more answers beyond the range than examples"),
        ({"row_names": ("3", "3", "7")}, "rows with different names"),
        ({"relevant": ("11",)}, "rows with different names, relevant ones included"),
        ({"train_size": 0}, "answers of all epochs"),
        ({"train_correct_by_epoch": (1,)}, "training answers in the epochs it was tested in"),
        ({"train_correct_by_epoch": (1, 10**9)}, "training answers in the epochs"),
        ({"more": 1}, "unknown key 'more' in a measurement"),
        ({"beyond": {"100": (-1, 2)}}, "beyond 100 must be made of counts"),
        ({"correct": 19.0}, "correct must be made of counts"),
        ({"lost": (True, 1, 0)}, "lost must be made of counts"),
        ({"row_names": ("3", 5, "7")}, "row_names must be texts"),
        ({"test_size": 10**30}, "test_size must be made of counts"),
    ],
)
def test_impossible_counts_are_refused(changes: dict[str, Any], message: str) -> None:
    data = json.loads(json.dumps(asdict(MEASURED)))
    assert Measurement.from_data(data) == MEASURED
    with pytest.raises(ValueError, match=message):
        Measurement.from_data({**data, **changes})


@pytest.mark.parametrize(
    "other",
    [
        {"epochs": 3},
        {"samples": 100},
        {"primes": (3, 5, 11)},
        {"modulus": 7},
        {"ablations": ("zero", "mean")},
        {"beyond": (100,)},
        {"test_every": 2},
    ],
)
def test_a_record_has_the_counts_of_its_own_model(other: dict[str, Any]) -> None:
    measured = measure(small_config()).measured
    measured.require_config(small_config(seed=1))
    with pytest.raises(ValueError, match="must count the answers that its model has"):
        measured.require_config(small_config(**other))


def test_drops_of_every_kind_are_read_from_the_counts() -> None:
    config = small_config(ablations=("mean",))
    record = measure(config)
    assert config.ablations == ("zero", "mean")
    assert record.row_drops("zero") == record.measured.drops
    counts = record.measured.ablations["mean"]
    assert record.row_counts("mean") == (counts.lost, counts.gained)
    assert record.knows("mean")
    assert not record.knows("permute")
    with pytest.raises(ValueError, match="was not ablated by 'permute'"):
        record.row_drops("permute")


def test_a_record_is_either_a_measurement_or_an_error() -> None:
    provenance = measure(small_config(epochs=1)).provenance
    with pytest.raises(ValueError, match="either a measurement or an error"):
        Record(config=small_config(), provenance=provenance)
    record = Record(config=small_config(), provenance=provenance, error="out of luck")
    assert record.to_dict()["status"] == "failed"
    with pytest.raises(ValueError, match="failed, so nothing was measured"):
        _ = record.measured


def test_an_error_can_always_be_written_down() -> None:
    """Python reads file names that are no UTF-8 as halves of surrogate pairs."""
    record = failed(small_config(), "no file '\udcff.csv'")
    assert record.error == r"no file '\udcff.csv'"
    assert (
        failed(small_config(), "Traceback:\n  line 3\nValueError: no\n").reason == "ValueError: no"
    )
