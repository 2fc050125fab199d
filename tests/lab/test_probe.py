"""A stored probe is read back exactly, and impossible probes are refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from primefourier.lab.measurement import measure
from primefourier.lab.probe import KINDS, Probe, RowAblation
from small_models import small_config

COUNTS = RowAblation(correct=15, lost=(12, 1), gained=(0, 3))
PROBE = Probe(
    test_size=20,
    rows=dict.fromkeys(KINDS, COUNTS),
    blocks=dict.fromkeys(KINDS, RowAblation(correct=15, lost=(9, 0, 1, 2), gained=(0, 0, 1, 4))),
    shifted_size=10,
    shift_violations=(9, 6, 0),
    shift_error=(1.0, 0.5, 0.0),
    off_block_energy=(0.25, 0.125, 1e-7),
    relevant_share=(0.5, 0.75, 1.0),
)
Data = dict[str, Any]


def test_drops_and_shares_follow_from_the_counts() -> None:
    probe = replace(PROBE, rows={**PROBE.rows, "mean": RowAblation(15, (1, 2), (3, 0))})
    assert KINDS == ("zero", "mean", "permute")
    assert probe.row_drops("zero") == (0.6, -0.1)
    assert probe.row_drops("mean") == (-0.1, 0.1)
    assert probe.block_drops("permute") == (0.45, 0.0, 0.0, -0.1)
    assert probe.violation_share == (0.9, 0.6, 0.0)


def test_a_probe_is_read_back_from_json() -> None:
    measured = measure(small_config(), probe=True).probe
    assert measured is not None
    for probe in (PROBE, measured):
        text = json.dumps(probe.to_dict(), allow_nan=False)
        again = Probe.from_dict(json.loads(text))
        assert again == probe
        assert again.to_dict() == probe.to_dict()
        assert json.loads(text)["answers_apart"] == list(probe.shift_violations), "a stored name"


def test_a_diverged_epoch_is_stored_without_values() -> None:
    diverged = replace(
        PROBE,
        shift_violations=(9, None, None),
        shift_error=(1.0, None, None),
        off_block_energy=(0.25, None, None),
        relevant_share=(0.5, None, None),
    )
    assert Probe.from_dict(json.loads(json.dumps(diverged.to_dict()))) == diverged
    assert diverged.violation_share == (0.9, None, None)


@pytest.mark.parametrize(("name", "value"), [("rows", 3), ("depth", 1), ("epochs", 3)])
def test_a_probe_must_have_the_shape_of_its_network(name: str, value: int) -> None:
    shape = {"rows": 2, "depth": 2, "epochs": 2}
    PROBE.require_shape(**shape)
    with pytest.raises(ValueError, match="must have values for"):
        PROBE.require_shape(**{**shape, name: value})


NONSENSE: dict[str, Callable[[Data], Any]] = {
    "another kind": lambda d: d["blocks"].update(noise=d["blocks"]["zero"]),
    "a missing kind": lambda d: d["rows"].pop("mean"),
    "negative lost": lambda d: d["rows"]["mean"].update(lost=[-1, 0]),
    "no count": lambda d: d["rows"]["mean"].update(lost=[None, 0]),
    "bool": lambda d: d["blocks"]["zero"].update(correct=True),
    "text": lambda d: d["rows"]["zero"].update(lost="12"),
    "more counts": lambda d: d["rows"]["zero"].update(found=[0, 0]),
    "lost > correct": lambda d: d["rows"]["mean"].update(lost=[16, 0]),
    "gained > wrong": lambda d: d["blocks"]["mean"].update(gained=[6]),
    "correct > all": lambda d: d["rows"]["zero"].update(correct=21, gained=[]),
    "violations > all": lambda d: d.update(answers_apart=[11, 0, 0]),
    "NaN": lambda d: d.update(shift_error=[float("nan")] * 3),
    "share > 1": lambda d: d.update(relevant_share=[1.1] * 3),
    "below 0": lambda d: d.update(off_block_energy=[-0.1] * 3),
    "None": lambda d: d.update(shift_error=[None] * 3),
    "no pairs": lambda d: d.update(test_size=0),
    "size text": lambda d: d.update(shifted_size="9"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_impossible_values_are_refused(name: str) -> None:
    data = json.loads(json.dumps(PROBE.to_dict()))
    NONSENSE[name](data)
    with pytest.raises((ValueError, TypeError), match=r"probe must|unexpected keyword"):
        Probe.from_dict(data)
