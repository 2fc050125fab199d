"""Studies of one's own: their models, axes and grids."""

from dataclasses import replace
from typing import Any

import pytest

from primefourier.lab import (
    Axis,
    LearnedTable,
    ModelConfig,
    Study,
)
from primefourier.lab.config import prime_parts
from primefourier.lab.grid import make_grids
from primefourier.lab.study import (
    find_axes,
    read_study,
    study_as_data,
)
from small_models import small_config


def test_a_study_has_each_model_once() -> None:
    config = small_config()
    study = Study("mine", [config, small_config(), small_config(seed=1)])
    assert study.configs == (config, small_config(seed=1))
    assert (study.title, study.axes, study.threshold) == ("mine", None, 0.85)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        *(
            ({"name": name}, ValueError, "a study needs a name such as 'mine', got")
            for name in ("", "-x", " x", "a\nb", "\x1b[0m", "x" * 201, None, 3)
        ),
        ({"name": "a\udcff"}, ValueError, "the name of a study must be a text that UTF-8 can hold"),
        ({"title": 7}, ValueError, "the title of a study must be a text, got 7"),
        *(
            ({"threshold": threshold}, ValueError, "threshold must be an accuracy from 0 to 1")
            for threshold in (float("nan"), float("inf"), 2, "high", True)
        ),
        ({"configs": []}, ValueError, "the study 'mine' must have at least one model, got none"),
        *(
            ({"configs": configs}, TypeError, "configs must be a list of ModelConfig, got")
            for configs in (3, [3], [small_config().to_dict()])
        ),
    ],
)
def test_bad_studies_are_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Study(**{"name": "mine", "configs": [small_config()], **changes})


def test_too_many_models_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.lab.study.MOST_MODELS", 2)
    configs = [small_config(seed=seed) for seed in range(3)]
    assert len(Study("mine", configs[:2]).configs) == 2
    with pytest.raises(ValueError, match="a study must have at most 2 models, got more"):
        Study("mine", configs)


def test_the_axes_of_a_study_are_the_fields_that_vary() -> None:
    def names(*configs: ModelConfig) -> list[str]:
        return [axis.path for axis in find_axes(configs)]

    assert names(small_config()) == []
    assert names(small_config(seed=1), small_config(seed=2)) == []
    assert names(small_config(modulus=3), small_config(modulus=5)) == ["task.modulus"]
    both = [small_config(modulus=n, input_range=r) for n in (3, 5) for r in (30, 40)]
    assert names(*both) == ["task.modulus", "task.input_range"]
    epochs = [small_config(epochs=e, input_range=r) for e in (1, 2) for r in (30, 40)]
    assert names(*epochs) == ["training.epochs", "task.input_range"]
    table = replace(small_config(), embedding=LearnedTable(size=30))
    assert names(small_config(), small_config(depth=1), table) == ["embedding"]


def test_a_shuffle_that_follows_the_seed_is_no_axis() -> None:
    seeds = [small_config(unit="column", seed=seed) for seed in (1, 2)]
    assert find_axes(seeds) == ()
    apart = [replace(config, seed=7) for config in seeds]
    assert [axis.path for axis in find_axes(apart)] == ["embedding.seed"]


def test_the_value_of_an_axis_is_a_number_or_a_text() -> None:
    config = small_config()
    values = {
        "seed": 42,
        "task.modulus": 5,
        "embedding.primes": "3,5,7",
        "embedding": "|P|=3 depth=2",
        "task": "a+b mod 5 r=30",
        "training.learning_rate": 3e-3,
        "task.nothing": None,
        "nothing": None,
        "task.modulus.real": None,
    }
    assert {path: Axis(path).value(config) for path in values} == values
    assert Axis("embedding.primes", length=True).value(config) == 3
    assert (Axis("task.input_range").name, Axis("task.input_range").label) == ("input range",) * 2
    assert Axis("task.input_range", "r").label == "r"
    with pytest.raises(ValueError, match=r"an axis needs a path such as 'task\.modulus', got ''"):
        Axis("")


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("task.modulos", "did you mean 'task.modulus'?"),
        ("embeding", "did you mean 'embedding'?"),
        ("task.modulus.real", "did you mean 'task.modulus'?"),
    ],
)
def test_an_axis_that_no_model_has_is_refused(path: str, advice: str) -> None:
    with pytest.raises(ValueError, match=f"unknown key '{path}' in the axes of 'mine'; ") as found:
        Study("mine", [small_config()], axes=[Axis(path)])
    assert advice in str(found.value)


def test_an_axis_of_some_models_is_one() -> None:
    table = replace(small_config(), embedding=LearnedTable(size=30))
    axes = [Axis("embedding.size"), Axis("seed")]
    assert Study("mine", [small_config(), table], axes=axes).axes == tuple(axes)


def test_a_third_axis_gives_one_grid_for_each_of_its_values() -> None:
    configs = [
        small_config(modulus=n, input_range=r, depth=depth, seed=seed)
        for n in (3, 5)
        for r in (30, 40)
        for depth in (1, 2)
        for seed in (1, 2)
    ]
    grids = make_grids([Study("mine", configs, "Mine")], {})
    assert [grid.title for grid in grids] == ["Mine, depth = 1", "Mine, depth = 2"]
    for grid, depth in zip(grids, (1, 2), strict=True):
        assert (grid.rows, grid.columns) == ([3, 5], [30, 40])
        assert {prime_parts(config)[0].depth for config in grid.planned} == {depth}
        assert {len(some) for some in grid.by_place.values()} == {2}
    chosen = Study("mine", configs, axes=[Axis("embedding.depth")])
    (grid,) = make_grids([chosen], {})
    assert (grid.rows, grid.columns, grid.column_axis) == ([1, 2], [""], None)


def test_a_stored_study_is_read_again() -> None:
    for axes in (None, (Axis("task.modulus", "N"), Axis("embedding.primes", length=True))):
        study = Study("mine", [small_config()], "Mine", axes, 0.5)
        assert read_study("mine", study_as_data(study), study.configs) == study
    named = [
        {"path": path, "name": "", "label": "", "length": False} for path in ("seed", "task.x")
    ]
    old = read_study("mine", {**study_as_data(study), "axes": named}, study.configs)
    assert old.axes == (Axis("seed"),), "stores that were written with a misspelt axis can be read"
    with pytest.raises(ValueError, match="unknown key 'code' in the study 'mine'"):
        read_study("mine", {**study_as_data(study), "code": "import os"}, study.configs)
    data = {**study_as_data(study), "axes": [{"path": "x", "value": "y"}]}
    with pytest.raises(ValueError, match="unknown key 'value' in an axis"):
        read_study("mine", data, study.configs)
