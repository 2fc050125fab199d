"""Both trainers: the same numbers, deterministic, observable, and able to learn."""

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from primefourier.lab.fast_training import Adam, train_fast
from primefourier.lab.measurement import TRAINERS
from primefourier.lab.network import RowClassifier, new_model
from primefourier.lab.task import make_task
from primefourier.lab.training import Trained, epoch_orders, make_examples, train_plain
from small_models import small_config

CASES: list[dict[str, Any]] = [
    {},
    {"modulus": 3, "primes": (3,), "depth": 1},
    {"modulus": 77, "primes": (3, 5, 7, 11), "depth": 6},
    {"embedding": "shuffled-column", "operation": "multiply"},
    {"operation": "subtract", "seed": 7, "learning_rate": 0.01},
    {"batch_size": 720},  # one batch per epoch
    {"batch_size": 10**12},  # a batch larger than the data, and than any memory
    {"batch_size": 719},  # a last batch of one pair
    {"batch_size": 1, "pairs": 20},
]


def distance(one: Trained, other: Trained) -> float:
    """Return the largest difference between the weights of two networks."""
    a, b = (parameters_to_vector(t.model.parameters()).detach() for t in (one, other))
    return float((a - b).abs().max())


@pytest.mark.parametrize("changes", CASES, ids=str)
def test_fast_and_plain_training_agree(changes: dict[str, Any]) -> None:
    config = small_config(**changes)
    examples = make_examples(config, dtype=torch.float64)
    fast, plain = train_fast(config, examples), train_plain(config, examples)
    assert distance(fast, plain) < 1e-10
    assert fast.correct == plain.correct


def test_fast_and_plain_training_agree_in_float32_up_to_rounding() -> None:
    config = small_config(epochs=1)
    examples = make_examples(config)
    fast, plain = train_fast(config, examples), train_plain(config, examples)
    assert distance(fast, plain) < 1e-4
    assert abs(fast.correct[0] - plain.correct[0]) <= 2


def test_adam_equals_that_of_torch() -> None:
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(50, generator=generator, dtype=torch.float64)
    weights, grad = start.clone(), torch.empty(50, dtype=torch.float64)
    parameter = torch.nn.Parameter(start.clone())
    ours = Adam(weights, grad, learning_rate=3e-3)
    theirs = torch.optim.Adam([parameter], lr=3e-3)
    for step in range(200):
        drawn = torch.randn(50, generator=generator, dtype=torch.float64) * 10.0 ** -(step % 9)
        grad.copy_(drawn)
        parameter.grad = drawn.clone()
        ours.step()
        theirs.step()
    assert torch.allclose(weights, parameter.detach(), rtol=1e-12, atol=1e-14)
    assert not torch.allclose(weights, start, atol=1e-2)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_network_learns_modular_addition(trainer: str) -> None:
    config = small_config(modulus=3, epochs=30)
    examples = make_examples(config)
    trained = TRAINERS[trainer](config, examples)
    assert trained.correct[0] < 0.95 * len(examples.test_labels) <= trained.correct[-1]


def test_the_same_config_gives_the_same_bits() -> None:
    config = small_config(primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=100)
    one, other = (train_fast(config, make_examples(config)) for _ in range(2))
    assert distance(one, other) == 0


@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_observer_sees_the_network_before_training_and_after_each_epoch(trainer: str) -> None:
    config = small_config(epochs=4)
    examples = make_examples(config, dtype=torch.float64)
    seen: list[list[Tensor]] = []
    correct: list[int] = []

    def observe(model: RowClassifier) -> None:
        seen.append([parameter.detach().clone() for parameter in model.parameters()])
        with torch.no_grad():
            answers = model(examples.test_features).argmax(1)
        correct.append(int((answers == examples.test_labels).sum()))

    trained = TRAINERS[trainer](config, examples, observe=observe)
    assert len(seen) == 5
    assert all(map(torch.equal, seen[0], new_model(config, dtype=torch.float64).parameters()))
    assert all(map(torch.equal, seen[-1], trained.model.parameters()))
    for one, next_one in pairwise(seen):
        assert not any(map(torch.equal, one, next_one)), "every layer changes in every epoch"
    assert tuple(correct[1:]) == trained.correct
    assert all(isinstance(count, int) for count in trained.correct)
    assert len(set(correct)) > 2, "the network learned"


@pytest.mark.parametrize("trainer", TRAINERS)
def test_observing_changes_no_bit(trainer: str) -> None:
    config = small_config()
    examples = make_examples(config)

    def observe(model: RowClassifier) -> None:
        with torch.enable_grad():
            x = examples.test_features.clone().requires_grad_()
            torch.autograd.grad(model(x).sum(), x)

    alone = TRAINERS[trainer](config, examples)
    observed = TRAINERS[trainer](config, examples, observe=observe)
    assert alone.correct == observed.correct
    assert distance(alone, observed) == 0


def test_every_epoch_has_a_new_order_that_depends_on_the_seed_only() -> None:
    first, second, other, large = (
        list(epoch_orders(small_config(seed=seed, modulus=n, epochs=4), 100))
        for seed, n in ((1, 3), (1, 5), (2, 3), (2**63 - 1, 3))
    )
    assert len(first) == len(large) == 4
    for order in first:
        assert torch.equal(order.sort().values, torch.arange(100))
    assert not torch.equal(first[0], first[1])
    assert torch.equal(first[1], second[1])
    assert not torch.equal(first[1], other[1])


def test_examples_are_the_encoded_task() -> None:
    config = small_config()
    examples, task = make_examples(config, dtype=torch.float64), make_task(config)
    assert examples.train_features.shape == (720, 3, 8)
    assert examples.test_features.dtype == torch.float64
    assert examples.train_labels.tolist() == task.train_labels.tolist()
    assert examples.test_labels.tolist() == task.test_labels.tolist()
    turns = 2 * torch.pi * torch.from_numpy(task.test_pairs).double() / 5
    assert torch.allclose(examples.test_features[:, 1, [0, 2]], turns.cos(), atol=1e-12)
    assert examples.device == torch.device("cpu")
