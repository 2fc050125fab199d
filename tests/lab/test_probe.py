"""A stored probe is read back exactly, and impossible probes are refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from primefourier.lab.measurement import measure
from primefourier.lab.probe import KINDS, Probe, RowAblation, can_be_probed
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


@pytest.mark.parametrize(
    "size", [(3, 2, 2), (2, 1, 2), (2, 2, 1), (4, 1, 2), (1, 4, 2), (2, 2, 3)], ids=str
)
def test_a_probe_must_have_the_shape_of_its_network(size: tuple[int, int, int]) -> None:
    PROBE.require_shape(rows=2, depth=2, epochs=2)
    with pytest.raises(ValueError, match="must have values for"):
        PROBE.require_shape(rows=size[0], depth=size[1], epochs=size[2])


SHORTER: dict[str, Callable[[Data], Any]] = {
    f"{part} {kind} {counts}": lambda d, part=part, kind=kind, counts=counts: d[part][kind].update(
        {counts: d[part][kind][counts][1:]}
    )
    for part in ("rows", "blocks")
    for kind in KINDS
    for counts in ("lost", "gained")
} | {
    name: lambda d, name=name: d.update({name: d[name][1:]})  # type: ignore[misc]
    for name in ("answers_apart", "shift_error", "off_block_energy", "relevant_share")
}


@pytest.mark.parametrize("name", SHORTER)
def test_every_list_must_have_its_length(name: str) -> None:
    data = json.loads(json.dumps(PROBE.to_dict()))
    SHORTER[name](data)
    with pytest.raises(ValueError, match=r"must have values for|all measures or none"):
        Probe.from_dict(data).require_shape(rows=2, depth=2, epochs=2)


NONSENSE: dict[str, tuple[Callable[[Data], Any], str]] = {
    "another kind": (
        lambda d: d["blocks"].update(noise=d["blocks"]["zero"]),
        "blocks of a probe must be",
    ),
    "negative lost": (lambda d: d["rows"]["mean"].update(lost=[-1, 0]), "consist of counts"),
    "bool": (lambda d: d["blocks"]["zero"].update(correct=True), "consist of counts"),
    "float": (lambda d: d["rows"]["zero"].update(gained=[0.0, 0]), "consist of counts"),
    "text": (lambda d: d["rows"]["zero"].update(lost="12"), "consist of counts"),
    "more counts": (lambda d: d["rows"]["zero"].update(found=[0, 0]), "consist of counts"),
    "lost > correct": (lambda d: d["rows"]["mean"].update(lost=[16, 0]), "more answers than"),
    "gained > wrong": (lambda d: d["blocks"]["mean"].update(gained=[6]), "more answers than"),
    "correct > all": (lambda d: d["rows"]["zero"].update(correct=21, gained=[]), "more answers"),
    "apart > all": (lambda d: d.update(answers_apart=[11, 0, 0]), "more answers than"),
    "huge": (lambda d: d["rows"]["zero"].update(lost=[10**4000, 0]), "more answers than"),
    "apart -1": (
        lambda d: d.update(answers_apart=[-1, 0, 0]),
        "shift_violations .* at least 0",
    ),
    "apart bool": (
        lambda d: d.update(answers_apart=[True, 0, 0]),
        "shift_violations .* at least 0",
    ),
    "apart float": (
        lambda d: d.update(answers_apart=[1.0, 0, 0]),
        "shift_violations .* at least 0",
    ),
    "NaN": (lambda d: d.update(shift_error=[float("nan")] * 3), "shift_error .* at least 0"),
    "infinity": (
        lambda d: d.update(relevant_share=[float("inf")] * 3),
        "relevant_share .* at least 0",
    ),
    "below 0": (
        lambda d: d.update(off_block_energy=[-0.1] * 3),
        "off_block_energy .* at least 0",
    ),
    "None": (lambda d: d.update(shift_error=[None] * 3), "all measures or none"),
    "int": (lambda d: d.update(shift_error=[1, 0, 0]), "shift_error .* at least 0"),
    "word": (lambda d: d.update(shift_error=["0.5"] * 3), "shift_error .* at least 0"),
    "no pairs": (lambda d: d.update(test_size=0), "test_size of a probe must be at least 1"),
    "size bool": (lambda d: d.update(test_size=True), "test_size of a probe must be at least 1"),
    "no shifts": (lambda d: d.update(shifted_size=0), "shifted_size of a probe must be at least"),
    "size text": (lambda d: d.update(shifted_size="9"), "shifted_size of a probe must be at least"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_impossible_values_are_refused(name: str) -> None:
    change, words = NONSENSE[name]
    data = json.loads(json.dumps(PROBE.to_dict()))
    change(data)
    with pytest.raises(ValueError, match=words):
        Probe.from_dict(data)


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


def test_only_rows_of_primes_can_be_probed() -> None:
    assert can_be_probed(small_config())
    for unit in ("column", "pair", "block"):
        assert not can_be_probed(small_config(unit=unit))
