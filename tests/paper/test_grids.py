"""Which grids are the paper's."""

from typing import Any

import pytest

from lab_records import (
    CONTROL,
    EXP1,
    EXP2,
    STUDIES,
    run_of,
    studies_of,
    with_fields,
)
from primefourier.encoding import PAPER_BASIS
from primefourier.lab import Axis, ModelConfig, RowClassifier, Run, Study
from primefourier.lab.grid import Grid, make_grids
from primefourier.plugins import in_order
from primefourier_paper import EXPERIMENTS, Experiment, SinglePrime, cells_of
from primefourier_paper.grids import (
    experiment_of,
    follows_paper,
)
from small_models import small_config, small_study

P0 = PAPER_BASIS.primes
OTHER: dict[str, Any] = {
    "depth": 5,
    "operation": "subtract",
    "epochs": 24,
    "batch_size": 512,
    "learning_rate": 1e-3,
    "pairs": 70_000,
}
FIELDS = {"pairs": "samples"}
"""Fields of a model that have another name than the setting of an experiment."""
SOME = {"exp1": EXP1[:4], "control": CONTROL[:4], "exp2": EXP2[:1]}


def grids_of(*experiments: Experiment) -> list[Grid]:
    return Run([experiment.study() for experiment in experiments], []).grids


def grid_of(configs: list[ModelConfig], kind: str, **settings: Any) -> Grid:
    """Return the grid of models in a study that is said to be an experiment of the paper."""
    study = Study(kind, configs, axes=EXPERIMENTS[kind].axes, kind=kind, settings=settings)
    (grid,) = make_grids([study], {})
    return grid


# Which grids are the paper's.


def test_the_paper_has_one_grid_for_each_experiment() -> None:
    found = Run(STUDIES, []).grids
    assert [experiment_of(grid) for grid in found] == list(EXPERIMENTS.values())
    assert [len(grid.planned) for grid in found] == [350, 350, 50]
    assert all(follows_paper(grid) and grid.study.settings == {} for grid in found)


@pytest.mark.parametrize("setting", OTHER)
@pytest.mark.parametrize("name", SOME)
def test_other_settings_are_another_grid(name: str, setting: str) -> None:
    models = SOME[name]
    field = FIELDS.get(setting, setting)
    changed = [with_fields(model, **{field: OTHER[setting]}) for model in models]
    paper, other = run_of([*changed, *models]).grids
    assert follows_paper(paper)
    assert list(paper.planned) == models
    assert not follows_paper(other)
    assert other.study.settings == {setting: OTHER[setting]}
    assert list(other.planned) == changed


STRANGE: dict[str, dict[str, Any]] = {
    "task.operands": {"operands": 3},
    "task.test_share": {"test_share": 0.5},
    "task.beyond": {"beyond": (10**6,)},
    "task.beyond_samples": {"beyond_samples": 3},
    "training.optimizer_name": {"optimizer_name": "adamw"},
    "training.weight_decay": {"weight_decay": 0.5},
    "network.encoder": {"network": RowClassifier(encoder=(64, 64))},
    "network.classifier": {"network": RowClassifier(classifier=64)},
    "training.test_every": {"test_every": 5},
    "ablations": {"ablations": ("zero", "mean")},
}
"""Changes of a model that no setting of an experiment can make."""


@pytest.mark.parametrize("place", STRANGE)
def test_what_no_setting_changes_is_not_of_the_experiment(place: str) -> None:
    changed = [with_fields(config, **STRANGE[place]) for config in EXP1[:4]]
    for configs in (changed, [*EXP1[:4], *changed]):
        grid = grid_of(configs, "exp1")
        assert experiment_of(grid) is None
        assert not follows_paper(grid)
        assert not any(cells_of(Run([grid.study], [])).values())


def test_every_field_of_a_model_is_swept_or_a_setting_or_not_the_papers() -> None:
    swept = {"task.modulus", "task.input_range", "embedding.primes", "embedding.seed", "seed"}
    settings = {
        "embedding.depth",
        "embedding.unit",
        "task.operation",
        "task.samples",
        "training.epochs",
        "training.batch_size",
        "training.learning_rate",
    }
    data = CONTROL[0].to_dict()
    fields = {
        f"{kind}.{name}" if isinstance(part, dict) else kind
        for kind, part in data.items()
        for name in (part if isinstance(part, dict) else [""])
    }
    named = {f"{kind}.{word}" for kind in data for word in ("name", "version")}
    assert fields - named == swept | settings | set(STRANGE)


def test_a_shuffle_with_a_seed_of_its_own_is_not_the_papers_control() -> None:
    changed = [with_fields(config, seed=7) for config in CONTROL[:4]]
    assert changed[0].seed == 42
    assert experiment_of(grid_of(changed, "control")) is None


@pytest.mark.parametrize("settings", [{}, {"depth": 2}])
def test_a_longer_pool_does_not_take_the_papers_models_away(settings: dict[str, Any]) -> None:
    pool = (*P0, 61)
    longer = SinglePrime(primes=pool, sizes=(4, 17), ranges=(100,), **settings)
    paper, other = grids_of(longer, SinglePrime())
    assert follows_paper(paper)
    assert list(paper.planned) == EXP1
    assert not follows_paper(other)
    assert list(other.planned) == list(longer.configs)
    assert other.study.settings == {**settings, "primes": list(pool)}


def test_a_name_does_not_depend_on_which_of_the_papers_rows_are_planned() -> None:
    small = SinglePrime(sizes=(4,), ranges=(100,), depth=3)
    large = SinglePrime(sizes=(8, 16), ranges=(500,), depth=3, seeds=(7,))
    assert small.name == large.name == "exp1 depth=3"
    assert SinglePrime(sizes=(4,), ranges=(100,)).name == "exp1"
    assert small.title == large.title == "Experiment 1, depth 3"


# What a store says is not believed.


@pytest.mark.parametrize(
    "configs",
    [
        CONTROL[:4],
        EXP2[:1],
        [*EXP1[:4], *CONTROL[:4]],
        [with_fields(EXP1[0], modulus=15)],
        [EXP1[0], with_fields(EXP1[0], primes=(2, 3))],
        [EXP1[0], with_fields(EXP1[0], epochs=3)],
    ],
    ids=["control", "exp2", "both", "modulus", "pools", "epochs"],
)
def test_a_study_of_the_kind_exp1_needs_its_models(configs: list[ModelConfig]) -> None:
    grid = grid_of(configs, "exp1")
    assert experiment_of(grid) is None
    assert not follows_paper(grid)


def test_experiment_2_has_one_set_of_primes() -> None:
    grid = grid_of([EXP2[0], with_fields(EXP2[0], primes=P0[:7])], "exp2")
    assert experiment_of(grid) is None


def test_other_axes_are_not_the_papers() -> None:
    study = Study(
        "exp1", EXP1[:4], axes=[Axis("task.modulus"), Axis("task.input_range")], kind="exp1"
    )
    (grid,) = make_grids([study], {})
    assert experiment_of(grid) is None
    (grid,) = make_grids([Study("exp1", EXP1[:4], kind="exp1")], {})
    assert experiment_of(grid) is None


def test_the_settings_of_a_study_must_be_those_of_its_models() -> None:
    changed = [with_fields(config, epochs=3) for config in EXP1[:4]]
    assert experiment_of(grid_of(changed, "exp1", epochs=3)) is SinglePrime
    assert not follows_paper(grid_of(changed, "exp1", epochs=3))
    for settings in ({}, {"epochs": 4}, {"epochs": "3"}, {"more": 1}, {"primes": 10**9}):
        assert experiment_of(grid_of(changed, "exp1", **settings)) is None


def test_names_and_titles_decide_nothing() -> None:
    study = Study("exp1 depth=99", EXP1[:4], "Control", SinglePrime.axes, kind="exp1")
    (grid,) = make_grids([study], {})
    assert follows_paper(grid)
    (grid,) = make_grids([Study("exp1", EXP1[:4], axes=SinglePrime.axes)], {})
    assert experiment_of(grid) is None


# The order of grids.


def test_the_papers_grids_come_first_then_other_settings_then_other_studies() -> None:
    mine = small_study(small_config(), name="a study of one's own")
    deep = [with_fields(config, depth=5) for config in (*EXP1[:4], *EXP2[:1])]
    studies = [mine, *studies_of([*deep, *EXP2[:1], *CONTROL[:4], *EXP1[:4]])]
    expected = [
        "exp1",
        "exp1 depth=5",
        "control",
        "exp2",
        "exp2 depth=5",
        "a study of one's own",
    ]
    grids = make_grids(studies, {})
    assert [grid.study.name for grid in in_order(grids)] == expected
    assert [grid.study.name for grid in in_order(grids[::-1])] == expected
