"""The noise floor, the paired test, exact bounds on drops, and intervals over seeds."""

import itertools
import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from primefourier.analysis import (
    Interval,
    drop_bounds,
    mean_interval,
    noise_floor,
    paired_p_value,
)


@given(st.integers(1, 10**9))
def test_the_noise_floor_is_the_root_of_2_over_n(test_size: int) -> None:
    assert noise_floor(test_size) == pytest.approx(math.sqrt(2 / test_size), rel=1e-15)


def test_one_in_twenty_independent_differences_exceeds_the_floor() -> None:
    random = np.random.default_rng(0)
    n = 2_000
    difference = (random.binomial(n, 0.5, 100_000) - random.binomial(n, 0.5, 100_000)) / n
    assert np.mean(np.abs(difference) >= noise_floor(n)) == pytest.approx(0.0455, abs=0.004)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: noise_floor(0), ValueError, "test_size must be an integer of at least 1, got 0"),
        (lambda: noise_floor(2000.0), TypeError, "test_size must be an integer"),  # type: ignore[arg-type]
        (lambda: paired_p_value(-1, 3), ValueError, "lost must be an integer of at least 0"),
        (lambda: paired_p_value(1, 0.5), TypeError, "gained must be an integer"),  # type: ignore[arg-type]
        *((lambda lost=lost, gained=gained: drop_bounds(lost, gained, 9), ValueError, "be counts")
          for lost, gained in (([-1], [0]), ([5], [5]), (3, 0), ([[1]], [[0]]))),
        *((lambda values=values: mean_interval(values), ValueError, "one sequence of at least one")
          for values in ([], [[0.1, 0.2]], 0.5)),
        *((lambda values=values: mean_interval(values), ValueError, "must be finite numbers, got")
          for values in ([0.1, math.nan], [math.inf], ["0.5"], [True], [None])),
        *((lambda call=call, c=c: call(c), ValueError, r"0 and 1, got .*; use 0\.95 for 95 %")
          for c in (0, 1, 95, -0.5, math.nan)
          for call in (lambda c: mean_interval([1, 2], c),
                       lambda c: drop_bounds([0], [0], 9, confidence=c))),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(
    call: Callable[[], object], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize("n", range(11))
def test_the_p_value_is_the_share_of_coin_throws_that_are_as_uneven(n: int) -> None:
    throws = [sum(throw) for throw in itertools.product((0, 1), repeat=n)]
    for lost in range(n + 1):
        as_uneven = sum(abs(2 * heads - n) >= abs(2 * lost - n) for heads in throws)
        assert paired_p_value(lost, n - lost) == pytest.approx(as_uneven / 2**n, rel=1e-14)


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_the_p_value_is_monotonic_and_symmetric(lost: int, gained: int) -> None:
    fewer, more = sorted((lost, gained))
    assert paired_p_value(fewer, more + 1) <= paired_p_value(fewer, more) * (1 + 1e-12) <= 1 + 1e-12
    assert paired_p_value(lost, gained) == paired_p_value(gained, lost)


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


@pytest.mark.parametrize(
    ("lost", "gained"),
    [(10**14, 10**14 - 10**7), (10**14, 10**14 - 10**8), (10**14, 10**14 - 5 * 10**8),
     (10**18, 10**18 - 1), (10**18, 10**18 - 3 * 10**9), (3 * 10**9, 3 * 10**9 - 10**6),
     (2**99 - 2**51, 2**99 - 1), (2**99 - 2**51, 2**99), (10**400, 10**400 - 10**200)],
)  # fmt: skip
def test_counts_of_any_size_agree_with_the_normal_tail(lost: int, gained: int) -> None:
    """Uspensky's correction leaves a relative error of the order 1 / n."""
    with mpmath.workdps(450):
        n = mpmath.mpf(lost + gained)
        uneven = (abs(lost - gained) - 1) / mpmath.sqrt(n)  # to the middle of the next count
        tail = mpmath.erfc(uneven / mpmath.sqrt(2))
        density = mpmath.exp(-(uneven**2) / 2) / mpmath.sqrt(2 * mpmath.pi)
        expected = float(tail - 2 * density * (uneven**3 - uneven) / (12 * n))
    assert 0 < expected <= 1
    assert paired_p_value(lost, gained) == pytest.approx(expected, rel=1e-11, abs=0)


def test_p_values_below_every_float_are_zero() -> None:
    assert paired_p_value(10**6, 0) == 0.0
    assert paired_p_value(3, 10**6 - 3) == 0.0
    assert paired_p_value(480_000, 520_000) == 0.0
    assert paired_p_value(0, 1000) == 2.0**-999
    assert paired_p_value(10**400, 1) == 0.0


def test_equal_counts_are_no_evidence() -> None:
    assert paired_p_value(0, 0) == paired_p_value(7, 7) == paired_p_value(10**6, 10**6) == 1.0
    assert paired_p_value(500_000, 499_999) == pytest.approx(1.0, rel=1e-12, abs=0)


def tail(successes: int, size: int, p: mpmath.mpf) -> mpmath.mpf:
    """Return P(X ≤ successes) of a binomial X, term by term."""
    return mpmath.fsum(
        mpmath.binomial(size, i) * p**i * (1 - p) ** (size - i) for i in range(successes + 1)
    )


@pytest.mark.parametrize("lost", [0, 1, 7, 49, 50])
def test_bounds_are_those_of_clopper_and_pearson(lost: int) -> None:
    (low,), (high,) = drop_bounds([lost], [0], 50)
    unseen = 1 - 0.0125 ** (1 / 50)  # of gaining: a larger chance shows in 98.75 % of the cases
    least, most = mpmath.mpf(low) + unseen, mpmath.mpf(high)
    assert float(1 - tail(lost - 1, 50, least)) == pytest.approx(0.0125 if lost else 1)
    assert float(tail(lost, 50, most)) == pytest.approx(0.0125 if lost < 50 else 1)
    (down,), (up,) = drop_bounds([0], [lost], 50)
    assert (down, up) == (-high, -low), "a gain is a negative loss"


def test_bounds_hold_simultaneously_with_the_stated_confidence() -> None:
    random = np.random.default_rng(5)
    chances = np.array([0.7, 0.1, 0.01, 0.0])  # of losing; half as much of gaining
    held = 0
    for _ in range(300):
        draws = random.random((400, 1))  # one draw per pair: rows share their pairs
        lost, gained = (draws < chances).sum(0), (draws > 1 - chances / 2).sum(0) * (chances < 0.6)
        low, high = drop_bounds(lost, gained, 400, confidence=0.9)
        true = chances - chances / 2 * (chances < 0.6)
        held += bool(((low <= true) & (true <= high)).all())
    assert held >= 0.9 * 300


def test_more_rows_or_more_confidence_widen_the_bounds_and_more_pairs_narrow_them() -> None:
    def width(rows: int, size: int, confidence: float = 0.95) -> float:
        counts = [size // 10] * rows
        low, high = drop_bounds(counts, counts, size, confidence=confidence)
        return float(high[0] - low[0])

    assert width(10, 1000) > width(1, 1000) > width(1, 10_000)
    assert width(1, 1000, 0.99) > width(1, 1000)


VALUES = st.lists(st.floats(-1, 1), min_size=2, max_size=20)


@pytest.mark.parametrize(
    ("degrees", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042)]
)
def test_the_quantiles_of_the_printed_table(degrees: int, quantile: float) -> None:
    values = [*[1.0, -1.0] * (degrees // 2), *[0.0] * (degrees % 2), 0.0]
    interval = mean_interval(values)
    assert interval.high is not None
    spread = np.std(values, ddof=1) / math.sqrt(len(values))
    if spread:
        assert (interval.high - interval.mean) / spread == pytest.approx(quantile, abs=6e-4)


@given(VALUES, st.floats(0.01, 0.99))
def test_the_mean_lies_in_the_middle_and_more_confidence_is_wider(
    values: list[float], confidence: float
) -> None:
    assume(np.std(values) > 1e-6)
    narrow, wide = mean_interval(values, confidence), mean_interval(values, confidence + 0.009)
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.low is not None
    assert wide.low < narrow.low < narrow.mean < narrow.high
    assert narrow.low + narrow.high == pytest.approx(2 * narrow.mean, abs=1e-9, rel=1e-9)


def test_95_of_100_intervals_contain_the_true_mean() -> None:
    samples = np.random.default_rng(0).normal(0.7, 0.1, size=(2000, 3))
    held = 0
    for sample in samples:
        interval = mean_interval(sample)
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= 0.7 <= interval.high
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_arrays_tensors_single_and_equal_values_are_accepted() -> None:
    expected = mean_interval([1, 2, 4])
    assert mean_interval(np.array([1, 2, 4])) == expected
    assert mean_interval(torch.tensor([1.0, 2.0, 4.0])) == expected
    assert str(expected) == "2.33 [-1.46, 6.13]"
    assert mean_interval([0.61]) == Interval(0.61, None, None, 1)
    assert str(mean_interval([0.61])) == "0.61"
    assert mean_interval([1 / 3] * 3) == Interval(1 / 3, 1 / 3, 1 / 3, 3)
