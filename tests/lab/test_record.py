import json
import math
from dataclasses import asdict, replace

import pytest

from lab_records import failed, records_of
from primefourier.lab.measurement import measure
from primefourier.lab.probe import Probe
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record
from small_models import small_config

MEASURED = Measurement(
    train_size=80,
    test_size=20,
    correct_by_epoch=(10, 19),
    correct=19,
    lost=(15, 1, 0),
    gained=(0, 1, 1),
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
    assert data["config"] == small_config().to_dict()
    measured = data["measurement"]
    assert len(measured["accuracy_by_epoch"]) == 2
    assert len(measured["drops"]) == len(measured["p_values"]) == 3
    assert measured["accuracy"] == record.measured.accuracy
    assert {"seconds", "versions", "commit", "machine"} <= set(data["provenance"])
    assert record.drop(5) == record.measured.drops[1]


def test_a_record_is_either_a_measurement_or_an_error() -> None:
    provenance = measure(small_config(epochs=1)).provenance
    with pytest.raises(ValueError, match="either a measurement or an error"):
        Record(config=small_config(), provenance=provenance)
    record = Record(config=small_config(), provenance=provenance, error="out of luck")
    assert record.to_dict()["status"] == "failed"
    with pytest.raises(ValueError, match="failed, so nothing was measured"):
        _ = record.measured


@pytest.mark.parametrize(
    ("name", "value"),
    [("seconds", math.nan), ("seconds", math.inf), ("seconds", "1"), ("machine", 3)],
)
def test_where_and_how_is_read_only_as_what_it_can_be(name: str, value: object) -> None:
    data = asdict(measure(small_config(epochs=1)).provenance)
    assert asdict(Provenance.from_dict(data)) == data
    with pytest.raises(ValueError, match=f"{name} of a record must not be"):
        Provenance.from_dict({**data, name: value})


def test_an_error_can_always_be_written_down() -> None:
    """Python reads file names that are no UTF-8 as halves of surrogate pairs."""
    record = failed(small_config(), "no file '\udcff.csv'")
    assert record.error == r"no file '\udcff.csv'"
    assert record.error.encode()


def test_a_probe_comes_with_its_provenance_and_fits_its_model() -> None:
    record = measure(small_config(), probe=True)
    data = json.loads(json.dumps(record.to_dict(), allow_nan=False))
    assert record.probe is not None
    assert Probe.from_dict(data["probe"]) == record.probe
    assert data["probed"] == data["provenance"]
    plain = replace(record, probe=None, probed=None).to_dict()
    assert (plain["probe"], plain["probed"]) == (None, None)
    with pytest.raises(ValueError, match="a probe comes with its provenance"):
        replace(record, probe=None)
    with pytest.raises(ValueError, match="a probe comes with its provenance"):
        replace(record, probed=None)
    for other in ({"epochs": 3}, {"depth": 1}, {"depth": 3}):
        with pytest.raises(ValueError, match="must have values for"):
            replace(record, config=small_config(**other))


def test_the_reason_of_a_failure_is_the_last_line_of_its_traceback() -> None:
    config = small_config()
    assert failed(config, "Traceback:\n  line 3\nValueError: no\n").reason == "ValueError: no"
    assert failed(config, "").reason == ""
    assert records_of([config])[0].reason == ""
