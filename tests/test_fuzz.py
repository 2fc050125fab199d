"""A little of ``make fuzz``: damaged and made-up files are refused with documented errors."""

import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chaos.fuzz import fuzz
from chaos.mutation import mutate
from chaos.targets import Target, make_targets

NAMES = [
    "records.sqlite",
    "its log",
    "records.journal",
    "settings",
    "numbers, csv",
    "numbers, jsonl",
    "numbers, npy",
    "numbers, parquet",
    "codes, npy",
    "codes, json",
    "scheduler file",
]


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Target]:
    return {target.name: target for target in make_targets(tmp_path_factory.mktemp("examples"))}


def test_every_target_is_tried_and_all_inputs_are_shared_out(targets: dict[str, Target]) -> None:
    assert list(targets) == NAMES
    assert sum(target.share for target in targets.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", NAMES)
def test_valid_examples_are_accepted_and_damaged_ones_told(
    name: str, targets: dict[str, Target], tmp_path: Path
) -> None:
    target = targets[name]
    path = tmp_path / f"input{target.suffix}"
    accepted = 0
    for i, example in enumerate(target.examples[:3] * 8):
        path.write_bytes(example)
        try:
            target.read(path, random.Random(i))
            accepted += 1
        except target.errors:
            pass  # one of them has a bad row on purpose
    assert accepted >= 4
    tally = fuzz(target, 150, "test", tmp_path)
    assert not tally.failures, tally.failures
    assert tally.inputs == 150
    assert tally.refused, "nothing was ever refused"


@pytest.mark.parametrize("name", NAMES)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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


def test_a_failure_would_be_seen(tmp_path: Path) -> None:
    def fail(path: Path, dice: random.Random) -> None:
        if len(path.read_bytes()) % 2:
            raise KeyError("odd")

    target = Target("odd", ".x", 1.0, [b"abcdef"], fail, (ValueError,))
    tally = fuzz(target, 40, "test", tmp_path)
    assert tally.failures
    assert "KeyError: 'odd'" in tally.failures[0][1]
    assert 0 < tally.accepted < 40


def test_mutations_differ_and_can_be_repeated() -> None:
    dice, again = random.Random(1), random.Random(1)
    made = [mutate([b"hello world", b"x" * 100], dice) for _ in range(200)]
    assert made == [mutate([b"hello world", b"x" * 100], again) for _ in range(200)]
    assert len(set(made)) > 150
