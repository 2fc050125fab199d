"""Which grids are the paper's."""

from typing import Any

import pytest

from lab_records import CONTROL, EXP1, EXP2, STUDIES, run_of, studies_of, with_fields
from primefourier.encoding import PAPER_BASIS
from primefourier.lab import Axis, ModelConfig, RowClassifier, Run, Study
from primefourier.lab.grid import Grid, make_grids
from primefourier.plugins import in_order
from primefourier_paper import EXPERIMENTS, Experiment, SinglePrime, cells_of
from primefourier_paper.grids import experiment_of, follows_paper
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
SOME = {"exp1": EXP1[:4], "control": CONTROL[:4], "exp2": EXP2[:1]}


def grids_of(*experiments: Experiment) -> list[Grid]:
    return Run([experiment.study() for experiment in experiments], []).grids


def grid_of(configs: list[ModelConfig], kind: str, **settings: Any) -> Grid:
    """Return the grid of models in a study that is said to be an experiment of the paper."""
    study = Study(kind, configs, axes=EXPERIMENTS[kind].axes, kind=kind, settings=settings)
    (grid,) = make_grids([study], {})
    return grid


def test_the_paper_has_one_grid_for_each_experiment() -> None:
    found = Run(STUDIES, []).grids
    assert [experiment_of(grid) for grid in found] == list(EXPERIMENTS.values())
    assert [len(grid.planned) for grid in found] == [350, 350, 50]
    assert all(follows_paper(grid) and grid.study.settings == {} for grid in found)


@pytest.mark.parametrize("setting", OTHER)
@pytest.mark.parametrize("name", SOME)
def test_other_settings_are_another_grid(name: str, setting: str) -> None:
    field = "samples" if setting == "pairs" else setting
    changed = [with_fields(model, **{field: OTHER[setting]}) for model in SOME[name]]
    paper, other = run_of([*changed, *SOME[name]]).grids
    assert (follows_paper(paper), follows_paper(other)) == (True, False)
    assert (list(paper.planned), list(other.planned)) == (SOME[name], changed)
    assert other.study.settings == {setting: OTHER[setting]}


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
        assert not any(cells_of(Run([grid.study], [])).values())


def test_every_field_of_a_model_is_swept_or_a_setting_or_not_the_papers() -> None:
    swept = {"task.modulus", "task.input_range", "embedding.primes", "embedding.seed", "seed"}
    settings = {"embedding.depth", "embedding.unit", "task.operation", "task.samples"}
    settings |= {f"training.{name}" for name in ("epochs", "batch_size", "learning_rate")}
    data = CONTROL[0].to_dict()
    fields = {
        f"{kind}.{name}" if isinstance(part, dict) else kind
        for kind, part in data.items()
        for name in (part if isinstance(part, dict) else [""])
    }
    named = {f"{kind}.{word}" for kind in data for word in ("name", "version")}
    assert fields - named == swept | settings | set(STRANGE)


@pytest.mark.parametrize("settings", [{}, {"depth": 2}])
def test_a_longer_pool_does_not_take_the_papers_models_away(settings: dict[str, Any]) -> None:
    pool = (*P0, 61)
    longer = SinglePrime(primes=pool, sizes=(4, 17), ranges=(100,), **settings)
    paper, other = grids_of(longer, SinglePrime())
    assert (follows_paper(paper), follows_paper(other)) == (True, False)
    assert (list(paper.planned), list(other.planned)) == (EXP1, list(longer.configs))
    assert other.study.settings == {**settings, "primes": list(pool)}


@pytest.mark.parametrize(
    ("kind", "configs"),
    [
        ("exp1", CONTROL[:4]),
        ("exp1", EXP2[:1]),
        ("exp1", [*EXP1[:4], *CONTROL[:4]]),
        ("exp1", [with_fields(EXP1[0], modulus=15)]),
        ("exp1", [with_fields(EXP1[0], modulus=13)]),
        ("exp1", [EXP1[0], with_fields(EXP1[0], primes=(2, 3))]),
        ("exp1", [EXP1[0], with_fields(EXP1[0], epochs=3)]),
        ("exp2", [EXP2[0], with_fields(EXP2[0], primes=P0[:7])]),
        ("control", [with_fields(config, seed=7) for config in CONTROL[:4]]),  # of the shuffle
    ],
    ids=["control", "exp2", "both", "composite", "other prime", "pools", "epochs", "set", "seed"],
)
def test_a_study_that_says_what_it_is_needs_its_models(
    kind: str, configs: list[ModelConfig]
) -> None:
    grid = grid_of(configs, kind)
    assert experiment_of(grid) is None
    assert not follows_paper(grid)


def test_kind_axes_and_settings_decide_and_names_do_not() -> None:
    def found(*words: Any, **options: Any) -> Any:
        return experiment_of(make_grids([Study(*words, **options)], {})[0])

    axes = SinglePrime.axes
    assert found("exp1 depth=99", EXP1[:4], "Control", axes, kind="exp1") is SinglePrime
    assert found("exp1", EXP1[:4], axes=axes) is None
    assert found("exp1", EXP1[:4], kind="exp1") is None
    other = [Axis("task.modulus"), Axis("task.input_range")]
    assert found("exp1", EXP1[:4], axes=other, kind="exp1") is None
    changed = [with_fields(config, epochs=3) for config in EXP1[:4]]
    assert experiment_of(grid_of(changed, "exp1", epochs=3)) is SinglePrime
    assert not follows_paper(grid_of(changed, "exp1", epochs=3))
    for settings in ({}, {"epochs": 4}, {"epochs": "3"}, {"more": 1}, {"primes": 10**9}):
        assert experiment_of(grid_of(changed, "exp1", **settings)) is None


def test_the_papers_grids_come_first_then_other_settings_then_other_studies() -> None:
    mine = small_study(small_config(), name="a study of one's own")
    deep = [with_fields(config, depth=5) for config in (*EXP1[:4], *EXP2[:1])]
    studies = [mine, *studies_of([*deep, *EXP2[:1], *CONTROL[:4], *EXP1[:4]])]
    expected = ["exp1", "exp1 depth=5", "control", "exp2", "exp2 depth=5", mine.name]
    for some in (make_grids(studies, {}), make_grids(studies, {})[::-1]):
        assert [grid.study.name for grid in in_order(some)] == expected
