import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier import PrimeBasis, encode
from primefourier.theory import alias_distance

BASIS = PrimeBasis((2, 3, 5, 7, 23), depth=3)


def test_it_is_the_distance_from_the_nearest_of_all_harmonics() -> None:
    for n in (2, 3, 15, 77, 231, 385, 1000):
        found = alias_distance(n, BASIS, input_range=500)
        harmonics = np.arange(1, n) / n
        for row, periods in zip(found, BASIS.periods, strict=True):
            for distance, period in zip(row, periods, strict=True):
                assert distance == pytest.approx(500 * np.abs(harmonics - 1 / period).min())


@given(st.integers(2, 10**6), st.integers(1, 10**6))
def test_it_is_zero_exactly_where_the_period_divides_the_modulus(n: int, r: int) -> None:
    found = alias_distance(n, BASIS, input_range=r)
    divides = [[n % period == 0 for period in row] for row in BASIS.periods]
    assert (found == 0).tolist() == divides


def test_a_block_and_its_harmonic_are_never_further_apart_than_it_says() -> None:
    a, n, r = np.arange(500), 231, 500
    basis = PrimeBasis((23,), depth=1)
    ((distance,),) = alias_distance(n, basis, input_range=r)
    turns = 10 * a / n  # the tenth harmonic, since 10 / 231 is near 1 / 23
    harmonic = np.stack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)], axis=-1)
    apart = np.linalg.norm(encode(a, basis, "float64")[:, 0, 0] - harmonic, axis=-1)
    assert apart.max() <= 2 * np.sin(np.pi * distance)
    assert apart.max() == pytest.approx(2 * np.sin(np.pi * distance), rel=0.01)


def test_large_periods_are_compared_exactly() -> None:
    huge = PrimeBasis((59,), depth=60)
    found = alias_distance(59**50, huge, input_range=100)[0]
    assert (found[:50] == 0).all()
    assert (found[50:] > 0).all()


def test_what_is_no_modulus_or_range_is_refused() -> None:
    with pytest.raises(ValueError, match="modulus"):
        alias_distance(1, BASIS, input_range=100)
    with pytest.raises(ValueError, match="input_range"):
        alias_distance(15, BASIS, input_range=0)
