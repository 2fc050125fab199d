import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from primefourier.lab.probing.probe import KINDS, Probe
from primefourier.lab.row_ablation import RowAblation
from primefourier.lab.run_model import run_model
from small_models import small_config

COUNTS = RowAblation(correct=15, lost=(12, 1), gained=(0, 3))
PROBE = Probe(
    test_size=20,
    rows=dict.fromkeys(KINDS, COUNTS),
    blocks=dict.fromkeys(KINDS, RowAblation(correct=15, lost=(9, 0, 1, 2), gained=(0, 0, 1, 4))),
    shifted_size=10,
    answers_apart=(9, 6, 0),
    shift_error=(1.0, 0.5, 0.0),
    off_block_energy=(0.25, 0.125, 1e-7),
    relevant_share=(0.5, 0.75, 1.0),
)
Data = dict[str, Any]


def test_figures_follow_from_the_counts() -> None:
    probe = replace(PROBE, rows={**PROBE.rows, "mean": RowAblation(15, (1, 2), (3, 0))})
    assert KINDS == ("zero", "mean", "permute")
    assert probe.row_drops("zero") == (0.6, -0.1)
    assert probe.row_drops("mean") == (-0.1, 0.1)
    assert probe.block_drops("permute") == (0.45, 0.0, 0.0, -0.1)
    assert probe.share_apart == (0.9, 0.6, 0.0)


def test_a_probe_comes_back_from_json_as_it_was() -> None:
    measured = run_model(small_config(), probe=True).probe
    assert measured is not None
    for probe in (PROBE, measured):
        text = json.dumps(probe.to_dict(), allow_nan=False)
        again = Probe.from_dict(json.loads(text))
        assert again == probe
        assert again.to_dict() == probe.to_dict()


def test_a_probe_fits_networks_of_its_own_size_alone() -> None:
    PROBE.require_shape(rows=2, depth=2, epochs=2)
    for size in ((3, 2, 2), (2, 1, 2), (2, 2, 1), (4, 1, 2), (1, 4, 2), (2, 2, 3)):
        with pytest.raises(ValueError, match="must have as many values"):
            PROBE.require_shape(rows=size[0], depth=size[1], epochs=size[2])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["rows", "blocks"])
@pytest.mark.parametrize("counts", ["lost", "gained"])
def test_every_list_of_counts_has_to_have_its_length(part: str, kind: str, counts: str) -> None:
    data = PROBE.to_dict()
    data[part][kind][counts] = data[part][kind][counts][1:]
    with pytest.raises(ValueError, match="must have as many values"):
        Probe.from_dict(data).require_shape(rows=2, depth=2, epochs=2)


@pytest.mark.parametrize(
    "name", ["answers_apart", "shift_error", "off_block_energy", "relevant_share"]
)
def test_every_list_by_epoch_has_to_have_its_length(name: str) -> None:
    for values in (PROBE.to_dict()[name][1:], (), ""):
        with pytest.raises(ValueError, match="must have as many values"):
            Probe.from_dict({**PROBE.to_dict(), name: values}).require_shape(
                rows=2, depth=2, epochs=2
            )


NONSENSE: dict[str, tuple[Callable[[Data], Any], str]] = {
    "another kind": (lambda d: d["blocks"].update(noise=d["blocks"]["zero"]), "blocks .* be of"),
    "negative lost": (lambda d: d["rows"]["mean"].update(lost=[-1, 0]), "made of counts"),
    "bool": (lambda d: d["blocks"]["zero"].update(correct=True), "made of counts"),
    "float": (lambda d: d["rows"]["zero"].update(gained=[0.0, 0]), "made of counts"),
    "text": (lambda d: d["rows"]["zero"].update(lost="12"), "made of counts"),
    "more counts": (lambda d: d["rows"]["zero"].update(found=[0, 0]), "made of counts"),
    "lost > correct": (lambda d: d["rows"]["mean"].update(lost=[16, 0]), "more answers than"),
    "gained > wrong": (lambda d: d["blocks"]["mean"].update(gained=[6]), "more answers than"),
    "correct > all": (lambda d: d["rows"]["zero"].update(correct=21, gained=[]), "more answers"),
    "apart > all": (lambda d: d.update(answers_apart=[11, 0, 0]), "more answers than"),
    "huge": (lambda d: d["rows"]["zero"].update(lost=[10**4000, 0]), "more answers than"),
    "apart -1": (lambda d: d.update(answers_apart=[-1, 0, 0]), "answers_apart .* from 0 on"),
    "apart bool": (lambda d: d.update(answers_apart=[True, 0, 0]), "answers_apart .* from 0 on"),
    "apart float": (lambda d: d.update(answers_apart=[1.0, 0, 0]), "answers_apart .* from 0 on"),
    "NaN": (lambda d: d.update(shift_error=[float("nan")] * 3), "shift_error .* from 0 on"),
    "infinity": (lambda d: d.update(relevant_share=[float("inf")] * 3), "relevant_share .* 0 on"),
    "below 0": (lambda d: d.update(off_block_energy=[-0.1] * 3), "off_block_energy .* from 0 on"),
    "int": (lambda d: d.update(shift_error=[1, 0, 0]), "shift_error .* from 0 on"),
    "word": (lambda d: d.update(shift_error=["0.5"] * 3), "shift_error .* from 0 on"),
    "no pairs": (lambda d: d.update(test_size=0), "test_size of a probe must be at least 1"),
    "size bool": (lambda d: d.update(test_size=True), "test_size of a probe must be at least 1"),
    "no shifts": (lambda d: d.update(shifted_size=0), "shifted_size of a probe must be at least"),
    "size text": (lambda d: d.update(shifted_size="9"), "shifted_size of a probe must be at least"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_what_cannot_have_been_measured_is_refused(name: str) -> None:
    change, words = NONSENSE[name]
    data = json.loads(json.dumps(PROBE.to_dict()))
    change(data)
    with pytest.raises(ValueError, match=words):
        Probe.from_dict(data)
