"""The paper's experiments as studies, the profiles, and settings files."""

from dataclasses import replace
from typing import Any

import pytest

from lab_records import EXP2
from prime_models import input_range, modulus, primes
from primefourier.encoding import PAPER_BASIS
from primefourier.lab import (
    LearnedTable,
    ModelConfig,
    ModularArithmetic,
    PrimeFourier,
    RowClassifier,
    ShuffledPrimeFourier,
    Training,
)
from primefourier.lab.config import prime_parts
from primefourier.lab.grid import make_grids
from primefourier.lab.studies import (
    EXPERIMENTS,
    PROFILES,
    Axis,
    CompositeModuli,
    ShuffledControl,
    SinglePrime,
    Study,
    models_of,
    profile,
)
from primefourier.lab.study import (
    find_axes,
    find_invisible,
    read_study,
    study_as_data,
)
from small_models import small_config


def test_experiment_1_is_350_models_of_the_protocol() -> None:
    configs = SinglePrime().configs
    assert len({config.key for config in configs}) == 350
    assert {len(primes(config)) for config in configs} == {4, 6, 8, 10, 12, 14, 16}
    assert {input_range(config) for config in configs} == {100, 500, 1000, 2000, 4000}
    for config in configs:
        embedding, task = prime_parts(config)
        assert primes(config) == PAPER_BASIS.primes[: len(primes(config))]
        assert modulus(config) in primes(config)
        assert type(embedding) is PrimeFourier
        assert (embedding.depth, task.operation, task.operands) == (6, "add", 2)
        assert (task.samples, task.test_share, task.beyond) == (80_000, 0.2, ())
        assert (config.seed, config.ablations) == (42, ("zero",))
        assert config.network == RowClassifier(encoder=(64, 32), classifier=128)
        assert config.training == Training(
            epochs=25,
            batch_size=1024,
            learning_rate=3e-3,
            optimizer_name="adam",
            weight_decay=0.0,
            test_every=1,
        )


def test_more_rows_than_primes_are_refused() -> None:
    with pytest.raises(ValueError, match="at most the number of primes, 3, got 4"):
        SinglePrime(sizes=(4,), primes=(3, 5, 7))
    with pytest.raises(ValueError, match="sizes must be an integer of at least 1, got 0"):
        SinglePrime(sizes=(0,))


def test_by_default_all_of_the_given_primes_have_a_row() -> None:
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,)).sizes == (3,)
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,), sizes=(2,)).sizes == (2,)


def test_the_control_is_experiment_1_with_shuffled_features() -> None:
    for config, original in zip(ShuffledControl().configs, SinglePrime().configs, strict=True):
        assert replace(config, embedding=original.embedding) == original
        assert config.embedding == ShuffledPrimeFourier(primes(original), 6, "column", 42)
    for unit in ("pair", "block"):
        configs = ShuffledControl(embedding=f"shuffled-{unit}", sizes=(4,), seeds=(7,)).configs
        found = {
            (c.to_dict()["embedding"]["unit"], c.to_dict()["embedding"]["seed"]) for c in configs
        }
        assert found == {(unit, 7)}
    with pytest.raises(ValueError, match="is that of exp1"):
        ShuffledControl(embedding="pfe")


def test_experiment_2_is_50_models_and_two_are_degenerate() -> None:
    assert len({config.key for config in EXP2}) == 50
    assert {primes(config) for config in EXP2} == {(3, 5, 7, 11, 13, 17, 19, 23)}
    assert {config.training for config in EXP2} == {Training(epochs=40)}
    assert {modulus(config) for config in EXP2} == {15, 21, 33, 35, 55, 77, 105, 165, 231, 385}
    found = [(modulus(c), input_range(c)) for c in EXP2 if c.degenerate]
    assert found == [(231, 100), (385, 100)]


def test_moduli_with_primes_without_a_row_are_reported() -> None:
    assert find_invisible(CompositeModuli().configs) == []
    chosen = CompositeModuli(moduli=(15, 30, 29, 2 * 3**7), ranges=(100, 200))
    found = find_invisible(chosen.configs)
    assert [(plan.modulus, plan.missing) for plan in found] == [
        (29, ((29, 0),)),
        (30, ((2, 0),)),
        (2 * 3**7, ((2, 0), (3, 6))),
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranges": ()}, "ranges must name at least one value"),
        ({"ranges": (100, 100)}, "ranges must be distinct"),
        ({"ranges": "100"}, "ranges must be a list of integers, got '100'"),
        ({"ranges": (1,)}, "ranges must be an integer of at least 2, got 1"),
        ({"ranges": (2**32,)}, "ranges must be at most 2147483648, got 4294967296"),
        ({"seeds": (-1,)}, "seeds must be an integer of at least 0"),
        ({"seeds": (*range(1000), 7)}, r"seeds must be distinct, got 7 twice$"),
        ({"moduli": (10**7,)}, "moduli must be at most 1000000, got"),
        ({"primes": (2**9689 - 1,)}, r"primes must be below 2\^63, got a number of 9689 bits"),
        ({"primes": (3, 4)}, "primes must be distinct primes, got 4"),
        ({"operation": "plus"}, "operation must be"),
        ({"epoch": 3}, "unknown key 'epoch' in the settings; did you mean 'epochs'"),
        ({"ranges": range(2, 102), "seeds": range(1001)}, "at most 100000 models, got more"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CompositeModuli.from_dict(settings)


def test_settings_reach_every_model() -> None:
    settings = {
        "depth": 2, "operation": "multiply", "epochs": 3, "batch_size": 7, "learning_rate": 0.1,
        "pairs": 99,
    }  # fmt: skip
    lists = {"moduli": [15], "ranges": [50], "primes": [3, 5], "seeds": [7]}
    (config,) = CompositeModuli.from_dict({**settings, **lists}).configs
    assert config == ModelConfig(
        embedding=PrimeFourier((3, 5), 2),
        task=ModularArithmetic("multiply", modulus=15, input_range=50, samples=99),
        training=Training(epochs=3, batch_size=7, learning_rate=0.1),
        seed=7,
    )


def test_smaller_profiles_are_parts_of_the_paper() -> None:
    models = {name: models_of(profile(name)) for name in PROFILES}
    paper = {config.key for config in models["paper"]}
    assert [len(experiment.configs) for experiment in profile("paper")] == [350, 350, 50]
    for name in ("smoke", "quick"):
        assert {config.key for config in models[name]} < paper
        assert {experiment.short_name for experiment in profile(name)} == set(EXPERIMENTS)
        assert {experiment.name for experiment in profile(name)} == set(EXPERIMENTS)
    assert len(models_of(profile("smoke", seeds=(1, 2)))) == 2 * len(models["smoke"])


# Names and axes of the paper's experiments.


def test_an_experiment_is_named_by_the_settings_that_differ_from_the_papers() -> None:
    assert [experiment.name for experiment in profile("paper")] == ["exp1", "control", "exp2"]
    other = CompositeModuli(primes=(2, 3), moduli=(6,), ranges=(20,), batch_size=7, pairs=99)
    assert other.name == "exp2 primes=2,3 batch_size=7 pairs=99"
    assert other.title == "Experiment 2, primes 2, 3, batch size 7, pairs 99"
    control = ShuffledControl(sizes=(4,), ranges=(100,), embedding="shuffled-pair")
    assert control.name == "control embedding=shuffled-pair"
    assert control.title == "Control (PFE-Shuffled), embedding shuffled-pair"


# Studies of one's own.


def test_a_study_has_each_model_once() -> None:
    config = small_config()
    study = Study("mine", [config, small_config(), small_config(seed=1)])
    assert study.configs == (config, small_config(seed=1))
    assert (study.title, study.axes, study.threshold) == ("mine", None, 0.85)


@pytest.mark.parametrize("name", ["", "-x", " x", "a\nb", "\x1b[0m", "x" * 201, None, 3])
def test_bad_names_of_studies_are_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="a study needs a name such as 'mine', got"):
        Study(name, [small_config()])


def test_a_study_needs_models() -> None:
    with pytest.raises(ValueError, match="the study 'mine' must have at least one model, got none"):
        Study("mine", [])
    for strange in (3, [3], [small_config().to_dict()]):
        with pytest.raises(TypeError, match="configs must be a list of ModelConfig, got"):
            Study("mine", strange)  # type: ignore[arg-type]


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
