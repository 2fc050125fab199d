"""A little of ``make fuzz``: damaged and hostile files are refused with documented errors."""

import contextlib
import copy
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chaos.fuzz import fuzz
from chaos.hostile_stores import KINDS, make_store
from chaos.targets import Target, make_targets, require_possible, rows_of, use_store
from primefourier.lab.measurement import measure
from primefourier.lab.record import Record
from small_models import small_config

HOSTILE = ["hostile stores", "hostile settings", "hostile codes, npy", "hostile codes, json"]
SECONDS = 120  # on however busy a machine; a hang takes longer

NAMES = [
    "records.sqlite",
    "its log",
    "its backup",
    "settings",
    "numbers, csv",
    "numbers, npy",
    "numbers, parquet",
    "numbers, arrow",
    "codes, npy",
    "codes, json",
    "scheduler file",
]


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Target]:
    return {target.name: target for target in make_targets(tmp_path_factory.mktemp("examples"))}


def test_every_target_is_tried_and_all_inputs_are_shared_out(targets: dict[str, Target]) -> None:
    assert sorted(targets) == sorted(NAMES + HOSTILE)
    assert sum(target.share for target in targets.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", NAMES + HOSTILE)
def test_valid_examples_are_accepted_and_damaged_ones_refused(
    name: str, targets: dict[str, Target], tmp_path: Path
) -> None:
    target = targets[name]
    path = tmp_path / f"input{target.suffix}"
    accepted = 0
    for i, example in enumerate(target.examples[:3] * 4):
        path.write_bytes(example)
        try:
            target.read(path, random.Random(i))
            accepted += 1
        except target.errors:
            pass  # one of them has a bad row on purpose
    assert accepted >= 2
    inputs = 10 if name in HOSTILE else 60
    tally = fuzz(target, inputs, "test", tmp_path, SECONDS)
    assert not tally.failures, [error for _, error in tally.failures]
    assert tally.inputs == inputs
    # SQLite discards a damaged log, and the file beside it is up to date
    assert tally.refused or name == "its log", "nothing was ever refused"


@pytest.mark.parametrize("name", NAMES)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_a_file_holds_it_is_read_or_refused(
    name: str, targets: dict[str, Target], tmp_path: Path, data: bytes
) -> None:
    target = targets[name]
    path = tmp_path / f"input{target.suffix}"
    path.write_bytes(data)
    with contextlib.suppress(*target.errors):
        target.read(path, random.Random(3))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [measure(small_config(epochs=1, seed=seed), probe=True) for seed in range(2)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_made_to_do_harm_is_used_or_refused(
    kind: str, targets: dict[str, Target], records: list[Record], tmp_path: Path
) -> None:
    def make(dice: random.Random) -> bytes:
        return make_store(kind, rows_of(records), tmp_path, dice)

    target = Target(kind, "", 1.0, [], use_store, targets["hostile stores"].errors, make)
    tally = fuzz(target, 3, "test", tmp_path, SECONDS)
    assert not tally.failures, [error for _, error in tally.failures]


def test_an_input_that_takes_too_long_is_a_failure(tmp_path: Path) -> None:
    def wait(_path: Path, _dice: random.Random) -> None:
        with contextlib.suppress(Exception):
            time.sleep(60)

    tally = fuzz(Target("slow", ".x", 1.0, [b"x"], wait, (ValueError,)), 2, "test", tmp_path, 0.05)
    assert [error.strip().endswith("TooSlowError") for _, error in tally.failures or []] == [
        True
    ] * 2


def forged(value: Any, **changes: object) -> Any:
    """Return a frozen object with other values, which it would refuse itself."""
    found = copy.copy(value)
    for name, new in changes.items():
        object.__setattr__(found, name, new)
    return found


def test_a_record_that_cannot_be_would_be_seen(records: list[Record]) -> None:
    record, measured = records[0], records[0].measured
    require_possible(record)
    for change in ({"correct": 10**18}, {"correct_by_epoch": (7, 7)}, {"lost": (10**18, 0, 0)}):
        with pytest.raises(AssertionError, match="an impossible record is believed"):
            require_possible(forged(record, measurement=forged(measured, **change)))


def test_a_failure_would_be_seen(tmp_path: Path) -> None:
    def fail(path: Path, dice: random.Random) -> None:
        if len(path.read_bytes()) % 2:
            raise KeyError("odd")

    target = Target("odd", ".x", 1.0, [b"abcdef"], fail, (ValueError,))
    tally = fuzz(target, 40, "test", tmp_path)
    assert tally.failures
    assert "KeyError: 'odd'" in tally.failures[0][1]
    assert 0 < tally.accepted < 40
