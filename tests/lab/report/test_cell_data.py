import json
from typing import Any

import pytest

from lab_records import EXP1, EXP2, by_key, configs_of, failed, measured, plausible
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.report.cell_data import cell_as_data
from primefourier.lab.results import find_variants, make_cells, paper_variant
from primefourier.lab.results.cells import cell_of

FOUR = configs_of("exp1", sizes=(4,), ranges=(100,))
"""One cell: four models."""


def data_of(asked: list[ModelConfig], records: list[Record]) -> dict[str, Any]:
    """Return the one cell that some models make."""
    ((variant, _),) = find_variants(asked).items()
    (place,) = {cell_of(config) for config in asked}
    found = by_key(records)
    data = cell_as_data(variant, place, asked, found, make_cells(asked, found).get(place))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    return data


def test_a_measured_cell_has_the_numbers_of_make_cells() -> None:
    records = plausible(FOUR)
    (cell,) = make_cells(FOUR, by_key(records)).values()
    data = data_of(FOUR, records)
    assert cell.on is not None
    assert cell.off is not None
    assert (data["row"], data["range"], data["state"]) == (4, 100, "measured")
    assert data["models"] == {"planned": 4, "measured": 4, "failed": 0}
    assert data["on"] == {"mean": cell.on.mean, "low": None, "high": None}
    assert data["off"] == {"mean": cell.off.mean, "low": None, "high": None}
    assert data["accuracy"]["mean"] == cell.accuracy.mean
    assert data["converged"] == cell.converged
    assert data["floor"] == cell.noise_floor
    assert data["seeds"] == [42]
    assert data["ratio"] == {
        "value": cell.ratio.value,  # type: ignore[union-attr]
        "bound": True,
        "text": str(cell.ratio),
    }


def test_several_seeds_have_intervals_and_only_whole_ones_count() -> None:
    asked = configs_of("exp1", sizes=(4,), ranges=(100,), seeds=(3, 1, 2))
    records = [r for r in plausible(asked) if (r.config.seed, r.config.modulus) != (3, 7)]
    (cell,) = make_cells(asked, by_key(records)).values()
    data = data_of(asked, records)
    assert cell.on is not None
    assert data["seeds"] == [1, 2]
    assert data["asked_seeds"] == [1, 2, 3]
    assert data["on"] == {"mean": cell.on.mean, "low": cell.on.low, "high": cell.on.high}
    assert data["on"]["low"] < data["on"]["mean"] < data["on"]["high"]
    assert data["models"] == {"planned": 12, "measured": 11, "failed": 0}
    assert len(data["runs"]) == 11, "models of a seed that is not whole are shown too"


def test_a_model_is_told_in_counts() -> None:
    (config,) = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=(7,))
    record = measured(config, [0.5, 0.25, -0.125, 0, 0, 0, 0, 0], accuracy=0.75, best=0.875)
    (run,) = data_of([config], [record])["runs"]
    assert run["lost"] == [8000, 4000, 0, 0, 0, 0, 0, 0]
    assert run["gained"] == [0, 0, 2000, 0, 0, 0, 0, 0]
    assert run["p_values"] == pytest.approx(record.measured.p_values, rel=0.06)
    assert (run["modulus"], run["seed"], run["test"], run["correct"]) == (15, 7, 16000, 12000)
    assert (run["primes"], run["relevant"]) == ([3, 5, 7, 11, 13, 17, 19, 23], [3, 5])
    assert (len(run["curve"]), max(run["curve"]), run["curve"][-1]) == (40, 14000, 12000)
    assert run["seconds"] == 1.5
    drops = [(a - b) / run["test"] for a, b in zip(run["lost"], run["gained"], strict=True)]
    assert tuple(drops) == record.measured.drops


@pytest.mark.parametrize(
    ("done", "wrong", "state"),
    [(0, 0, "waiting"), (0, 1, "failed"), (3, 0, "partial"), (3, 1, "partial"), (4, 0, "measured")],
)
def test_the_state_tells_how_far_a_cell_is(done: int, wrong: int, state: str) -> None:
    records = [*plausible(FOUR[:done]), *map(failed, FOUR[done : done + wrong])]
    data = data_of(FOUR, records)
    assert data["state"] == state
    assert data["models"] == {"planned": 4, "measured": done, "failed": wrong}
    assert len(data["runs"]) == done
    if state != "measured":
        shown = ("on", "off", "accuracy", "ratio", "converged")
        assert {data[name] for name in shown} == {None}
        assert data["seeds"] == []
    assert data["floor"] == pytest.approx(0.0316, abs=1e-4), "known before anything is measured"


def test_a_cell_that_was_not_asked_for_is_missing_but_known() -> None:
    variant = paper_variant("exp2")
    for place in {cell_of(config) for config in EXP2}:
        data = cell_as_data(variant, place, [], {}, None)
        assert data["state"] == "missing"
        assert data["models"] == {"planned": 0, "measured": 0, "failed": 0}
        assert data["degenerate"] == (place in {(231, 100), (385, 100)})
        assert data["floor"] == pytest.approx(0.0316 if place[1] == 100 else 0.0112, abs=1e-4)


def test_a_cell_is_degenerate_only_if_all_its_models_are() -> None:
    asked = configs_of("exp1", sizes=(16,), ranges=(20,))
    assert {config.degenerate for config in asked} == {True, False}
    assert not data_of(asked, plausible(asked))["degenerate"]
    alone = configs_of("exp2", moduli=(231,), ranges=(100,))
    for records in ([], plausible(alone)):
        assert data_of(alone, records)["degenerate"]


def test_rows_that_are_not_there_have_no_drop() -> None:
    every = configs_of("exp2", moduli=(15,), primes=(3, 5), ranges=(100,))
    data = data_of(every, plausible(every))
    assert data["state"] == "measured"
    assert data["on"] is not None
    assert (data["off"], data["ratio"]) == (None, None)
    none = configs_of("exp2", moduli=(4,), primes=(3, 5), ranges=(100,))
    data = data_of(none, plausible(none))
    assert data["off"] is not None
    assert (data["on"], data["ratio"]) == (None, None)


def test_a_ratio_that_is_told_apart_from_noise_is_no_bound() -> None:
    asked = [config for config in EXP1 if cell_of(config) == (4, 500)]
    records = [measured(c, [0.8 if p == c.modulus else 0.2 for p in c.primes]) for c in asked]
    assert data_of(asked, records)["ratio"] == {
        "value": pytest.approx(4),
        "bound": False,
        "text": "4",
    }
