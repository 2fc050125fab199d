"""A recipe is validated, hashed, and read back exactly."""

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from primefourier.lab import (
    Channels,
    Characters,
    CRTClassifier,
    LearnedTable,
    Linear,
    Mlp,
    ModelConfig,
    ModularArithmetic,
    Periods,
    PrimeFourier,
    RowClassifier,
    ShuffledPrimeFourier,
    Training,
    Transformer,
)
from small_models import small_config

OTHER_VALUES: dict[type[Any], dict[str, Any]] = {
    PrimeFourier: {"primes": (3, 5), "depth": 3},
    ShuffledPrimeFourier: {"primes": (3, 5), "depth": 3, "unit": "pair", "seed": 7},
    Periods: {"periods": (7, 10.25)},
    Characters: {"moduli": (5, 9)},
    LearnedTable: {"size": 31, "width": 8, "row_count": 2},
    ModularArithmetic: {
        "operation": "subtract",
        "modulus": 7,
        "operands": 3,
        "input_range": 31,
        "samples": 50,
        "test_share": 0.25,
        "beyond": (100,),
        "beyond_samples": 10,
    },
    RowClassifier: {"encoder": (64, 33), "classifier": 127},
    Linear: {},
    Mlp: {"hidden": (128, 128)},
    Channels: {"hidden": (64,)},
    CRTClassifier: {"hidden": (64,)},
    Transformer: {"tokens": "operands", "width": 32, "heads": 2, "hidden": 64},
    Training: {
        "epochs": 3,
        "batch_size": None,
        "learning_rate": 0.004,
        "optimizer_name": "sgd",
        "weight_decay": 0.1,
        "test_every": 2,
        "shifts": True,
    },
}
"""A value of each field of each part that differs from the one below."""
PARTS: list[tuple[str, Any]] = [
    ("embedding", PrimeFourier()),
    ("embedding", ShuffledPrimeFourier()),
    ("embedding", Periods((7, 10.5))),
    ("embedding", Characters((5, 7))),
    ("embedding", LearnedTable(size=30)),
    ("task", ModularArithmetic(modulus=5, input_range=30)),
    ("network", RowClassifier()),
    ("network", Linear()),
    ("network", Mlp()),
    ("network", Channels()),
    ("network", CRTClassifier()),
    ("network", Transformer()),
    ("training", Training()),
]


def _changes() -> Iterator[tuple[str, Any, str]]:
    for kind, part in PARTS:
        values = OTHER_VALUES[type(part)]
        assert set(values) == {field.name for field in fields(part)}, "every field is tried"
        yield from ((kind, part, name) for name in values)


@pytest.mark.parametrize(("kind", "part", "name"), list(_changes()), ids=str)
def test_the_key_depends_on_every_field_of_every_part(kind: str, part: Any, name: str) -> None:
    config = replace(small_config(), **{kind: part})
    other = replace(part, **{name: OTHER_VALUES[type(part)][name]})
    assert replace(config, **{kind: other}).key != config.key


@pytest.mark.parametrize("kind", ["embedding", "task", "network", "training"])
def test_the_key_depends_on_names_and_versions_of_parts(kind: str) -> None:
    config = small_config()
    for name, value in (("version", 2), ("name", "another")):
        data = {**config.to_dict(), kind: {**config.to_dict()[kind], name: value}}
        other = ModelConfig.from_dict(data)
        assert other.key != config.key
        assert not other.known


def test_the_key_depends_on_seed_and_ablations() -> None:
    found = [small_config(), small_config(seed=43), small_config(ablations=("mean",))]
    assert len({config.key for config in found}) == 3
    assert small_config(ablations=("mean", "zero")).key == found[2].key, "zero is always measured"


def test_the_key_is_the_same_in_every_process_and_version() -> None:
    embedding = PrimeFourier(primes=(3, 5, 7))
    task = ModularArithmetic("add", modulus=7, input_range=100)
    config = ModelConfig(embedding=embedding, task=task)
    assert config.key == "e03aa3cc1408c1442edbdb5527de021f0c11726a36f51d4745a5dbbf9b7d9dcb"


@pytest.mark.parametrize(("kind", "part"), PARTS, ids=str)
def test_a_config_is_read_back_from_json(kind: str, part: Any) -> None:
    config = replace(small_config(seed=2**63 - 1, learning_rate=0.1), **{kind: part})
    again = ModelConfig.from_dict(json.loads(json.dumps(config.to_dict())))
    assert again == config
    assert again.key == config.key
    data = config.to_dict()
    with pytest.raises(ValueError, match=f"unknown key 'more' in the {kind} '{part.name}'"):
        ModelConfig.from_dict({**data, kind: {**data[kind], "more": 3}})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_range": 1}, "input_range must be an integer of at least 2, got 1"),
        ({"modulus": 10**6 + 1}, "modulus must be at most"),
        ({"epochs": 0}, "epochs must be an integer of at least 1"),
        ({"seed": 2**63}, "seed must be at most"),
        ({"depth": 65}, "depth must be at most 64"),
        ({"learning_rate": 0}, "learning_rate must be a positive number, got 0"),
        ({"weight_decay": -1}, "weight_decay must be a number of at least 0, got -1"),
        ({"optimizer_name": "adma"}, "did you mean 'adam'"),
        ({"unit": "row"}, "unit must be"),
        ({"test_every": 0}, "test_every must be an integer of at least 1"),
        ({"primes": (3, 9)}, "primes must be distinct primes, got 9"),
        ({"primes": ()}, "prime"),
        ({"primes": (3, 2**9689 - 1)}, r"primes must be below 2\^63, got a number of 9689 bits"),
        ({"primes": tuple(range(1001))}, "primes must be at most 1000 numbers, got 1001"),
        ({"ablations": ("zeros",)}, "did you mean 'zero'"),
        ({"ablations": "zero"}, "ablations must be a tuple of kinds"),
        ({"beyond": (59,)}, r"at least 2 · input_range = 60 .*, got 59"),
        ({"beyond": (10**300,)}, "at most 300 digits"),
        ({"beyond": (60, 60)}, "beyond must be distinct"),
        ({"beyond": 60}, "beyond must be a tuple of integers, got 60"),
    ],
)
def test_impossible_models_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_config(**changes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RowClassifier(encoder=(64,)), "encoder must have two widths"),  # type: ignore[arg-type]
        (lambda: RowClassifier(classifier=0), "classifier must be an integer of at least 1"),
        (lambda: Mlp(hidden=(10**9,)), "hidden must be at most 65536"),
        (lambda: CRTClassifier(hidden=()), "hidden must have at least one width"),
        (lambda: Transformer(heads=3), "heads must divide width 64, got 3"),
        (lambda: Transformer(tokens="row"), "did you mean 'rows'"),  # type: ignore[arg-type]
        (lambda: Periods(()), "periods must be a tuple of numbers"),
        (lambda: Periods((3, 1)), "periods must be numbers above 1, got 1"),
        (lambda: Periods((3, float("nan"))), "periods must be numbers above 1, got nan"),
        (lambda: Periods(((3, 5), 7)), "same number of periods"),
        (lambda: Characters((5, 6)), "moduli must be prime powers, got 6 = 2 · 3"),
        (lambda: LearnedTable(size=0), "size must be an integer of at least 1"),
        (lambda: LearnedTable(size=10**8, width=2), "a table must have at most"),
        (
            lambda: ModularArithmetic(modulus=3, input_range=9, samples=2, test_share=0.9),
            "training and test examples are required",
        ),
        (
            lambda: ModularArithmetic(modulus=3, input_range=9, test_share=1),
            "test_share must be between 0 and 1, got 1",
        ),
    ],
)
def test_impossible_parts_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("name", ["modulus", "input_range", "seed", "epochs"])
def test_non_integers_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        small_config(**{name: 3.5})


def test_what_is_not_a_registered_part_is_refused() -> None:
    with pytest.raises(TypeError, match=r"task must be an instance of .* got 3"):
        replace(small_config(), task=3)
    with pytest.raises(TypeError, match=r"methods of lab\.Network, got PrimeFourier"):
        replace(small_config(), network=PrimeFourier())


def test_relevant_rows_are_the_primes_that_divide_the_modulus() -> None:
    assert small_config(modulus=45).relevant == ("3", "5")
    assert small_config(modulus=22).relevant == ()


def test_relevant_rows_of_other_embeddings() -> None:
    task = ModularArithmetic(modulus=12, input_range=30)
    assert Periods((3, 4.0, 5, 12, 8.5)).relevant(task) == ("3", "4", "12")
    assert Characters((4, 5, 9)).relevant(task) == ("4", "9")
    table: Any = LearnedTable(size=30)
    assert table.relevant(task) is None
    assert PrimeFourier().relevant(object()) is None, "nothing is predicted without a modulus"


def test_a_config_is_degenerate_if_no_answer_wraps() -> None:
    assert small_config(modulus=59, input_range=30).degenerate
    assert not small_config(modulus=58, input_range=30).degenerate
    assert not small_config(modulus=59, input_range=30, operands=3).degenerate
    assert not small_config(modulus=59, input_range=30, operation="multiply").degenerate
    assert small_config(modulus=842, input_range=30, operation="multiply").degenerate
    assert not small_config(modulus=841, input_range=30, operation="multiply").degenerate
    assert not small_config(modulus=10**6, input_range=2, operation="subtract").degenerate
