import mpmath
import numpy as np

from primefourier.encoding.circle import GRID, circle_points, grid


def test_the_grid_carries_a_hundred_bits() -> None:
    mpmath.mp.prec = 200
    c_hi, c_lo, s_hi, s_lo = grid()
    for j in range(GRID):
        turn = mpmath.mpf(2 * j) / GRID
        assert abs(mpmath.mpf(float(c_hi[j])) + float(c_lo[j]) - mpmath.cospi(turn)) < 2.0**-104
        assert abs(mpmath.mpf(float(s_hi[j])) + float(s_lo[j]) - mpmath.sinpi(turn)) < 2.0**-104


def test_points_between_grid_points_are_correct_to_half_an_ulp() -> None:
    mpmath.mp.prec = 200
    generator = np.random.default_rng(0)
    j = generator.integers(0, GRID, 2000)
    u = generator.uniform(-0.5, 0.5, 2000)
    u[:500] *= 2.0 ** -generator.integers(0, 60, 500)  # also very near the grid points
    cosine, sine = circle_points(j, u, np.zeros(2000))
    for k in range(2000):
        turn = 2 * (int(j[k]) + mpmath.mpf(float(u[k]))) / GRID
        for got, true in ((cosine[k], mpmath.cospi(turn)), (sine[k], mpmath.sinpi(turn))):
            ulp = float(np.spacing(abs(float(true))))
            assert abs(mpmath.mpf(float(got)) - true) <= 0.51 * ulp


def test_points_go_round() -> None:
    u = np.full(3, 0.25)
    here = circle_points(np.array([5, 5 + GRID, 5 - GRID]), u, np.zeros(3))
    for values in here:
        assert len(set(values.tolist())) == 1
