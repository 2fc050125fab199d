"""The paper's experiments as studies, and the profiles."""

from dataclasses import replace
from typing import Any

import pytest

from lab_records import EXP2
from prime_models import input_range, modulus, primes
from primefourier.encoding import PAPER_BASIS
from primefourier.lab import (
    ModelConfig,
    ModularArithmetic,
    PrimeFourier,
    RowClassifier,
    ShuffledPrimeFourier,
    Training,
)
from primefourier.lab.config import prime_parts
from primefourier.lab.study import find_invisible
from primefourier_paper import (
    EXPERIMENTS,
    PROFILES,
    CompositeModuli,
    ShuffledControl,
    SinglePrime,
    models_of,
    profile,
)

TRAINING = Training(
    epochs=25, batch_size=1024, learning_rate=3e-3, optimizer_name="adam", weight_decay=0.0,
    test_every=1,
)  # fmt: skip


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
        assert config.training == TRAINING


def test_by_default_all_of_the_given_primes_have_a_row_and_never_more() -> None:
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,)).sizes == (3,)
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,), sizes=(2,)).sizes == (2,)
    with pytest.raises(ValueError, match="at most the number of primes, 3, got 4"):
        SinglePrime(sizes=(4,), primes=(3, 5, 7))
    with pytest.raises(ValueError, match="sizes must be an integer of at least 1, got 0"):
        SinglePrime(sizes=(0,))


def test_the_control_is_experiment_1_with_shuffled_features() -> None:
    for config, original in zip(ShuffledControl().configs, SinglePrime().configs, strict=True):
        assert replace(config, embedding=original.embedding) == original
        assert config.embedding == ShuffledPrimeFourier(primes(original), 6, "column", 42)
    for unit in ("pair", "block"):
        configs = ShuffledControl(embedding=f"shuffled-{unit}", sizes=(4,), seeds=(7,)).configs
        assert {(c.embedding.unit, c.embedding.seed) for c in configs} == {(unit, 7)}
    with pytest.raises(ValueError, match="is that of exp1"):
        ShuffledControl(embedding="pfe")


def test_experiment_2_is_50_models_and_two_are_degenerate() -> None:
    assert len({config.key for config in EXP2}) == 50
    assert {primes(config) for config in EXP2} == {(3, 5, 7, 11, 13, 17, 19, 23)}
    assert {config.training for config in EXP2} == {replace(TRAINING, epochs=40)}
    assert {modulus(config) for config in EXP2} == {15, 21, 33, 35, 55, 77, 105, 165, 231, 385}
    found = [(modulus(c), input_range(c)) for c in EXP2 if c.degenerate]
    assert found == [(231, 100), (385, 100)]


def test_moduli_with_primes_without_a_row_are_reported() -> None:
    assert find_invisible(CompositeModuli().configs) == []
    chosen = CompositeModuli(moduli=(15, 30, 29, 2 * 3**7), ranges=(100, 200))
    found = {plan.modulus: plan.missing for plan in find_invisible(chosen.configs)}
    assert found == {29: ((29, 0),), 30: ((2, 0),), 2 * 3**7: ((2, 0), (3, 6))}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranges": ()}, "ranges must name at least one value"),
        ({"ranges": (100, 100)}, "ranges must be distinct"),
        ({"ranges": "100"}, "ranges must be a list of integers, got '100'"),
        ({"ranges": (1,)}, "ranges must be an integer of at least 2, got 1"),
        ({"ranges": (2**32,)}, "ranges must be at most 2147483648, got 4294967296"),
        ({"seeds": (*range(1000), 7)}, r"seeds must be distinct, got 7 twice$"),
        ({"moduli": (10**7,)}, "moduli must be at most 1000000, got"),
        ({"primes": (3, 4)}, "primes must be distinct primes, got 4"),
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
    assert [len(some) for some in models.values()] == [21, 91, 750]
    assert [len(experiment.configs) for experiment in profile("paper")] == [350, 350, 50]
    paper = {config.key for config in models["paper"]}
    for name in ("smoke", "quick"):
        assert {config.key for config in models[name]} < paper
        assert {experiment.name for experiment in profile(name)} == set(EXPERIMENTS)
    assert len(models_of(profile("smoke", seeds=(1, 2)))) == 2 * len(models["smoke"])


def test_an_experiment_is_named_by_the_settings_that_differ_from_the_papers() -> None:
    assert [experiment.name for experiment in profile("paper")] == ["exp1", "control", "exp2"]
    other = CompositeModuli(primes=(2, 3), moduli=(6,), ranges=(20,), batch_size=7, pairs=99)
    assert other.name == "exp2 primes=2,3 batch_size=7 pairs=99"
    assert other.title == "Experiment 2, primes 2, 3, batch size 7, pairs 99"
    control = ShuffledControl(sizes=(4,), ranges=(100,), embedding="shuffled-pair")
    assert control.name == "control embedding=shuffled-pair"
    assert control.title == "Control (PFE-Shuffled), embedding shuffled-pair"
    small = SinglePrime(sizes=(4,), ranges=(100,), depth=3)
    large = SinglePrime(sizes=(8, 16), ranges=(500,), depth=3, seeds=(7,))
    assert small.name == large.name == "exp1 depth=3"  # whichever of the paper's rows are planned
    assert small.title == large.title == "Experiment 1, depth 3"
