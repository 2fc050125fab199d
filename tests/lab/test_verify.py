"""Models are trained for real, and records changed by hand, as no sweep changes them."""

import re
from dataclasses import replace
from typing import Any

import pytest

from lab_records import failed
from primefourier.analysis.ablation import Kind
from primefourier.lab.measurement import measure
from primefourier.lab.record import Record, RowAblation
from primefourier.lab.verify import Retrained, choose_sample, verify_records
from small_models import small_config

CONFIGS = [small_config(seed=seed, epochs=3) for seed in range(4)]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [measure(config) for config in CONFIGS]


def changed(record: Record, **counts: Any) -> Record:
    """Return the record as if something else had been measured."""
    return replace(record, measurement=replace(record.measured, **counts))


def made_with(record: Record, **values: Any) -> Record:
    """Return the record as if it had been made elsewhere."""
    return replace(record, provenance=replace(record.provenance, **values))


def with_version(record: Record, name: str) -> Record:
    return made_with(record, versions={**record.provenance.versions, name: "0.0"})


def test_model_trained_again_is_the_same(records: list[Record]) -> None:
    checks = list(verify_records(records[:2], workers=0))
    assert {check.record.config.key for check in checks} == {r.config.key for r in records[:2]}
    for check in checks:
        assert check.again.config == check.record.config
        assert check.again.measurement == check.record.measurement
        assert (check.same, check.difference) == (True, "")
    old = changed(records[0], train_correct_by_epoch=())  # as in version 0.2
    assert Retrained(old, records[0]).same
    assert not Retrained(changed(records[0], train_correct_by_epoch=(1, 2, 3)), records[0]).same


def test_other_ablations_are_compared_if_the_recipe_asks_for_them(records: list[Record]) -> None:
    asked = measure(replace(CONFIGS[3], ablations=("zero", "permute")))
    counts = asked.measured.ablations["permute"]
    for record, same in ((records[0], True), (asked, False)):
        other: dict[Kind, RowAblation] = {
            "permute": replace(counts, lost=(counts.lost[0] + 1, *counts.lost[1:]))
        }
        changed = replace(record, measurement=replace(record.measured, ablations=other))
        (check,) = verify_records([changed], workers=0)
        assert check.same is same
    assert check.difference == (
        f"ablations permute lost[0]: {counts.lost[0] + 1} → {counts.lost[0]}"
    )


@pytest.mark.parametrize(
    ("counts", "difference"),
    [
        ({"correct": 89}, "correct: 90 → 89"),
        ({"correct_by_epoch": (70, 81, 91)}, "correct_by_epoch[1]: 80 → 81"),
        ({"correct_by_epoch": (70, 80)}, "correct_by_epoch[2] → correct"),
        ({"train_size": 7, "gained": (4, 5, 7)}, "train_size: 720 → 7"),
        ({"gained": (4, 5, 7)}, "gained[2]: 6 → 7"),
    ],
)
def test_first_number_that_differs_is_named(
    records: list[Record], counts: dict[str, Any], difference: str
) -> None:
    epochs, lost, gained = (70, 80, 90), (1, 2, 3), (4, 5, 6)
    plain = {"train_correct_by_epoch": ()}  # as in records of version 0.2
    sure = changed(
        records[0], correct_by_epoch=epochs, correct=90, lost=lost, gained=gained, **plain
    )
    check = Retrained(sure, changed(sure, **counts))
    assert (check.same, check.difference) == (False, difference)


def test_failed_model_is_not_the_same(records: list[Record]) -> None:
    (check,) = verify_records(records[:1], workers=0, device="no such device")
    assert not check.same
    assert re.match(r"failed: RuntimeError: .*no such device", check.difference)
    both = Retrained(failed(CONFIGS[0]), failed(CONFIGS[0]))
    assert not both.same


def test_changed_circumstances_are_listed(records: list[Record]) -> None:
    record = records[0]
    here = Retrained(record, record)
    assert (here.changed, here.rounding_may_differ, here.source_differs) == ({}, False, False)
    abacus = Retrained(made_with(record, machine="an abacus", seconds=99.0), record)
    assert abacus.changed == {"machine": ("an abacus", record.provenance.machine)}
    for earlier in (made_with(record, device="cuda"), with_version(record, "torch")):
        check = Retrained(earlier, record)
        assert len(check.changed) == 1
        assert (check.rounding_may_differ, check.source_differs) == (True, False)
    for earlier in (made_with(record, commit="abc"), with_version(record, "primefourier")):
        check = Retrained(earlier, record)
        assert len(check.changed) == 1
        assert (check.rounding_may_differ, check.source_differs) == (False, True)
    assert "torch" in Retrained(made_with(record, versions={}), record).changed


def test_seed_decides_the_sample_of_measured_models() -> None:
    one = measure(small_config(epochs=1))
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


def test_large_samples_take_all_models_and_empty_ones_are_refused(records: list[Record]) -> None:
    assert choose_sample([failed(small_config()), *records], 99, seed=1) == records
    with pytest.raises(ValueError, match="count must be an integer of at least 1, got 0"):
        choose_sample(records, 0, seed=0)


def test_other_records_are_refused_before_training(records: list[Record]) -> None:
    for more in (failed(small_config()), records[0]):
        with pytest.raises(ValueError, match="got 5 records of 4 measured models"):
            verify_records([*records, more])
    with pytest.raises(ValueError, match="workers must be an integer of at least 0, got -1"):
        verify_records(records, workers=-1)
