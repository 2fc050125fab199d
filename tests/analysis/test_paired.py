import itertools
import time

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.analysis import paired_p_value
from primefourier.analysis.paired import _counted, _summed

COUNTS = st.integers(0, 400)


@pytest.mark.parametrize("n", range(11))
def test_it_is_the_share_of_coin_throws_that_are_as_uneven(n: int) -> None:
    throws = [sum(throw) for throw in itertools.product((0, 1), repeat=n)]
    for lost in range(n + 1):
        as_uneven = sum(abs(2 * heads - n) >= abs(2 * lost - n) for heads in throws)
        assert paired_p_value(lost, n - lost) == as_uneven / 2**n


@given(COUNTS, COUNTS)
def test_it_is_a_probability_and_blind_to_the_direction(lost: int, gained: int) -> None:
    assert 0 < paired_p_value(lost, gained) <= 1
    assert paired_p_value(lost, gained) == paired_p_value(gained, lost)


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_one_more_change_to_the_larger_side_never_raises_it(lost: int, gained: int) -> None:
    fewer, more = sorted((lost, gained))
    assert paired_p_value(fewer, more + 1) <= paired_p_value(fewer, more) * (1 + 1e-12)


@given(st.integers(1200, 2000), st.integers(1200, 2000))
def test_the_sum_agrees_with_the_count(one: int, other: int) -> None:
    fewer, more = sorted((one, other))
    if fewer < more:
        assert _summed(fewer, more) == pytest.approx(_counted(fewer, more), rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("lost", "gained"),
    [(1400, 1601), (700, 2301), (10_200, 9_800), (49_000, 51_000), (499_000, 501_000),
     (499_950, 500_050), (490_000, 510_000), (500_001, 499_999)],
)  # fmt: skip
def test_large_counts_agree_with_mpmath(lost: int, gained: int) -> None:
    with mpmath.workdps(40):
        n, k = lost + gained, min(lost, gained)
        logarithm = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
        term = tail = mpmath.exp(logarithm - n * mpmath.log(2))
        while term > tail * mpmath.mpf(10) ** -25:
            term *= mpmath.mpf(k) / (n - k + 1)
            tail += term
            k -= 1
        expected = float(2 * tail)
    assert 0 < expected < 1
    assert paired_p_value(lost, gained) == pytest.approx(expected, rel=1e-11, abs=0)


def test_mpmath_s_incomplete_beta_function_agrees() -> None:
    with mpmath.workdps(40):
        half = mpmath.mpf(1) / 2
        expected = float(2 * mpmath.betainc(1601, 1401, 0, half, regularized=True))
    assert paired_p_value(1601, 1400) == pytest.approx(expected, rel=1e-12, abs=0)


def test_what_no_float_can_hold_is_zero() -> None:
    assert paired_p_value(10**6, 0) == 0.0
    assert paired_p_value(3, 10**6 - 3) == 0.0
    assert paired_p_value(480_000, 520_000) == 0.0
    assert paired_p_value(0, 1000) == 2.0**-999
    assert paired_p_value(10**400, 1) == 0.0


def test_as_many_lost_as_gained_is_no_evidence_at_all() -> None:
    assert paired_p_value(0, 0) == paired_p_value(7, 7) == paired_p_value(10**6, 10**6) == 1.0
    assert paired_p_value(500_000, 499_999) == pytest.approx(1.0, rel=1e-12, abs=0)


def test_a_million_changes_take_no_time() -> None:
    before = time.process_time()
    paired_p_value(500_100, 499_900)
    assert time.process_time() - before < 0.1


def test_counts_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="lost must be an integer of at least 0, got -1"):
        paired_p_value(-1, 3)
    with pytest.raises(TypeError, match="gained must be an integer of at least 0, got a float"):
        paired_p_value(1, 0.5)  # type: ignore[arg-type]
