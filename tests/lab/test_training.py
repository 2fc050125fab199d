"""Both trainers: the same numbers, deterministic, observable, and able to learn."""

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector

from primefourier.lab.fast_training import Adam, train_fast
from primefourier.lab.training import Trained, epoch_orders, make_data, new_model, train_plain
from small_models import small_config

TRAINERS = {"fast": train_fast, "plain": train_plain}
CASES: list[dict[str, Any]] = [
    {},
    {"modulus": 3, "primes": (3,), "depth": 1},
    {"modulus": 77, "primes": (3, 5, 7, 11), "depth": 6},
    {"unit": "column", "operation": "multiply"},
    {"operation": "subtract", "seed": 7, "learning_rate": 0.01},
    {"batch_size": 720},  # one batch per epoch
    {"batch_size": 10**12},  # a batch larger than the data, and than any memory
    {"batch_size": None},
    {"batch_size": 719},  # a last batch of one pair
    {"batch_size": 1, "samples": 20},
]


def distance(one: Trained, other: Trained) -> float:
    """Return the largest difference between the weights of two networks."""
    a, b = (parameters_to_vector(t.model.parameters()).detach() for t in (one, other))
    return float((a - b).abs().max())


@pytest.mark.parametrize("changes", CASES, ids=str)
def test_fast_and_plain_training_agree(changes: dict[str, Any]) -> None:
    config = small_config(**changes)
    data = make_data(config, dtype=torch.float64)
    fast, plain = train_fast(config, data), train_plain(config, data)
    assert distance(fast, plain) < 1e-10
    assert fast.correct == plain.correct


def test_fast_and_plain_training_agree_in_float32_up_to_rounding() -> None:
    config = small_config(epochs=1)
    data = make_data(config)
    fast, plain = train_fast(config, data), train_plain(config, data)
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
    data = make_data(config)
    trained = TRAINERS[trainer](config, data)
    assert trained.correct[0] < 0.95 * len(data.test.labels) <= trained.correct[-1]


@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_observer_sees_the_network_before_training_and_after_each_epoch(trainer: str) -> None:
    config = small_config(epochs=4)
    data = make_data(config, dtype=torch.float64)
    seen: list[list[Tensor]] = []
    correct: list[int] = []

    def observe(model: nn.Module) -> None:
        seen.append([parameter.detach().clone() for parameter in model.parameters()])
        with torch.no_grad():
            answers = model(data.test.values).argmax(1)
        correct.append(int((answers == data.test.labels).sum()))

    trained = TRAINERS[trainer](config, data, observe=observe)
    assert len(seen) == 5
    assert all(map(torch.equal, seen[0], new_model(config, data).parameters()))
    assert all(map(torch.equal, seen[-1], trained.model.parameters()))
    for one, next_one in pairwise(seen):
        assert not any(map(torch.equal, one, next_one)), "every layer changes in every epoch"
    assert tuple(correct[1:]) == trained.correct
    assert all(isinstance(count, int) for count in trained.correct)
    assert len(set(correct)) > 2, "the network learned"


@pytest.mark.parametrize("trainer", TRAINERS)
def test_observing_changes_no_bit(trainer: str) -> None:
    config = small_config()
    data = make_data(config)

    def observe(model: nn.Module) -> None:
        with torch.enable_grad():
            x = data.test.values.clone().requires_grad_()
            torch.autograd.grad(model(x).sum(), x)

    before = torch.random.get_rng_state()
    alone = TRAINERS[trainer](config, data)
    assert torch.equal(torch.random.get_rng_state(), before), "nor any of the global random state"
    observed = TRAINERS[trainer](config, data, observe=observe)
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
