"""Models are trained for real, and records changed by hand, as no sweep would change them."""

import re
from dataclasses import replace
from typing import Any

import pytest

from lab_records import failed
from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep import ClusterError
from primefourier.lab.verify import Check, choose_sample, verify_records
from small_models import small_config

CONFIGS = [small_config(seed=seed, epochs=3) for seed in range(4)]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [run_model(config) for config in CONFIGS]


def changed(record: Record, **counts: Any) -> Record:
    """Return the record as if something else had been measured."""
    return replace(record, measurement=replace(record.measured, **counts))


def made_with(record: Record, **values: Any) -> Record:
    """Return the record as if it had been made elsewhere."""
    return replace(record, provenance=replace(record.provenance, **values))


def with_version(record: Record, name: str) -> Record:
    return made_with(record, versions={**record.provenance.versions, name: "0.0"})


def test_a_model_trained_again_is_the_same(records: list[Record]) -> None:
    checks = list(verify_records(records[:2], workers=0))
    assert {check.record.config.key for check in checks} == {r.config.key for r in records[:2]}
    for check in checks:
        assert check.again.config == check.record.config
        assert check.again.measurement == check.record.measurement
        assert (check.same, check.difference) == (True, "")


def test_a_record_that_was_changed_is_found(records: list[Record]) -> None:
    measured = records[1].measured
    lost = (*measured.lost[:1], measured.lost[1] + 1, *measured.lost[2:])
    forged = [records[0], changed(records[1], lost=lost), records[2]]
    (check,) = [check for check in verify_records(forged, workers=0) if not check.same]
    assert check.record == forged[1]
    assert check.difference == f"lost of row 5: {lost[1]} → {measured.lost[1]}"


def test_a_probe_is_compared_where_there_is_one(records: list[Record]) -> None:
    probed = run_model(CONFIGS[3], probe=True)
    checks = {c.record.config.seed: c for c in verify_records([*records[:1], probed], workers=0)}
    assert checks[3].again.probe == probed.probe is not None
    assert checks[0].again.probe is None
    assert all(check.same for check in checks.values())
    assert probed.probe is not None
    other = replace(probed.probe, shift_error=(0.5, *probed.probe.shift_error[1:]))
    (check,) = verify_records([replace(probed, probe=other)], workers=0)
    assert (check.same, check.difference) == (False, "shift_error of the probe")


def test_long_models_are_trained_first(records: list[Record]) -> None:
    long = run_model(small_config(epochs=6))
    found = verify_records([records[0], long], workers=0)
    assert [check.record for check in found] == [long, records[0]]


def test_words_tell_what_differs(records: list[Record]) -> None:
    record = records[0]
    sure = changed(
        record,
        correct_by_epoch=(70, 80, 90),
        correct=90,
        lost=(1, 2, 3),
        gained=(4, 5, 6),
    )

    def words(**counts: Any) -> str:
        check = Check(sure, changed(sure, **counts))
        assert not check.same
        return check.difference

    assert words(correct=89) == "final correct answers 90 → 89"
    assert words(correct_by_epoch=(70, 81, 91)) == "first differs in epoch 2"
    assert words(correct_by_epoch=(70, 80)) == "epochs 3 → 2"
    assert words(train_size=7, test_size=9) == "training pairs 720 → 7, test pairs 180 → 9"
    assert words(correct=89, correct_by_epoch=(70, 80, 89), gained=(4, 5, 7)) == (
        "final correct answers 90 → 89, gained of row 7: 6 → 7, first differs in epoch 3"
    )
    assert words(lost=(0, 0, 0), gained=(0, 0, 0)) == (
        "lost of row 3: 1 → 0, lost of row 5: 2 → 0, lost of row 7: 3 → 0, 3 more of rows"
    )


def test_a_model_that_fails_is_not_the_same(records: list[Record]) -> None:
    (check,) = verify_records(records[:1], workers=0, device="no such device")
    assert not check.same
    assert re.match(r"failed: RuntimeError: .*no such device", check.difference)
    both = Check(failed(CONFIGS[0]), failed(CONFIGS[0]))
    assert not both.same


def test_what_is_not_as_in_the_record_is_told(records: list[Record]) -> None:
    record = records[0]
    here = Check(record, record)
    assert (here.changed, here.rounding_may_differ, here.source_differs) == ({}, False, False)
    other = Check(made_with(record, machine="an abacus"), record)
    assert other.changed == {"machine": ("an abacus", record.provenance.machine)}
    assert other.rounding_may_differ
    assert Check(made_with(record, device="cuda"), record).changed == {"device": ("cuda", "cpu")}
    for name in ("python", "numpy", "torch"):
        check = Check(with_version(record, name), record)
        assert check.changed == {name: ("0.0", record.provenance.versions[name])}
        assert (check.rounding_may_differ, check.source_differs) == (True, False)
    for earlier in (made_with(record, commit="abc"), with_version(record, "primefourier")):
        check = Check(earlier, record)
        assert len(check.changed) == 1
        assert (check.rounding_may_differ, check.source_differs) == (False, True)
    assert "torch" in Check(made_with(record, versions={}), record).changed


def test_when_and_how_fast_make_no_difference(records: list[Record]) -> None:
    later = made_with(records[0], finished="2030-01-01T00:00:00+00:00", seconds=99.0)
    assert Check(records[0], later).changed == {}


def test_samples_are_of_measured_models_and_decided_by_the_seed() -> None:
    one = run_model(small_config(epochs=1))
    measured = [replace(one, config=small_config(seed=seed, epochs=1)) for seed in range(20)]
    records = [*measured, *(failed(small_config(seed=seed)) for seed in range(20, 30))]
    samples = [choose_sample(records, 5, seed=seed) for seed in range(40)]
    for seed, sample in enumerate(samples):
        assert len({record.config.key for record in sample}) == 5
        assert all(record.error is None for record in sample)
        assert sample == choose_sample(records, 5, seed=seed)
        assert sample == choose_sample(reversed(records), 5, seed=seed)[::-1]
    assert {r.config.seed for sample in samples for r in sample} == set(range(20))
    smaller = choose_sample(records, 3, seed=0)
    assert [record for record in samples[0] if record in smaller] == smaller


def test_a_sample_larger_than_there_are_takes_all(records: list[Record]) -> None:
    assert choose_sample([failed(small_config()), *records], 99, seed=1) == records
    assert choose_sample([failed(small_config())], 1, seed=1) == []


def test_an_empty_sample_is_refused(records: list[Record]) -> None:
    with pytest.raises(ValueError, match="count must be an integer of at least 1, got 0"):
        choose_sample(records, 0, seed=0)


def test_what_cannot_be_checked_is_refused_before_anything_is_trained(
    records: list[Record],
) -> None:
    with pytest.raises(ValueError, match=r"measured records are required, but exp1 N=5 .* failed"):
        verify_records([*records, failed(small_config())])
    with pytest.raises(ValueError, match="one record of each model is required, got 5 of 4"):
        verify_records([*records, records[0]])
    with pytest.raises(ValueError, match="workers must be an integer of at least 0, got -1"):
        verify_records(records, workers=-1)


def test_a_scheduler_that_is_not_there_is_told(
    records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 1)
    with pytest.raises(ClusterError, match="no Dask scheduler answers"):
        list(verify_records(records, scheduler="tcp://127.0.0.1:9"))
