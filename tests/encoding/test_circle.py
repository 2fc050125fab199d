import mpmath
import numpy as np

from primefourier.encoding.circle import (
    GRID,
    ONE,
    _grid,
    circle_points,
    full_turn,
    halves,
    head_and_rest,
)


def test_the_grid_carries_79_bits() -> None:
    mpmath.mp.prec = 200
    c_hi, c_lo, s_hi, s_lo = _grid()
    for j in range(GRID):
        turn = mpmath.mpf(2 * j) / GRID
        assert abs(mpmath.mpf(float(c_hi[j])) + float(c_lo[j]) - mpmath.cospi(turn)) < 2.0**-79
        assert abs(mpmath.mpf(float(s_hi[j])) + float(s_lo[j]) - mpmath.sinpi(turn)) < 2.0**-79


def test_points_between_grid_points_are_correct_to_half_an_ulp() -> None:
    mpmath.mp.prec = 200
    generator = np.random.default_rng(0)
    j = generator.integers(0, GRID, 2000)
    x = generator.uniform(-0.5, 0.5, 2000) * (2 * np.pi / GRID)
    x[:500] *= 2.0 ** -generator.integers(0, 60, 500)  # also very near the grid points
    head, rest = halves(x)
    rest += rest * 2.0**-30
    cosine, sine = circle_points(j, head, rest)
    for k in range(2000):
        small = mpmath.mpf(float(head[k])) + float(rest[k])
        angle = mpmath.pi * 2 * int(j[k]) / GRID + small
        for got, true in ((cosine[k], mpmath.cos(angle)), (sine[k], mpmath.sin(angle))):
            ulp = float(np.spacing(abs(float(true))))
            assert abs(mpmath.mpf(float(got)) - true) <= 0.51 * ulp


def test_points_go_round() -> None:
    here = circle_points(np.array([5, 5 + GRID, 5 - GRID]), np.full(3, 0.0078125), np.zeros(3))
    for values in here:
        assert len(set(values.tolist())) == 1


def test_the_full_turn_is_two_pi() -> None:
    mpmath.mp.prec = 250
    assert abs(mpmath.mpf(full_turn()) / ONE - 2 * mpmath.pi) < mpmath.mpf(2) ** -188


def test_heads_have_26_bits_and_fractions_79() -> None:
    for numerator, denominator in ((1, 3), (-22, 7), (10**80, 3**50), (0, 5), (1, 2**300)):
        head, rest = head_and_rest(numerator, denominator)
        assert head * 2.0**30 == 0 or len(bin(abs(head.as_integer_ratio()[0])).strip("0b-")) <= 26
        exact = mpmath.mpf(numerator) / denominator
        assert abs(mpmath.mpf(head) + rest - exact) <= abs(exact) * mpmath.mpf(2) ** -78
