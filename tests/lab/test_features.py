import math

import numpy as np
import pytest
import torch

from primefourier.lab.features import row_features, row_width
from primefourier.nn import ShuffledPrimeFourier
from small_models import small_config


def test_a_row_holds_both_operands_of_one_prime_at_every_depth() -> None:
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


def test_the_paper_has_rows_of_24() -> None:
    assert row_width(small_config(depth=6)) == 24


@pytest.mark.parametrize("unit", ["column", "pair", "block"])
def test_the_control_is_the_library_s_shuffle(unit: str) -> None:
    config = small_config(embedding=f"shuffled-{unit}", seed=7)
    pairs = np.array([[9, 17], [0, 29], [5, 5]])
    shuffled = ShuffledPrimeFourier(config.basis, unit=unit, operands=2, seed=7)  # type: ignore[arg-type]
    expected = shuffled(torch.from_numpy(pairs)).view(3, 3, 8)
    assert torch.equal(row_features(pairs, config), expected)


def test_shuffling_moves_features_and_keeps_them() -> None:
    pairs = np.array([[9, 17], [4, 2]])
    plain, shuffled = (
        row_features(pairs, small_config(embedding=name)) for name in ("pfe", "shuffled-column")
    )
    assert not torch.equal(plain, shuffled)
    assert torch.equal(plain.flatten(1).sort(1).values, shuffled.flatten(1).sort(1).values)
