"""Networks that are exactly equivariant, or not at all, and what the probe measures of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lab_records import with_fields
from primefourier import decode, encode
from primefourier.lab.config import ModelConfig
from primefourier.lab.fast_training import train_fast
from primefourier.lab.modules import RowNetwork
from primefourier.lab.network_probe import (
    SHIFTED,
    EquivarianceProbe,
    Shifts,
    gradient_moment,
    make_shifts,
    measure_shifts,
    probe_network,
    relevant_share,
)
from primefourier.lab.probe import KINDS
from primefourier.lab.row_ablation import ablate_blocks, ablate_rows
from primefourier.lab.tasks import Samples
from primefourier.lab.training import make_data, new_model, read_integers
from primefourier.theory import exact_sum_logits, off_block_energy
from small_models import small_config

ANSWERS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}


def network(answer: Callable[[Tensor], Tensor]) -> RowNetwork:
    """Return a network that computes logits from features of shape (n, P, D, 2, 2)."""

    class Network(nn.Module):
        def forward(self, features: Tensor) -> Tensor:
            return answer(features.unflatten(2, (-1, 2, 2)))

    return cast(RowNetwork, Network())


def decoding_network(config: ModelConfig, operation: str) -> RowNetwork:
    """Return a network that decodes the integers and has a 1 at the correct logit."""

    def answer(x: Tensor) -> Tensor:
        a, b = (decode(x[:, :, :, i], config.embedding.basis).value for i in range(2))
        right = ANSWERS[operation](a, b) % config.task.modulus
        return nn.functional.one_hot(torch.from_numpy(right), config.task.modulus).double()

    return network(answer)


def exact_network(config: ModelConfig, power: int = 1) -> RowNetwork:
    """Return the exact network for sums; a power of its logits is not linear."""

    def answer(x: Tensor) -> Tensor:
        logits = torch.zeros(len(x), config.task.modulus, dtype=torch.float64)
        places = torch.arange(config.task.modulus, dtype=torch.float64)
        for row, p in enumerate(config.embedding.primes):
            for d in range(config.embedding.depth):
                if config.task.modulus % p ** (d + 1) == 0:
                    a, b = (torch.view_as_complex(x[:, row, d, i].contiguous()) for i in range(2))
                    turns = torch.exp(-2j * torch.pi * places / p ** (d + 1))
                    logits = logits + ((a * b)[:, None] * turns).real
        return logits**power

    return network(answer)


def drawn(config: ModelConfig) -> Samples:
    samples: Samples = config.task.draw(config.seed)
    return samples


def untrained(config: ModelConfig, dtype: torch.dtype = torch.float32) -> RowNetwork:
    return cast(RowNetwork, new_model(config, make_data(config, dtype=dtype)))


def shifts_of(config: ModelConfig) -> Shifts:
    return make_shifts(config, dtype=torch.float64, device=torch.device("cpu"))


@pytest.mark.parametrize("operation", ANSWERS)
def test_a_correct_network_follows_every_shift(operation: Any) -> None:
    config = small_config(operation=operation, modulus=12)
    assert measure_shifts(decoding_network(config, operation), shifts_of(config)) == (0, 0.0)


@pytest.mark.parametrize("operation", ANSWERS)
def test_first_operands_are_shifted_below_r_and_labels_move_with_them(operation: Any) -> None:
    config = small_config(operation=operation, modulus=11)
    shifts, task = shifts_of(config), drawn(config)
    before, after = (
        [
            decode(x.unflatten(2, (-1, 2, 2))[:, :, :, i], config.embedding.basis).value
            for i in range(2)
        ]
        for x in (shifts.features, shifts.shifted)
    )
    assert np.array_equal(np.stack(before, 1), task.test.inputs)
    assert np.array_equal(after[1], before[1])
    assert after[0].max() < config.task.input_range
    assert (after[0] != before[0]).mean() > 0.8
    right = (ANSWERS[operation](*after) - ANSWERS[operation](*before)) % config.task.modulus
    assert shifts.moves.tolist() == right.tolist()


def test_at_most_4000_test_pairs_are_shifted() -> None:
    config = small_config(input_range=160, primes=(5,), depth=1)
    shifts = shifts_of(config)
    assert len(drawn(config).test.labels) > SHIFTED == len(shifts.moves)
    assert shifts.features.shape == shifts.shifted.shape == (SHIFTED, 1, 4)


def test_the_exact_network_is_equivariant() -> None:
    config = small_config(modulus=45, primes=(3, 5, 7))
    shifts, pairs = shifts_of(config), drawn(config).test.inputs
    a, b = (encode(pairs[:, i], config.embedding.basis, "float64") for i in range(2))
    expected = torch.from_numpy(exact_sum_logits(a, b, 45, config.embedding.basis))
    torch.testing.assert_close(exact_network(config)(shifts.features), expected)
    for power in (1, 3):
        violations, error = measure_shifts(exact_network(config, power), shifts)
        assert violations == 0
        assert error < 1e-12


def test_unrelated_logits_have_error_1_and_equal_logits_have_error_0() -> None:
    config = small_config(modulus=50)
    generator = torch.Generator().manual_seed(0)
    drawn = network(lambda x: torch.randn(len(x), 50, generator=generator))
    violations, error = measure_shifts(drawn, shifts_of(config))
    assert violations > 160
    assert error == pytest.approx(1, abs=0.03)
    equal = network(lambda x: torch.ones(len(x), 50))
    assert measure_shifts(equal, shifts_of(config))[1] == 0


@pytest.mark.parametrize("operand", [0, 1])
def test_the_moment_shows_the_channels_read_of_the_first_operand(operand: int) -> None:
    config = small_config()
    weights = torch.randn(2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    features = shifts_of(config).features
    for i, (p, d) in enumerate(config.embedding.basis.channels):
        row = config.embedding.primes.index(p)

        def read(x: Tensor, row: int = row, d: int = d) -> Tensor:
            return x[:, row, d, operand] @ weights

        moment = gradient_moment(network(read), features, config)
        places = torch.zeros(config.embedding.basis.dim, dtype=torch.bool)
        places[2 * i : 2 * i + 2] = operand == 0
        assert torch.equal(moment != 0, places[:, None] & places)


def test_an_equivariant_network_couples_no_blocks_over_the_whole_group() -> None:
    config = small_config(modulus=15, primes=(3, 5), depth=1)
    pairs = np.stack(np.divmod(np.arange(225), 15), axis=1)
    whole = read_integers(pairs, config, dtype=torch.float64)
    part = read_integers(pairs[pairs.sum(1) < 5], config, dtype=torch.float64)

    def energy(power: int, features: Tensor) -> float:
        model = exact_network(config, power)
        moments = [
            gradient_moment(model, features, replace(config, seed=seed)) for seed in range(40)
        ]
        return off_block_energy(torch.stack(moments).mean(0), config.embedding.basis)

    drawn = 4 / (225 * 40)  # the largest mean error of random combinations of logits
    assert energy(1, whole) < 3 * drawn
    assert energy(3, whole) < 3 * drawn
    assert energy(3, part) > 0.01, "only the mean over the group commutes with it"


def test_the_relevant_share_is_that_of_the_relevant_channels() -> None:
    config = small_config(modulus=45)
    features = shifts_of(config).features
    assert config.embedding.basis.channels[:3] == ((3, 0), (3, 1), (5, 0))
    reads_relevant = gradient_moment(exact_network(config), features, config)
    assert relevant_share(reads_relevant, config) == 1
    assert relevant_share(reads_relevant, with_fields(config, modulus=7)) == 0
    reads_all = torch.diag(torch.arange(12.0))
    assert relevant_share(reads_all, config) == (0 + 1 + 2 + 3 + 4 + 5) / 66
    assert relevant_share(torch.zeros(12, 12), config) is None


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_diverged_network_has_no_values(value: float) -> None:
    config = small_config()
    observed = EquivarianceProbe(config, make_data(config))
    model = untrained(config)
    *_, weight, _ = model.parameters()
    weight.data.fill_(value)
    observed.observe(model)
    assert observed.found == [(None, None, None, None)]


def test_a_probe_contains_every_ablation_and_the_observations() -> None:
    config = small_config(epochs=4)
    examples = make_data(config, dtype=torch.float64)
    x, y = examples.test.values, examples.test.labels
    observed = EquivarianceProbe(config, examples)
    model = cast(RowNetwork, train_fast(config, examples, observe=observed.observe).model)
    probe = probe_network(config, model, examples, observed)
    probe.require_shape(rows=3, depth=2, epochs=4)
    assert (probe.test_size, probe.shifted_size) == (180, 180)
    for kind in KINDS:
        for ablated, found in ((ablate_rows, probe.rows), (ablate_blocks, probe.blocks)):
            assert found[kind] == ablated(model, x, y, batch_size=64, kind=kind, seed=42)
    violations, error = measure_shifts(model, observed.shifts)
    moment = gradient_moment(model, observed.shifts.features, config)
    outside = off_block_energy(moment, config.embedding.basis)
    assert probe.shift_violations[-1] == violations
    assert probe.shift_error[-1] == pytest.approx(error, rel=1e-5)
    assert probe.off_block_energy[-1] == pytest.approx(outside, rel=1e-5)
    assert probe.relevant_share[-1] == pytest.approx(relevant_share(moment, config), rel=1e-5)
    assert len(repr(probe.shift_error[-1])) <= 8, "values have six digits"


def jacobians(model: RowNetwork, features: Tensor, config: ModelConfig) -> Tensor:
    """Return, for each pair, the derivatives of its centred logits by the code of a: (n, N, dim).

    Codes are laid out as ``encode`` lays them out, channel by channel.
    """
    found = []
    for x in features:
        (j,) = torch.autograd.functional.jacobian(lambda one: model(one[None]), x)
        first = torch.stack(
            [
                j[:, config.embedding.primes.index(p), 4 * d + i]
                for p, d in config.embedding.basis.channels
                for i in range(2)
            ],
            dim=1,
        )
        found.append(first - first.mean(0))
    return torch.stack(found)


def test_the_moment_equals_that_of_exact_jacobians() -> None:
    config = small_config()
    model = untrained(config, torch.float64)
    features, rounds = shifts_of(config).features[:20], 40
    exact = jacobians(model, features, config)
    expected = torch.einsum("nci,ncj->ij", exact, exact) / 20
    total = torch.zeros_like(expected)
    for seed in range(rounds):
        drawn = np.random.default_rng(seed).standard_normal((20, config.task.modulus))
        gradient = torch.einsum("nci,nc->ni", exact, torch.from_numpy(drawn))
        found = gradient_moment(model, features, replace(config, seed=seed))
        torch.testing.assert_close(found, gradient.t() @ gradient / 20)
        total += found / rounds
    sampling_error = float(expected.trace()) / (20 * rounds) ** 0.5
    assert float((total - expected).norm()) < 2 * sampling_error < float(expected.norm()) / 3
