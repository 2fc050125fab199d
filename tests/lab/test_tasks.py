"""Tasks, the rows that encode them, and the networks that read them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from primefourier.lab import IntegerClassification, ModularArithmetic, Periods, Transformer
from primefourier.lab.modules import RowNetwork, join_operands, split_operands
from primefourier.lab.networks import Linear, Mlp, RowClassifier
from primefourier.lab.parts import InputShape
from primefourier.lab.training import embed_integers, make_data, new_model
from primefourier.nn import ShuffledPrimeFourier
from small_models import small_config

RULES: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}


@given(
    r=st.integers(2, 60),
    samples=st.integers(2, 5000),
    seed=st.integers(0, 2**63 - 1),
    operands=st.integers(2, 4),
)
def test_examples_are_distinct_in_range_and_split_80_to_20(
    r: int, samples: int, seed: int, operands: int
) -> None:
    task = ModularArithmetic(modulus=5, input_range=r, samples=samples, operands=operands)
    drawn = task.draw(seed)
    both = np.concatenate([drawn.train.inputs, drawn.test.inputs])
    count = min(samples, r**operands)
    assert both.shape == (count, operands)
    assert len({tuple(row) for row in both.tolist()}) == count
    assert len(drawn.train.inputs) == count * 4 // 5
    assert (len(drawn.train.labels), len(drawn.test.labels)) == task.sizes()
    assert both.min() >= 0
    assert both.max() < r


def test_many_operands_of_a_large_range_are_distinct_too() -> None:
    task = ModularArithmetic(modulus=5, input_range=2**31, samples=1000, operands=5)
    drawn = task.draw(0)
    both = np.concatenate([drawn.train.inputs, drawn.test.inputs])
    assert len({tuple(row) for row in both.tolist()}) == 1000
    assert both.max() > 2**30


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_the_share_of_test_examples_is_exact(share: float) -> None:
    task = ModularArithmetic(modulus=5, input_range=100, samples=1000, test_share=share)
    assert task.sizes() == (1000 - round(1000 * share), round(1000 * share))


@pytest.mark.parametrize("operation", RULES)
@pytest.mark.parametrize("modulus", [2, 5, 77, 10**6])
@pytest.mark.parametrize("operands", [2, 3])
def test_labels_equal_python_arithmetic(operation: Any, modulus: int, operands: int) -> None:
    task = ModularArithmetic(
        operation,
        modulus=modulus,
        input_range=2**31,
        operands=operands,
        samples=500,
        beyond=(10**18, 10**40),
        beyond_samples=50,
    )
    drawn = task.draw(3)
    for examples in (drawn.train, drawn.test, *drawn.beyond.values()):
        for row, label in zip(examples.inputs.tolist(), examples.labels.tolist(), strict=True):
            expected = row[0]
            for number in row[1:]:
                expected = RULES[operation](expected, number)
            assert label == expected % modulus


def test_test_sets_beyond_the_range_are_drawn_by_the_seed_between_half_and_whole() -> None:
    task = ModularArithmetic(modulus=7, input_range=50, beyond=(100, 10**18, 10**50))
    one, again, other = (task.draw(seed).beyond for seed in (1, 1, 2))
    assert list(one) == ["100", str(10**18), str(10**50)]
    assert task.beyond_sizes() == dict.fromkeys(one, 2000)
    for name, examples in one.items():
        assert examples.inputs.shape == (2000, 2)
        assert examples.inputs.min() >= int(name) // 2 >= 50
        assert examples.inputs.max() < int(name)
        assert (examples.inputs == again[name].inputs).all()
        assert (examples.inputs != other[name].inputs).any()
    plain = ModularArithmetic(modulus=7, input_range=50).draw(1)
    assert np.array_equal(plain.train.inputs, task.draw(1).train.inputs), "the others stay"


def test_the_examples_of_a_seed_stay_the_same() -> None:
    drawn = small_config(input_range=100).task.draw(42)
    assert drawn.train.inputs[:3].tolist() == [[29, 90], [30, 41], [37, 60]]


@dataclass(frozen=True, kw_only=True)
class CheckDigit(IntegerClassification):
    """The sum of decimal digits modulo 10, of integers of any size."""

    name: ClassVar[str] = "check-digit"
    version: ClassVar[int] = 1
    classes: ClassVar[int] = 10

    def label(self, inputs: Any) -> Any:
        return np.array([sum(map(int, str(a))) % 10 for a in inputs[:, 0]])


def test_any_labelling_of_one_integer_is_a_task() -> None:
    drawn = CheckDigit(input_range=1000, beyond=(10**30,)).draw(0)
    assert drawn.train.inputs.shape == (800, 1)
    assert set(drawn.train.labels) == set(range(10))
    for examples in (drawn.test, drawn.beyond[str(10**30)]):
        for (number,), label in zip(examples.inputs.tolist(), examples.labels, strict=True):
            assert label == sum(map(int, str(number))) % 10


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (lambda n: np.arange(n), r"must be 0 … 9, as it has 10 classes, got"),
        (lambda n: np.full(n, -1), r"must be 0 … 9, as it has 10 classes, got -1"),
        (lambda n: np.zeros((n, 1), int), r"one class for each of 800 examples.* \(800, 1\)"),
        (lambda n: np.zeros(n), "an integer, got shape .* of float64"),
    ],
)
def test_labels_that_are_not_classes_are_refused(labels: Any, message: str) -> None:
    class Wrong(CheckDigit):
        def label(self, inputs: Any) -> Any:
            return labels(len(inputs))

    with pytest.raises(ValueError, match=message):
        Wrong(input_range=1000).draw(0)


def test_a_row_contains_both_operands_of_one_prime_at_every_depth() -> None:
    config = small_config(primes=(3, 7), depth=2)
    features = embed_integers(np.array([[9, 17]]), config, dtype=torch.float64)
    expected = [
        [
            part(2 * math.pi * operand / p ** (d + 1))
            for d in range(2)
            for operand in (9, 17)
            for part in (math.cos, math.sin)
        ]
        for p in (3, 7)
    ]
    assert torch.allclose(features[0], torch.tensor(expected, dtype=torch.float64), atol=1e-15)
    assert make_data(small_config(depth=6)).test.values.shape[2] == 24, "as in the paper"


@pytest.mark.parametrize(("operands", "width"), [(1, 3), (2, 4), (3, 4), (2, 5)])
def test_operands_are_joined_row_by_row_and_split_again(operands: int, width: int) -> None:
    features = torch.arange(2.0 * operands * 3 * width).view(2, operands, 3, width)
    joined = join_operands(features)
    assert joined.shape == (2, 3, operands * width)
    assert torch.equal(split_operands(joined, operands), features)
    for row in range(3):
        assert set(joined[0, row].tolist()) == set(features[0, :, row].flatten().tolist())


@given(period=st.one_of(st.integers(2, 10**6), st.floats(1.5, 1e6)), number=st.integers(0, 10**30))
def test_circles_of_any_period_are_exact_for_integers_of_any_size(
    period: float, number: int
) -> None:
    cosine, sine = Periods((period,)).rows([number])[0, 0].double().tolist()
    numerator, denominator = float(period).as_integer_ratio()
    turn = number * denominator % numerator / numerator
    assert cosine == pytest.approx(math.cos(2 * math.pi * turn), abs=1e-6)
    assert sine == pytest.approx(math.sin(2 * math.pi * turn), abs=1e-6)


@pytest.mark.parametrize("unit", ["column", "pair", "block"])
def test_the_control_permutes_the_features_like_the_module(unit: str) -> None:
    config = small_config(unit=unit, seed=7)
    pairs = np.array([[9, 17], [0, 29], [5, 5]])
    shuffled = ShuffledPrimeFourier(config.embedding.basis, unit=unit, operands=2, seed=7)  # type: ignore[arg-type]
    found = embed_integers(pairs, config)
    assert torch.equal(found, shuffled(torch.from_numpy(pairs)).view(3, 3, 8))
    plain = embed_integers(pairs, small_config())
    assert not torch.equal(plain, found)
    assert torch.equal(plain.flatten(1).sort(1).values, found.flatten(1).sort(1).values)


@pytest.mark.parametrize(
    ("network", "parameters"),
    [
        (RowClassifier(), 9 * 64 + 65 * 32 + 97 * 128 + 129 * 5),
        (RowClassifier(encoder=(10, 6), classifier=7), 9 * 10 + 11 * 6 + 19 * 7 + 8 * 5),
        (Linear(), 25 * 5),
        (Mlp(hidden=(7, 6)), 25 * 7 + 8 * 6 + 7 * 5),
        (Mlp(hidden=()), 25 * 5),
    ],
)
def test_layer_widths_are_those_of_the_fields(network: Any, parameters: int) -> None:
    built = network.build(InputShape(3, 2, 4), 5)
    assert sum(p.numel() for p in built.parameters()) == parameters
    assert built(torch.zeros(9, 3, 8)).shape == (9, 5)


@pytest.mark.parametrize(("tokens", "count"), [("rows", 3), ("operands", 2)])
def test_the_tokens_of_a_transformer_are_rows_or_operands(tokens: Any, count: int) -> None:
    network = Transformer(tokens=tokens, width=8, heads=2).build(InputShape(3, 2, 4), 5)
    assert isinstance(network.positions, Tensor)
    assert network.positions.shape == (count, 8)
    x = torch.randn(6, 3, 8)
    assert network(x).shape == (6, 5)
    with torch.no_grad():
        network.positions.zero_()
        swapped = x.flip(1) if tokens == "rows" else join_operands(split_operands(x, 2).flip(1))
        assert torch.allclose(network(x), network(swapped), atol=1e-5), "tokens have no order"


def untrained(dtype: torch.dtype = torch.float32, **changes: Any) -> RowNetwork:
    config = small_config(**changes)
    model = new_model(config, make_data(config, dtype=dtype))
    assert isinstance(model, RowNetwork)
    return model


def test_weights_depend_on_the_seed_only() -> None:
    torch.manual_seed(1)
    first = untrained()
    state = torch.get_rng_state()
    torch.manual_seed(2)
    second, other = untrained(), untrained(seed=43)
    double, seven = untrained(dtype=torch.float64), untrained(modulus=7)
    for a, b, c in zip(first.parameters(), second.parameters(), double.parameters(), strict=True):
        assert torch.equal(a, b)
        assert torch.equal(a.double(), c)
    encoders = (model.encoder.parameters() for model in (first, seven, other))
    for a, b, c in zip(*encoders, strict=True):
        assert torch.equal(a, b), "networks of one seed start with the same encoder"
        assert not torch.equal(a, c)
    torch.manual_seed(1)
    assert torch.equal(torch.get_rng_state(), state), "the global random state did not change"


def test_the_network_is_the_papers() -> None:
    network = RowNetwork(RowClassifier(), InputShape(8, 2, 12), 23)
    shapes = [tuple(p.shape) for p in network.parameters()]
    assert shapes == [(64, 24), (64,), (32, 64), (32,), (128, 256), (128,), (23, 128), (23,)]
    model = RowNetwork(RowClassifier(), InputShape(2, 2, 2), 3)
    x = torch.randn(5, 2, 4)
    codes = model.encoder(x)
    assert torch.allclose(model.encoder(x.flip(1)), codes.flip(1)), "rows share the encoder"
    assert (codes >= 0).all(), "both layers end in a ReLU"
    joined = torch.cat([codes[:, 0], codes[:, 1]], dim=1)
    assert torch.allclose(model(x), model.classifier(joined))
