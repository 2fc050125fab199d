"""A configuration is validated, hashed, and read back exactly."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.lab.config import LARGEST_MODULUS, LARGEST_RANGE, ModelConfig
from primefourier.lab.task import make_task
from small_models import small_config


def test_the_key_depends_on_every_field() -> None:
    config = small_config()
    changes: dict[str, Any] = {
        "experiment": "exp2",
        "modulus": 7,
        "input_range": 31,
        "primes": (3, 5),
        "depth": 3,
        "operation": "subtract",
        "embedding": "shuffled-pair",
        "seed": 43,
        "epochs": 3,
        "batch_size": 101,
        "learning_rate": 0.004,
        "pairs": 50,
        "trainer": "plain",
    }
    assert set(changes) == set(config.to_dict())
    keys = {replace(config, **{name: value}).key for name, value in changes.items()}
    assert len(keys | {config.key}) == len(changes) + 1


def test_the_key_is_the_same_in_every_process_and_version() -> None:
    config = ModelConfig(experiment="exp1", modulus=7, input_range=100, primes=(3, 5, 7))
    assert config.key == "c904517cf50d379af8845fde36dd0650fdbf60e2fdcf9c6a66f6490a49ad17a0"


@given(seed=st.integers(0, 2**63 - 1), r=st.integers(2, LARGEST_RANGE), n=st.integers(2, 10**6))
def test_a_config_is_read_back_from_json(seed: int, r: int, n: int) -> None:
    config = small_config(seed=seed, input_range=r, modulus=n, learning_rate=0.1)
    again = ModelConfig.from_dict(json.loads(json.dumps(config.to_dict())))
    assert again == config
    assert again.key == config.key


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_range": 1}, "input_range must be an integer of at least 2, got 1"),
        ({"input_range": LARGEST_RANGE + 1}, "input_range must be at most"),
        ({"modulus": 1}, "modulus must be an integer of at least 2, got 1"),
        ({"modulus": LARGEST_MODULUS + 1}, "modulus must be at most"),
        ({"epochs": 0}, "epochs must be an integer of at least 1"),
        ({"batch_size": 0}, "batch_size must be an integer of at least 1"),
        ({"pairs": 1}, "pairs must be an integer of at least 2"),
        ({"seed": 2**63}, "seed must be at most"),
        ({"pairs": 10**8}, "pairs must be at most"),
        ({"depth": 65}, "depth must be at most 64"),
        ({"depth": 0}, "depth must be an integer of at least 1"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
        ({"learning_rate": 0}, "learning_rate must be a positive number, got 0"),
        (
            {"learning_rate": float("nan")},
            "learning_rate must be a positive number, got nan",
        ),
        ({"learning_rate": True}, "learning_rate must be a positive number, got True"),
        ({"operation": "ad"}, "did you mean 'add'"),
        ({"embedding": "shuffled"}, "embedding must be"),
        ({"trainer": "quick"}, "trainer must be 'fast' or 'plain'"),
        ({"primes": (3, 9)}, "primes must be distinct primes, got 9"),
        ({"primes": ()}, "prime"),
        ({"primes": (3, 2**9689 - 1)}, r"primes must be below 2\^63, got a number of 9689 bits"),
        ({"primes": (9, 2**64)}, r"primes must be below 2\^63, got a number of 65"),
        ({"primes": tuple(range(1001))}, "primes must be at most 1000 numbers, got 1001"),
        ({"epochs": 10**7}, "epochs must be at most 1000000, got 10000000"),
        ({"batch_size": 2**63}, "batch_size must be at most 9223372036854775807, got"),
        ({"learning_rate": 10**400}, "learning_rate must be a positive number, got 1000"),
        ({"experiment": ""}, "experiment must be a name"),
    ],
)
def test_impossible_models_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_config(**changes)


@pytest.mark.parametrize("name", ["modulus", "input_range", "seed", "epochs"])
def test_non_integers_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        small_config(**{name: 3.5})


def test_relevant_rows_are_the_primes_that_divide_the_modulus() -> None:
    assert small_config(modulus=45).relevant == (3, 5)
    assert small_config(modulus=22).relevant == ()


def test_a_config_is_degenerate_if_no_answer_wraps() -> None:
    assert small_config(modulus=59, input_range=30).degenerate
    assert not small_config(modulus=58, input_range=30).degenerate
    assert not small_config(modulus=59, input_range=30, operation="multiply").degenerate
    assert small_config(modulus=842, input_range=30, operation="multiply").degenerate
    assert not small_config(modulus=841, input_range=30, operation="multiply").degenerate
    assert not small_config(modulus=10**6, input_range=2, operation="subtract").degenerate


def test_the_split_is_that_of_the_task() -> None:
    for config in (small_config(), small_config(pairs=7), small_config(input_range=2)):
        task = make_task(config)
        assert config.split == (len(task.train_labels), len(task.test_labels))
        assert config.noise_floor == 2 * math.sqrt(0.5 / len(task.test_labels))


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown key 'rang' in a model's config"):
        ModelConfig.from_dict({**small_config().to_dict(), "rang": 3})
