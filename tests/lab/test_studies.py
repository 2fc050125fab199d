"""The paper's experiments as studies, the profiles, and settings files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab_records import EXP2
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.cost import model_flops
from primefourier.lab.studies import (
    EXPERIMENTS,
    PROFILES,
    CompositeModuli,
    ShuffledControl,
    SinglePrime,
    models_of,
    profile,
    read_settings,
)


def test_experiment_1_is_350_models_of_the_protocol() -> None:
    configs = SinglePrime().configs()
    assert len({config.key for config in configs}) == 350
    assert {len(config.primes) for config in configs} == {4, 6, 8, 10, 12, 14, 16}
    assert {config.input_range for config in configs} == {100, 500, 1000, 2000, 4000}
    for config in configs:
        assert config.experiment == "exp1"
        assert config.primes == PAPER_BASIS.primes[: len(config.primes)]
        assert config.modulus in config.primes
        assert (config.depth, config.epochs, config.batch_size) == (6, 25, 1024)
        assert (config.learning_rate, config.pairs, config.seed) == (3e-3, 80_000, 42)
        assert (config.operation, config.embedding, config.trainer) == ("add", "pfe", "fast")


def test_every_task_prime_of_every_seed_has_a_model() -> None:
    configs = SinglePrime(sizes=(2,), ranges=(10,), primes=(5, 7, 11), seeds=(1, 2)).configs()
    assert [(c.seed, c.modulus) for c in configs] == [(1, 5), (1, 7), (2, 5), (2, 7)]


def test_more_rows_than_primes_are_refused() -> None:
    with pytest.raises(ValueError, match="at most the number of primes, 3, got 4"):
        SinglePrime(sizes=(4,), primes=(3, 5, 7))
    with pytest.raises(ValueError, match="sizes must be an integer of at least 1, got 0"):
        SinglePrime(sizes=(0,))


def test_by_default_all_of_the_given_primes_have_a_row() -> None:
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,)).sizes == (3,)
    assert SinglePrime(primes=(3, 5, 7), ranges=(10,), sizes=(2,)).sizes == (2,)


def test_the_control_is_experiment_1_with_shuffled_features() -> None:
    for config, original in zip(ShuffledControl().configs(), SinglePrime().configs(), strict=True):
        assert replace(config, experiment="exp1", embedding="pfe") == original
        assert (config.experiment, config.embedding) == ("control", "shuffled-column")
    for embedding in ("shuffled-pair", "shuffled-block"):
        configs = ShuffledControl(embedding=embedding, sizes=(4,)).configs()
        assert {config.embedding for config in configs} == {embedding}
    with pytest.raises(ValueError, match="is that of exp1"):
        ShuffledControl(embedding="pfe")


def test_experiment_2_is_50_models_and_two_are_degenerate() -> None:
    assert len({config.key for config in EXP2}) == 50
    assert {config.primes for config in EXP2} == {(3, 5, 7, 11, 13, 17, 19, 23)}
    assert {config.epochs for config in EXP2} == {40}
    assert {config.modulus for config in EXP2} == {15, 21, 33, 35, 55, 77, 105, 165, 231, 385}
    found = [(c.modulus, c.input_range) for c in EXP2 if c.degenerate]
    assert found == [(231, 100), (385, 100)]


def test_moduli_with_primes_without_a_row_are_reported() -> None:
    assert CompositeModuli().invisible() == []
    found = CompositeModuli(moduli=(15, 30, 29, 2 * 3**7), ranges=(100, 200)).invisible()
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
        ({"ranges": 100}, "ranges must be a list of integers, got 100"),
        ({"ranges": "100"}, "ranges must be a list of integers, got '100'"),
        ({"ranges": (1,)}, "ranges must be an integer of at least 2, got 1"),
        ({"ranges": (2**32,)}, "ranges must be at most 2147483648, got 4294967296"),
        ({"seeds": (-1,)}, "seeds must be an integer of at least 0"),
        ({"seeds": (*range(1000), 7)}, r"seeds must be distinct, got 7 twice$"),
        ({"moduli": (1,)}, "moduli must be an integer of at least 2, got 1"),
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
        "pairs": 99, "trainer": "plain",
    }  # fmt: skip
    lists = {"moduli": [15], "ranges": [50], "primes": [3, 5], "seeds": [7]}
    (config,) = CompositeModuli.from_dict({**settings, **lists}).configs()
    assert settings.items() <= config.to_dict().items()
    assert (config.primes, config.seed, config.input_range) == ((3, 5), 7, 50)


def test_smaller_profiles_are_parts_of_the_paper() -> None:
    models = {name: models_of(profile(name)) for name in PROFILES}
    paper = {config.key for config in models["paper"]}
    assert [sum(c.experiment == name for c in models["paper"]) for name in EXPERIMENTS] == [
        350, 350, 50,
    ]  # fmt: skip
    for name in ("smoke", "quick"):
        assert {config.key for config in models[name]} < paper
        assert {config.experiment for config in models[name]} == set(EXPERIMENTS)
    assert len(models_of(profile("smoke", seeds=(1, 2)))) == 2 * len(models["smoke"])


def test_profiles_differ_in_their_work() -> None:
    work = [sum(map(model_flops, models_of(profile(name)))) for name in PROFILES]
    assert 4 * work[0] < work[1] < work[2] / 20
    assert work[1] < 30e12  # five minutes on two cores at 50 GFLOP/s each


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'quick'"):
        profile("quik")


def test_tables_of_a_settings_file_become_studies(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(
        "[exp1]\nsizes = [4]\nranges = [100, 200]\n"
        "[[exp2]]\nmoduli = [15]\n[[exp2]]\nmoduli = [45]\noperation = 'multiply'\n"
    )
    assert read_settings(str(path)) == [
        SinglePrime(sizes=(4,), ranges=(100, 200)),
        CompositeModuli(moduli=(15,)),
        CompositeModuli(moduli=(45,), operation="multiply"),
    ]


_MANY = f"[[exp2]]\nmoduli = {[*range(2, 1102)]}\nranges = {[*range(2, 62)]}\n" * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[exp3]\n", "unknown key 'exp3' in .*sweep.toml; did you mean"),
        ("[exp1]\nrange = [3]\n", r"unknown key 'range' in \[exp1\] of .*; did you mean 'ranges'"),
        ("[exp1]\nranges = [1]\n", r"\[exp1\] of .*sweep.toml: ranges must be an integer of at"),
        ("[exp1]\nranges = [2.5]\n", r"\[exp1\] of .*sweep.toml: ranges must be an integer"),
        ("[exp1]\nranges = 3\n", "ranges must be a list of integers"),
        ("exp1 = 3\n", r"\[exp1\] of .* must be a table of settings, got 3"),
        ("", "names no experiment"),
        ("[exp1\n", "is not a TOML file"),
        (b"\xff\xfe", "is not a TOML file"),
        ("[exp1]\nranges = " + "[" * 10_000, "sweep.toml is nested too deeply"),
        ("[exp1]\nseeds = [" + "9" * 5_000 + "]", "sweep.toml must hold numbers of at most 300"),
        ("[exp1]\nseeds = [0x" + "f" * 5_000 + "]", "must hold numbers of at most 300 digits"),
        ("#" * 20_001, "sweep.toml must have at most 20000 bytes, got more"),
        (_MANY, "sweep.toml must name at most 100000 models, got more"),
        (None, "cannot be read: No such file"),
    ],
)
def test_bad_settings_files_are_refused(
    tmp_path: Path, text: str | bytes | None, message: str
) -> None:
    path = tmp_path / "sweep.toml"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message):
        read_settings(path)
