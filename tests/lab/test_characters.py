"""Products are learned from characters, ablated, tested beyond the range and certified."""

from typing import Any

import numpy as np
import pytest
import torch

from primefourier import CharacterBasis, lab
from primefourier.analysis import certify


def config(**changes: Any) -> lab.ModelConfig:
    task = lab.ModularArithmetic(
        "multiply", modulus=15, input_range=100, beyond=(10**30,), beyond_samples=300
    )
    values = {"embedding": lab.Characters((3, 5, 7)), "task": task, "seed": 42}
    return lab.ModelConfig(**{**values, "training": lab.Training(epochs=10), **changes})


def test_rows_have_the_features_of_their_modulus_and_zeros() -> None:
    rows = lab.Characters((2, 5, 11)).rows(np.array([3, 10**30, -1], dtype=object))
    assert rows.shape == (3, 3, 6)
    for i, modulus in enumerate((2, 5, 11)):
        own = CharacterBasis((modulus,)).encode([3, 10**30, -1]).reshape(3, -1)
        assert np.array_equal(rows[:, i, : own.shape[1]], own)
        assert not rows[:, i, own.shape[1] :].any()


def test_products_are_learned_from_the_relevant_rows_and_right_beyond() -> None:
    record = lab.measure(config())
    measured = record.measured
    assert (measured.row_names, measured.relevant) == (("3", "5", "7"), ("3", "5"))
    assert measured.accuracy > 0.99
    assert measured.accuracy_beyond[str(10**30)] > 0.99
    drops = record.row_drops("zero")
    assert min(drops[:2]) > 0.3
    assert drops[2] < 0.02


def test_a_trained_network_of_characters_is_certified() -> None:
    network = lab.train(config(embedding=lab.Characters((3, 5))))
    found = certify(network, CharacterBasis((3, 5)), lambda x: (x % 15).prod(1) % 15)
    assert (found.proved, found.cases) == (True, 225)
    with torch.no_grad():
        next(network.parameters()).zero_()
    assert not certify(network, CharacterBasis((3, 5)), lambda x: (x % 15).prod(1) % 15).proved


def test_rows_without_a_modulus_predict_nothing() -> None:
    assert lab.Characters((3, 5)).relevant(object()) is None
    with pytest.raises(ValueError, match="moduli must be powers of distinct primes"):
        lab.Characters((5, 3))
