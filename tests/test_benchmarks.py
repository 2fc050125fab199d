"""The opponents of the benchmarks compute what we compute; how fast they are is not tested."""

import numpy as np
import pytest
import torch
from torch.nn.utils import parameters_to_vector

import primefourier as pf
from benchmarks import by_hand
from benchmarks.encoding import SMALL, encoders, exact_codes, largest_errors, tables
from benchmarks.rounds import Spread, Times
from primefourier.lab.training import epoch_orders, make_data, new_model, train_plain
from small_models import small_config

NUMBERS = np.random.default_rng(2).integers(-(2**62), 2**62, 1000)


@pytest.mark.parametrize("basis", [pf.PAPER_BASIS, SMALL], ids=["paper", "small"])
def test_codes_by_hand_are_right_to_the_precision_of_their_sines(basis: pf.PrimeBasis) -> None:
    for name, encode in encoders(basis, 1).items():
        difference = np.abs(encode(NUMBERS) - pf.encode(NUMBERS, basis, "float64")).max()
        assert difference < (2e-7 if name.endswith("float32") else 5e-8), name


def test_tables_hold_the_codes_of_encode() -> None:
    numbers = np.arange(100)
    for look_up in tables(SMALL, 100).values():
        assert np.array_equal(look_up(numbers), pf.encode(numbers, SMALL, flat=True))


def test_errors_are_measured_against_true_values() -> None:
    numbers = np.array([0, 1, -(10**15)])
    assert np.abs(exact_codes(numbers, SMALL) - pf.encode(numbers, SMALL, "float64")).max() < 2e-16
    ours, wrong = largest_errors(
        {"ours": lambda x: pf.encode(x, SMALL), "wrong": lambda x: pf.encode(x + 1, SMALL)}, SMALL
    ).values()
    assert ours[0] < 0.8
    assert wrong[1] > 1


@pytest.mark.parametrize("basis", [pf.PAPER_BASIS, SMALL], ids=["paper", "small"])
def test_decoding_by_hand_finds_the_integers(basis: pf.PrimeBasis) -> None:
    numbers = [basis.range * k // 101 for k in range(101)]
    decoder = by_hand.Decoder(basis)
    assert decoder(pf.encode(numbers, basis)).tolist() == numbers
    assert decoder(pf.encode(numbers[7], basis)) == numbers[7]


def test_the_loop_by_hand_trains_the_same_network() -> None:
    config = small_config(epochs=2)
    data = make_data(config, dtype=torch.float64)
    model = new_model(config, data)
    correct = by_hand.train(
        model,
        data.train,
        data.test,
        orders=epoch_orders(config, len(data.train.labels)),
        batch_size=config.training.batch_size,
        learning_rate=config.training.learning_rate,
    )
    ours = train_plain(config, data)
    assert tuple(correct) == ours.correct
    weights, other = (parameters_to_vector(m.parameters()) for m in (model, ours.model))
    assert torch.allclose(weights, other, atol=1e-10)


def test_ratios_are_of_the_same_round() -> None:
    one, other = Times((2.0, 8.0, 3.0), (1.0, 1.0, 1.0)), Times((1.0, 2.0, 3.0), (2.0, 2.0, 2.0))
    assert one.cpu_ratio(other) == Spread(2, 1, 4)
    assert str(one.wall_ratio(other) * 300) == "150 (150 to 150)"
