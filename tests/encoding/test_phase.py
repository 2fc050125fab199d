import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.encoding.phase import PERIOD_LIMIT, big_codes, machine_codes
from ulps import worst_ulps


@st.composite
def fractions(draw: st.DrawFn, largest: int) -> tuple[int, int]:
    period = draw(st.integers(2, largest))
    near = draw(st.sampled_from([0, period // 4, period // 2, 3 * period // 4, None]))
    offset = draw(st.integers(0, period - 1) if near is None else st.integers(-3, 3))
    return ((near or 0) + offset) % period, period


@given(fractions(PERIOD_LIMIT - 1))
def test_machine_periods_are_correct_to_half_an_ulp(fraction: tuple[int, int]) -> None:
    residue, period = fraction
    cosine, sine = machine_codes(np.array([residue]), np.array([period]))
    assert worst_ulps(np.array([cosine[0], sine[0]]), residue, period) <= 0.51


@given(fractions(2**500))
def test_big_periods_are_correct_to_half_an_ulp(fraction: tuple[int, int]) -> None:
    residue, period = fraction
    cosine, sine = big_codes([residue], period)
    assert worst_ulps(np.array([cosine[0], sine[0]]), residue, period) <= 0.51


@pytest.mark.parametrize("period", [2, 3, 4, 59**2, 59**6, 2**61, 2**62 - 1])
def test_both_ways_give_the_same_bits(period: int) -> None:
    residues = [period * k // 97 for k in range(97)]
    machine = machine_codes(np.array(residues), np.array(period))
    big = big_codes(residues, period)
    for one, other in zip(machine, big, strict=True):
        np.testing.assert_array_equal(one, other)
