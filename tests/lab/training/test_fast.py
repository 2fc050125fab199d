"""The quick trainer computes what the readable one does."""

from typing import Any

import pytest
import torch
from torch.nn.utils import parameters_to_vector

from primefourier.lab.training import Trained, make_examples, train_fast, train_plain
from small_models import small_config

CASES: list[dict[str, Any]] = [
    {},
    {"modulus": 3, "primes": (3,), "depth": 1},
    {"modulus": 77, "primes": (3, 5, 7, 11), "depth": 6},
    {"embedding": "shuffled-column", "operation": "multiply"},
    {"operation": "subtract", "seed": 7, "learning_rate": 0.01},
    {"batch_size": 720},  # one batch an epoch
    {"batch_size": 10**12},  # a batch larger than the data, and than any memory
    {"batch_size": 719},  # a last batch of one pair
    {"batch_size": 1, "pairs": 20},
]


def distance(one: Trained, other: Trained) -> float:
    """Return by how much the weights of two networks differ at most."""
    a, b = (parameters_to_vector(t.model.parameters()).detach() for t in (one, other))
    return float((a - b).abs().max())


@pytest.mark.parametrize("changes", CASES, ids=str)
def test_fast_and_plain_agree_in_float64(changes: dict[str, Any]) -> None:
    config = small_config(**changes)
    examples = make_examples(config, dtype=torch.float64)
    fast, plain = train_fast(config, examples), train_plain(config, examples)
    assert distance(fast, plain) < 1e-10
    assert fast.correct == plain.correct


def test_fast_and_plain_agree_in_float32_up_to_rounding() -> None:
    config = small_config(epochs=1)
    examples = make_examples(config)
    fast, plain = train_fast(config, examples), train_plain(config, examples)
    assert distance(fast, plain) < 1e-4
    assert abs(fast.correct[0] - plain.correct[0]) <= 2


def test_training_changes_every_layer() -> None:
    config = small_config()
    examples = make_examples(config)
    one, two = (
        train_fast(small_config(epochs=epochs), examples).model.parameters() for epochs in (1, 2)
    )
    assert all(not torch.equal(a, b) for a, b in zip(one, two, strict=True))


def test_the_last_count_is_that_of_the_model_it_returns() -> None:
    config = small_config(epochs=3)
    examples = make_examples(config, dtype=torch.float64)
    trained = train_fast(config, examples)
    with torch.no_grad():
        answers = trained.model(examples.test_features).argmax(1)
    assert int((answers == examples.test_labels).sum()) == trained.correct[-1]


def test_it_learns_modular_addition() -> None:
    config = small_config(modulus=3, epochs=30)
    examples = make_examples(config)
    assert train_fast(config, examples).correct[-1] >= 0.95 * len(examples.test_labels)


def test_the_same_config_gives_the_same_bits() -> None:
    config = small_config(primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=100)
    one, other = (train_fast(config, make_examples(config)) for _ in range(2))
    assert distance(one, other) == 0
