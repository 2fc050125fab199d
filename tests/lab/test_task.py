"""The task, the rows that encode it, and the network that reads them."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from primefourier.lab.network import RowClassifier, new_model, row_features
from primefourier.lab.task import check_overlap, make_labels, make_task
from primefourier.nn import ShuffledPrimeFourier
from small_models import small_config

RULES: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}


@given(r=st.integers(2, 60), pairs=st.integers(2, 5000), seed=st.integers(0, 2**63 - 1))
def test_pairs_are_distinct_in_range_and_split_80_to_20(r: int, pairs: int, seed: int) -> None:
    task = make_task(small_config(input_range=r, pairs=pairs, seed=seed))
    both = np.concatenate([task.train_pairs, task.test_pairs])
    count = min(pairs, r * r)
    assert len(both) == count == len({(int(a), int(b)) for a, b in both})
    assert len(task.train_pairs) == count * 4 // 5
    assert both.min() >= 0
    assert both.max() < r


@pytest.mark.parametrize(("r", "sizes"), [(100, (8000, 2000)), (500, (64_000, 16_000))])
def test_sizes_are_those_of_the_paper(r: int, sizes: tuple[int, int]) -> None:
    task = make_task(small_config(input_range=r))
    assert (len(task.train_pairs), len(task.test_pairs)) == sizes


@pytest.mark.parametrize("operation", RULES)
@pytest.mark.parametrize("modulus", [2, 5, 77, 10**6])
def test_labels_equal_python_arithmetic(operation: str, modulus: int) -> None:
    config = small_config(operation=operation, modulus=modulus, input_range=2**31)
    task = make_task(config)
    expected = [RULES[operation](int(a), int(b)) % modulus for a, b in task.test_pairs]
    assert task.test_labels.tolist() == expected
    assert make_labels(task.train_pairs, config).tolist() == task.train_labels.tolist()


def test_pairs_depend_on_the_seed_and_not_on_the_modulus() -> None:
    three, five, other = (
        make_task(small_config(modulus=n, seed=seed)) for n, seed in ((3, 42), (5, 42), (3, 43))
    )
    assert np.array_equal(three.train_pairs, five.train_pairs)
    assert not np.array_equal(three.train_pairs, other.train_pairs)


def test_repeated_pairs_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"distinct.*1 repeated"):
        check_overlap(np.array([1, 2, 3]), np.array([3, 4]), small_config())


def test_a_row_contains_both_operands_of_one_prime_at_every_depth() -> None:
    config = small_config(primes=(3, 7), depth=2)
    features = row_features(np.array([[9, 17]]), config, dtype=torch.float64)
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
    assert small_config(depth=6).row_width == 24, "as in the paper"


@pytest.mark.parametrize("unit", ["column", "pair", "block"])
def test_the_control_permutes_the_features_like_the_module(unit: str) -> None:
    config = small_config(embedding=f"shuffled-{unit}", seed=7)
    pairs = np.array([[9, 17], [0, 29], [5, 5]])
    shuffled = ShuffledPrimeFourier(config.basis, unit=unit, operands=2, seed=7)  # type: ignore[arg-type]
    found = row_features(pairs, config)
    assert torch.equal(found, shuffled(torch.from_numpy(pairs)).view(3, 3, 8))
    plain = row_features(pairs, small_config())
    assert not torch.equal(plain, found)
    assert torch.equal(plain.flatten(1).sort(1).values, found.flatten(1).sort(1).values)


def test_the_network_is_the_papers() -> None:
    shapes = [tuple(p.shape) for p in RowClassifier(rows=8, width=24, classes=23).parameters()]
    assert shapes == [(64, 24), (64,), (32, 64), (32,), (128, 256), (128,), (23, 128), (23,)]
    model = RowClassifier(rows=2, width=4, classes=3)
    x = torch.randn(5, 2, 4)
    codes = model.encoder(x)
    assert torch.allclose(model.encoder(x.flip(1)), codes.flip(1)), "rows share the encoder"
    assert (codes >= 0).all(), "both layers end in a ReLU"
    joined = torch.cat([codes[:, 0], codes[:, 1]], dim=1)
    assert torch.allclose(model(x), model.classifier(joined))


def test_weights_depend_on_the_seed_only() -> None:
    torch.manual_seed(1)
    first = new_model(small_config())
    state = torch.get_rng_state()
    torch.manual_seed(2)
    second, other = new_model(small_config()), new_model(small_config(seed=43))
    double, seven = (
        new_model(small_config(), dtype=torch.float64),
        new_model(small_config(modulus=7)),
    )
    for a, b, c in zip(first.parameters(), second.parameters(), double.parameters(), strict=True):
        assert torch.equal(a, b)
        assert torch.equal(a.double(), c)
    encoders = (model.encoder.parameters() for model in (first, seven, other))
    for a, b, c in zip(*encoders, strict=True):
        assert torch.equal(a, b), "networks of one seed start with the same encoder"
        assert not torch.equal(a, c)
    torch.manual_seed(1)
    assert torch.equal(torch.get_rng_state(), state), "the global random state did not change"
