import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.encoding.fast import FINE_GRID, LARGEST_PERIOD, FastEncoder
from primefourier.encoding.phase import machine_codes
from ulps import worst_ulps


def encode_one(residue: int, period: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    out = np.empty((1, 1, 1), dtype=np.complex64)
    FastEncoder(np.array([[period]]), count=1).encode(np.array([residue]), out)
    return out.view(np.float32).reshape(2)


@st.composite
def hard_cases(draw: st.DrawFn) -> tuple[int, int]:
    """Draw fractions of a turn near the ends of a grid cell and near quarter turns."""
    period = draw(st.integers(2, LARGEST_PERIOD))
    cell = draw(st.one_of(st.sampled_from([0, 1, 2, 3]), st.integers(0, FINE_GRID)))
    quarter = draw(st.integers(0, 3)) * FINE_GRID // 4
    half = draw(st.sampled_from([0, 1]))
    near = (2 * (quarter + cell) + half) * period // (2 * FINE_GRID)
    return (near + draw(st.integers(-2, 2))) % period, period


@given(hard_cases())
def test_float32_codes_are_within_0_8_ulp(case: tuple[int, int]) -> None:
    assert worst_ulps(encode_one(*case), *case) <= 0.8


@pytest.mark.parametrize("depth", [1, 4])
def test_it_agrees_with_the_readable_way(depth: int) -> None:
    periods = np.array([[p ** (d + 1) for d in range(depth)] for p in (2, 3, 101)])
    count = 40_000  # more than one block and several rounds
    numbers = np.random.default_rng(0).integers(-(2**62), 2**62, count)
    out = np.empty((count, 3, depth), dtype=np.complex64)
    FastEncoder(periods, count).encode(numbers, out)
    cosine, sine = machine_codes(numbers[:, None, None] % periods, periods)
    np.testing.assert_allclose(out.real, cosine, rtol=2**-23, atol=1e-30)
    np.testing.assert_allclose(out.imag, sine, rtol=2**-23, atol=1e-30)
