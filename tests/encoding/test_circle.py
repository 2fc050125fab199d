"""The three methods that compute a code (machine, big, fast) against mpmath and each other."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.encoding.circle import (
    FINE_GRID,
    GRID,
    LARGEST_FAST_PERIOD,
    ONE,
    PERIOD_LIMIT,
    FastEncoder,
    _grid,
    big_codes,
    circle_points,
    full_turn,
    halves,
    machine_codes,
)
from ulps import worst_ulps


@st.composite
def fractions(draw: st.DrawFn, largest: int) -> tuple[int, int]:
    """Draw a residue, often near a quarter turn, and a period of any size."""
    bits = draw(st.integers(2, largest.bit_length()))
    period = draw(st.integers(2 ** (bits - 1), min(2**bits, largest)))
    near = draw(st.sampled_from([0, period // 4, period // 2, 3 * period // 4, None]))
    offset = draw(st.integers(0, period - 1) if near is None else st.integers(-3, 3))
    return ((near or 0) + offset) % period, period


@st.composite
def grid_cells(draw: st.DrawFn) -> tuple[int, int]:
    """Draw fractions of a turn near the ends of a cell of the fine grid and near quarter turns."""
    period = draw(st.integers(2, LARGEST_FAST_PERIOD))
    cell = draw(st.one_of(st.sampled_from([0, 1, 2, 3]), st.integers(0, FINE_GRID)))
    quarter = draw(st.integers(0, 3)) * FINE_GRID // 4
    near = (2 * (quarter + cell) + draw(st.sampled_from([0, 1]))) * period // (2 * FINE_GRID)
    return (near + draw(st.integers(-2, 2))) % period, period


@given(fractions(PERIOD_LIMIT - 1))
def test_machine_codes_are_correct_to_half_an_ulp(fraction: tuple[int, int]) -> None:
    residue, period = fraction
    cosine, sine = machine_codes(np.array([residue]), np.array([period]))
    assert worst_ulps(np.array([cosine[0], sine[0]]), residue, period) <= 0.51


@given(fractions(2**500))
def test_big_codes_are_correct_to_half_an_ulp(fraction: tuple[int, int]) -> None:
    residue, period = fraction
    cosine, sine = big_codes([residue], period)
    assert worst_ulps(np.array([cosine[0], sine[0]]), residue, period) <= 0.51


@pytest.mark.parametrize("period", [2, 3, 4, 59**2, 59**6, 2**54 + 1, 5**25, 2**61, 2**62 - 1])
def test_machine_and_big_codes_are_the_same_bits(period: int) -> None:
    residues = [period * k // 97 for k in range(97)]
    machine = machine_codes(np.array(residues), np.array(period))
    np.testing.assert_array_equal(machine, big_codes(residues, period))


@given(grid_cells())
def test_fast_codes_are_within_0_8_ulp(case: tuple[int, int]) -> None:
    residue, period = case
    out = np.empty((1, 1, 1), dtype=np.complex64)
    FastEncoder(np.array([[period]]), count=1).encode(np.array([residue]), out)
    assert worst_ulps(out.view(np.float32).reshape(2), residue, period) <= 0.8


@pytest.mark.parametrize("depth", [1, 4])
def test_fast_codes_equal_machine_codes(depth: int) -> None:
    periods = np.array([[p ** (d + 1) for d in range(depth)] for p in (2, 3, 101)])
    count = 40_000  # more than one block and several rounds
    numbers = np.random.default_rng(0).integers(-(2**62), 2**62, count)
    out = np.empty((count, 3, depth), dtype=np.complex64)
    FastEncoder(periods, count).encode(numbers, out)
    cosine, sine = machine_codes(numbers[:, None, None] % periods, periods)
    np.testing.assert_allclose(out.real, cosine, rtol=2**-23, atol=1e-30)
    np.testing.assert_allclose(out.imag, sine, rtol=2**-23, atol=1e-30)


def test_the_grid_and_the_full_turn_are_precise() -> None:
    mpmath.mp.prec = 250
    assert abs(mpmath.mpf(full_turn()) / ONE - 2 * mpmath.pi) < mpmath.mpf(2) ** -188
    c_head, c_rest, s_head, s_rest = _grid()
    for j in range(GRID):
        turn = mpmath.mpf(2 * j) / GRID
        assert abs(mpmath.mpf(float(c_head[j])) + float(c_rest[j]) - mpmath.cospi(turn)) < 2.0**-79
        assert abs(mpmath.mpf(float(s_head[j])) + float(s_rest[j]) - mpmath.sinpi(turn)) < 2.0**-79


def test_points_between_grid_points_are_correct_to_half_an_ulp() -> None:
    mpmath.mp.prec = 200
    generator = np.random.default_rng(0)
    j = generator.integers(0, GRID, 2000)
    x = generator.uniform(-0.5, 0.5, 2000) * (2 * np.pi / GRID)
    x[:500] *= 2.0 ** -generator.integers(0, 60, 500)  # also very near the grid points
    head, rest = halves(x)
    rest += rest * 2.0**-30
    points = circle_points(j, head, rest)
    np.testing.assert_array_equal(points, circle_points(j - GRID, head, rest))
    for k in range(2000):
        angle = mpmath.pi * 2 * int(j[k]) / GRID + (mpmath.mpf(float(head[k])) + float(rest[k]))
        for got, true in zip(points, (mpmath.cos(angle), mpmath.sin(angle)), strict=True):
            ulp = float(np.spacing(abs(float(true))))
            assert abs(mpmath.mpf(float(got[k])) - true) <= 0.51 * ulp
