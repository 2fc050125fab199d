import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.analysis import noise_floor


@pytest.mark.parametrize(("test_size", "floor"), [(16_000, 0.011), (2_000, 0.032)])
def test_the_floors_of_the_paper(test_size: int, floor: float) -> None:
    assert round(noise_floor(test_size), 3) == floor


@given(st.integers(1, 10**9))
def test_four_times_the_test_pairs_halve_the_floor(test_size: int) -> None:
    assert noise_floor(test_size) == pytest.approx(math.sqrt(2 / test_size), rel=1e-15)
    assert noise_floor(4 * test_size) == pytest.approx(noise_floor(test_size) / 2, rel=1e-15)


def test_two_independent_coins_differ_by_more_in_one_of_twenty_cases() -> None:
    random = np.random.default_rng(0)
    n = 2_000
    difference = (random.binomial(n, 0.5, 100_000) - random.binomial(n, 0.5, 100_000)) / n
    assert np.mean(np.abs(difference) >= noise_floor(n)) == pytest.approx(0.0455, abs=0.004)


@pytest.mark.parametrize("test_size", [0, -5])
def test_no_test_pairs_are_refused(test_size: int) -> None:
    with pytest.raises(
        ValueError, match=f"test_size must be an integer of at least 1, got {test_size}"
    ):
        noise_floor(test_size)


def test_a_float_is_refused() -> None:
    with pytest.raises(TypeError, match="test_size must be an integer"):
        noise_floor(2000.0)  # type: ignore[arg-type]
