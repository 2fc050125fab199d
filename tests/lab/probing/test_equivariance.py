"""Networks that are known to be equivariant, or not at all, and what a watch says of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from primefourier import decode, encode
from primefourier.lab.config import ModelConfig
from primefourier.lab.features import row_features
from primefourier.lab.model import RowClassifier, new_model
from primefourier.lab.probing.equivariance import (
    SHIFTED,
    EquivarianceWatch,
    Shifts,
    follow_shifts,
    gradient_moment,
    make_shifts,
    relevant_share,
)
from primefourier.lab.task import make_task
from primefourier.lab.training import make_examples
from primefourier.theory import off_block_energy, zero_training_logits
from small_models import small_config

ANSWERS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}


def network(answer: Callable[[Tensor], Tensor]) -> RowClassifier:
    """Return a network that computes its logits in any way from features (n, P, D, 2, 2)."""

    class Network(nn.Module):
        def forward(self, features: Tensor) -> Tensor:
            return answer(features.unflatten(2, (-1, 2, 2)))

    return cast(RowClassifier, Network())


def sees_through(config: ModelConfig, operation: str) -> RowClassifier:
    """Return a network that reads the integers off their codes, and has 1 at the right logit."""

    def answer(x: Tensor) -> Tensor:
        a, b = (decode(x[:, :, :, i], config.basis).value for i in range(2))
        right = ANSWERS[operation](a, b) % config.modulus
        return nn.functional.one_hot(torch.from_numpy(right), config.modulus).double()

    return network(answer)


def by_theory(config: ModelConfig, power: int = 1) -> RowClassifier:
    """Return the equivariant network without training for sums; a power of it is not linear."""

    def answer(x: Tensor) -> Tensor:
        logits = torch.zeros(len(x), config.modulus, dtype=torch.float64)
        places = torch.arange(config.modulus, dtype=torch.float64)
        for row, p in enumerate(config.primes):
            for d in range(config.depth):
                if config.modulus % p ** (d + 1) == 0:
                    a, b = (torch.view_as_complex(x[:, row, d, i].contiguous()) for i in range(2))
                    turns = torch.exp(-2j * torch.pi * places / p ** (d + 1))
                    logits = logits + ((a * b)[:, None] * turns).real
        return logits**power

    return network(answer)


def shifts_of(config: ModelConfig) -> Shifts:
    return make_shifts(config, dtype=torch.float64, device=torch.device("cpu"))


@pytest.mark.parametrize("operation", ANSWERS)
def test_a_network_that_is_always_right_follows_every_shift(operation: Any) -> None:
    config = small_config(operation=operation, modulus=12)
    assert follow_shifts(sees_through(config, operation), shifts_of(config)) == (0, 0.0)


def test_sums_do_not_follow_the_shifts_of_products() -> None:
    config = small_config(operation="multiply", modulus=11)
    apart, error = follow_shifts(sees_through(config, "add"), shifts_of(config))
    assert apart > 100
    assert error > 0.8


@pytest.mark.parametrize("operation", ANSWERS)
def test_operands_below_r_are_exchanged_and_the_label_moves_with_them(operation: Any) -> None:
    config = small_config(operation=operation, modulus=11)
    shifts, task = shifts_of(config), make_task(config)
    before, after = (
        [decode(x.unflatten(2, (-1, 2, 2))[:, :, :, i], config.basis).value for i in range(2)]
        for x in (shifts.features, shifts.exchanged)
    )
    assert np.array_equal(np.stack(before, 1), task.test_pairs)
    assert np.array_equal(after[1], before[1])
    assert after[0].max() < config.input_range
    assert (after[0] != before[0]).mean() > 0.8
    right = (ANSWERS[operation](*after) - ANSWERS[operation](*before)) % config.modulus
    assert shifts.moves.tolist() == right.tolist()


def test_of_many_test_pairs_the_first_are_exchanged() -> None:
    config = small_config(input_range=160, primes=(5,), depth=1)
    shifts = shifts_of(config)
    assert len(make_task(config).test_labels) > SHIFTED == len(shifts.moves)
    assert shifts.features.shape == shifts.exchanged.shape == (SHIFTED, 1, 4)


def test_the_network_without_training_is_equivariant() -> None:
    config = small_config(modulus=45, primes=(3, 5, 7))
    shifts, pairs = shifts_of(config), make_task(config).test_pairs
    a, b = (encode(pairs[:, i], config.basis, "float64") for i in range(2))
    expected = torch.from_numpy(zero_training_logits(a, b, 45, config.basis))
    torch.testing.assert_close(by_theory(config)(shifts.features), expected)
    for power in (1, 3):
        apart, error = follow_shifts(by_theory(config, power), shifts)
        assert apart == 0
        assert error < 1e-12


def test_a_constant_added_to_all_logits_changes_nothing() -> None:
    config = small_config()
    model, shifts = new_model(config, dtype=torch.float64), shifts_of(config)
    moved = network(lambda x: model(x.flatten(2)) + 1000 * x[:, :1, 0, 0, 0])
    assert follow_shifts(moved, shifts) == pytest.approx(follow_shifts(model, shifts), abs=1e-9)


def test_logits_that_have_nothing_to_do_with_each_other_are_at_distance_1() -> None:
    config = small_config(modulus=50)
    generator = torch.Generator().manual_seed(0)
    drawn = network(lambda x: torch.randn(len(x), 50, generator=generator))
    apart, error = follow_shifts(drawn, shifts_of(config))
    assert apart > 160
    assert error == pytest.approx(1, abs=0.03)


def test_logits_that_are_all_the_same_follow_anything() -> None:
    assert (
        follow_shifts(network(lambda x: torch.ones(len(x), 5)), shifts_of(small_config()))[1] == 0
    )


def jacobians(model: RowClassifier, features: Tensor, config: ModelConfig) -> Tensor:
    """Return, for each pair, the derivatives of its centred logits by the code of a: (n, N, dim).

    Codes are laid out as ``encode`` lays them out, channel by channel.
    """
    found = []
    for x in features:
        (j,) = torch.autograd.functional.jacobian(lambda one: model(one[None]), x)
        first = torch.stack(
            [
                j[:, config.primes.index(p), 4 * d + i]
                for p, d in config.basis.channels
                for i in range(2)
            ],
            dim=1,
        )
        found.append(first - first.mean(0))
    return torch.stack(found)


def test_the_moment_is_that_of_the_exact_jacobians_and_on_average_their_product() -> None:
    config = small_config()
    model = new_model(config, dtype=torch.float64)
    features, rounds = shifts_of(config).features[:20], 40
    exact = jacobians(model, features, config)
    expected = torch.einsum("nci,ncj->ij", exact, exact) / 20
    total = torch.zeros_like(expected)
    for seed in range(rounds):
        drawn = np.random.default_rng(seed).standard_normal((20, config.modulus))
        gradient = torch.einsum("nci,nc->ni", exact, torch.from_numpy(drawn))
        found = gradient_moment(model, features, replace(config, seed=seed))
        torch.testing.assert_close(found, gradient.t() @ gradient / 20)
        total += found / rounds
    sampling_error = float(expected.trace()) / (20 * rounds) ** 0.5
    assert float((total - expected).norm()) < 2 * sampling_error < float(expected.norm()) / 3


def test_the_moment_leaves_the_network_and_its_inputs_alone() -> None:
    config = small_config()
    model, features = new_model(config), make_examples(config).test_features
    before = features.clone()
    with torch.no_grad():
        moment = gradient_moment(model, features, config)
    assert moment.dtype == torch.float64
    assert not moment.requires_grad
    assert torch.equal(features, before)
    assert not features.requires_grad
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.parametrize("operand", [0, 1])
def test_what_is_read_of_the_first_operand_alone_stands_at_its_channel(operand: int) -> None:
    config = small_config()
    weights = torch.randn(2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    features = shifts_of(config).features
    for i, (p, d) in enumerate(config.basis.channels):
        row = config.primes.index(p)

        def read(x: Tensor, row: int = row, d: int = d) -> Tensor:
            return x[:, row, d, operand] @ weights

        moment = gradient_moment(network(read), features, config)
        places = torch.zeros(config.basis.dim, dtype=torch.bool)
        places[2 * i : 2 * i + 2] = operand == 0
        assert torch.equal(moment != 0, places[:, None] & places)


def test_an_equivariant_network_couples_no_blocks_over_the_whole_group() -> None:
    config = small_config(modulus=15, primes=(3, 5), depth=1)
    pairs = np.stack(np.divmod(np.arange(225), 15), axis=1)
    whole = row_features(pairs, config, dtype=torch.float64)
    part = row_features(pairs[pairs.sum(1) < 5], config, dtype=torch.float64)

    def energy(power: int, features: Tensor) -> float:
        model = by_theory(config, power)
        moments = [
            gradient_moment(model, features, replace(config, seed=seed)) for seed in range(40)
        ]
        return off_block_energy(torch.stack(moments).mean(0), config.basis)

    drawn = 4 / (225 * 40)  # what the random combinations of logits add, on average at most
    assert energy(1, whole) < 3 * drawn
    assert energy(3, whole) < 3 * drawn
    assert energy(3, part) > 0.01, "only the mean over the group commutes with it"


def test_a_network_that_reads_relevant_channels_alone_has_its_whole_gradient_there() -> None:
    config = small_config(modulus=45)
    features = shifts_of(config).features
    assert config.basis.channels[:3] == ((3, 0), (3, 1), (5, 0))
    reads_relevant = gradient_moment(by_theory(config), features, config)
    assert relevant_share(reads_relevant, config) == 1
    assert relevant_share(reads_relevant, replace(config, modulus=7)) == 0
    reads_all = torch.diag(torch.arange(12.0))
    assert relevant_share(reads_all, config) == (0 + 1 + 2 + 3 + 4 + 5) / 66
    assert relevant_share(torch.zeros(12, 12), config) == 0


def test_a_watch_notes_what_it_sees_each_time_it_looks() -> None:
    config = small_config(modulus=45)
    watch = EquivarianceWatch.of(config, make_examples(config, dtype=torch.float64))
    watch.look(by_theory(config))
    model = new_model(config, dtype=torch.float64)
    watch.look(model)
    apart, error = follow_shifts(model, watch.shifts)
    moment = gradient_moment(model, watch.shifts.features, config)
    outside, share = off_block_energy(moment, config.basis), relevant_share(moment, config)
    assert watch.answers_apart == [0, apart]
    assert watch.shift_error == [pytest.approx(0, abs=1e-12), pytest.approx(error, rel=1e-5)]
    assert watch.off_block_energy[1] == pytest.approx(outside, rel=1e-5)
    assert watch.relevant_share == [1, pytest.approx(share, rel=1e-5)]
    assert 0.2 < watch.relevant_share[1] < 0.8
    assert len(repr(watch.shift_error[1])) <= 8, "digits that mean nothing are not kept"


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_network_whose_weights_ran_away_is_related_to_nothing(value: float) -> None:
    config = small_config()
    watch = EquivarianceWatch.of(config, make_examples(config))
    model = new_model(config)
    *_, weight, _ = model.parameters()
    weight.data.fill_(value)
    watch.look(model)
    assert (watch.shift_error, watch.off_block_energy, watch.relevant_share) == ([1], [1], [0])
