"""The noise floor, the paired test, bounds on drops, intervals, ratios of drops, and risks."""

import itertools
import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from primefourier import PAPER_BASIS, PrimeBasis, plan
from primefourier.analysis import (
    Interval,
    PublishedRisk,
    Ratio,
    Selectivity,
    drop_bounds,
    mean_interval,
    noise_floor,
    paired_p_value,
    published_risk,
    selectivity,
    specialisation_ratio,
)

FLOOR = 0.0625


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: noise_floor(0), "test_size must be an integer of at least 1, got 0"),
        (lambda: noise_floor(2000.0), "test_size must be an integer"),  # type: ignore[arg-type]
        (lambda: paired_p_value(-1, 3), "lost must be an integer of at least 0"),
        (lambda: paired_p_value(1, 0.5), "gained must be an integer"),  # type: ignore[arg-type]
        *((lambda lost=lost, gained=gained: drop_bounds(lost, gained, 9), "be counts")
          for lost, gained in (([-1], [0]), ([5], [5]), (3, 0), ([[1]], [[0]]))),
        *((lambda values=values: mean_interval(values), "one sequence of at least one")
          for values in ([], [[0.1, 0.2]], 0.5)),
        *((lambda values=values: mean_interval(values), "must be finite numbers, got")
          for values in ([0.1, math.nan], [math.inf], ["0.5"], [True], [None])),
        *((lambda call=call, c=c: call(c), r"0 and 1, got .*; use 0\.95 for 95 %")
          for c in (0, 1, 95, math.nan)
          for call in (lambda c: mean_interval([1, 2], c),
                       lambda c: drop_bounds([0], [0], 9, confidence=c))),
        (lambda: selectivity({3: 0.5, 5: 0.1}, [3, 7]), r"7 without a drop; the rows are \[3, 5\]"),
        (lambda: selectivity({3: 0.5, 5: 0.1}, []), "must name at least one row, .* got none"),
        (lambda: selectivity({3: 0.5, 5: math.nan}, [3]), "must be finite, got nan for row 5"),
        (lambda: specialisation_ratio(math.nan, 0.1, FLOOR), "finite, got relevant = nan"),
        *((lambda floor=floor: specialisation_ratio(0.5, 0.1, floor), "floor must be positive and")
          for floor in (0.0, -0.1, math.nan, math.inf)),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_the_floor_is_two_deviations_of_a_difference() -> None:
    assert noise_floor(2_000) == pytest.approx(math.sqrt(2 / 2_000), rel=1e-15)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 10])
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
    [(1400, 1601), (700, 2301), (490_000, 510_000), (500_001, 499_999)],
)
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
    [(10**14, 10**14 - 10**7), (10**18, 10**18 - 1), (10**400, 10**400 - 10**200)],
)
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


def test_p_values_at_both_ends() -> None:
    for lost, gained in ((10**6, 0), (3, 10**6 - 3), (480_000, 520_000), (10**400, 1)):
        assert paired_p_value(lost, gained) == 0.0
    assert paired_p_value(0, 1000) == 2.0**-999
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
    (wider, _), _ = drop_bounds([lost, 0], [0, 0], 50)
    assert wider < low or lost == 0, "more rows widen the bounds"


@pytest.mark.parametrize(
    ("degrees", "quantile"), [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042)]
)
def test_the_quantiles_of_the_printed_table(degrees: int, quantile: float) -> None:
    values = np.arange(degrees + 1.0)
    found, spread = mean_interval(values), np.std(values, ddof=1) / math.sqrt(degrees + 1)
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.mean) / spread == pytest.approx(quantile, abs=6e-4)
    assert found.low + found.high == pytest.approx(2 * found.mean)
    wider = mean_interval(values, 0.99)
    assert wider.high is not None
    assert wider.high > found.high


def test_arrays_tensors_single_and_equal_values_are_accepted() -> None:
    expected = mean_interval([1, 2, 4])
    assert mean_interval(np.array([1, 2, 4])) == expected
    assert mean_interval(torch.tensor([1.0, 2.0, 4.0])) == expected
    assert str(expected) == "2.33 [-1.46, 6.13]"
    assert mean_interval([0.61]) == Interval(0.61, None, None, 1)
    assert str(mean_interval([0.61])) == "0.61"
    assert mean_interval([1 / 3] * 3) == Interval(1 / 3, 1 / 3, 1 / 3, 3)


# Selectivity, and its ratio above and below the noise floor


def test_drops_are_averaged_over_relevant_and_other_rows() -> None:
    drops = {(3, 0): 0.5, (3, 1): 0.3, (5, 0): 0.1, (5, 1): 0.0}
    result = selectivity(drops, plan(9, PrimeBasis((3, 5), 2)).relevant)  # channels are rows too
    assert result.relevant == pytest.approx(0.4)
    assert result.other == pytest.approx(0.05)
    alone = selectivity({3: 0.5, 5: 0.25}, relevant=(5, 3))
    assert alone == Selectivity(0.375, None)
    assert alone.ratio(FLOOR) is None


@pytest.mark.parametrize(
    ("relevant", "other", "expected"),
    [
        (0.5, 0.25, Ratio(2.0, is_lower_bound=False)),
        (0.5, FLOOR, Ratio(8.0, is_lower_bound=False)),
        (0.5, 0.06, Ratio(8.0, is_lower_bound=True)),
        (0.5, -0.01, Ratio(8.0, is_lower_bound=True)),
        (0.5, -0.25, Ratio(-2.0, is_lower_bound=False)),  # rows that disturb are no noise
        (-0.5, 0.25, Ratio(-2.0, is_lower_bound=False)),
        (-0.01, 0.001, None),  # no bound follows
    ],
)
def test_the_ratio_is_a_bound_below_the_floor(
    relevant: float, other: float, expected: Ratio | None
) -> None:
    assert specialisation_ratio(relevant, other, FLOOR) == expected
    assert Selectivity(relevant, other).ratio(FLOOR) == expected


@pytest.mark.parametrize(
    ("value", "is_lower_bound", "text"),
    [(12.34, False, "12.3"), (2.0, False, "2"), (0.4567, False, "0.457"), (1234.5, False, "1234"),
     (-50.0, False, "-50"), (78.9, True, "> 78"), (812.9, True, "> 812"), (3.19, True, "> 3.1"),
     (0.0, True, "> 0.0")],
)  # fmt: skip
def test_bounds_are_marked_and_rounded_down(value: float, is_lower_bound: bool, text: str) -> None:
    assert str(Ratio(value, is_lower_bound)) == text


# What the counts of published networks say; tests/paper/test_published counts them again


@pytest.mark.parametrize(
    ("modulus", "input_range", "expected", "near"),
    [
        (231, 500, PublishedRisk(34, 39, 0, 0.1), "by 0 to 0.1 turns, 34 used"),
        (7, 1000, PublishedRisk(0, 550, 4, float("inf")), "by more than 4 turns, 0 used"),
    ],
)
def test_a_plan_has_the_risk_of_networks_with_as_near_an_alias(
    modulus: int, input_range: int, expected: PublishedRisk, near: str
) -> None:
    basis = PrimeBasis(PAPER_BASIS.primes[:8], depth=6)
    found = published_risk(plan(modulus, basis, input_range=input_range))
    assert found == expected
    assert found.share == expected.used / expected.networks
    assert f"published networks whose nearest alias drifts {near} a circle" in found.explain()


@pytest.mark.parametrize(
    ("modulus", "basis", "input_range"),
    [
        (231, PAPER_BASIS, None),
        (231, PAPER_BASIS, 100),  # no sum wraps around
        (61 * 3, PAPER_BASIS, 1000),  # the basis lacks 61
        (21, PrimeBasis((3, 7), 1), 100),  # every circle is needed
    ],
)
def test_a_plan_unlike_those_of_the_networks_has_no_risk(
    modulus: int, basis: PrimeBasis, input_range: int | None
) -> None:
    assert published_risk(plan(modulus, basis, input_range=input_range)) is None
