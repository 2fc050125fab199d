import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from primefourier.analysis import Interval, mean_interval
from primefourier.analysis.intervals import student_bound

VALUES = st.lists(st.floats(-1, 1), min_size=2, max_size=20)


def assert_bound(confidence: float, degrees: int) -> None:
    """Check that mpmath's probability passes the confidence within a relative 1e-9 of our bound."""
    with mpmath.workdps(25):
        nu, half = mpmath.mpf(degrees), mpmath.mpf(1) / 2

        def excess(t: mpmath.mpf) -> mpmath.mpf:
            tail = mpmath.betainc(nu / 2, half, 0, nu / (nu + t * t), regularized=True)
            return 1 - tail - mpmath.mpf(confidence)

        t = mpmath.mpf(student_bound(confidence, degrees))
        assert excess(t * (1 - 1e-9)) < 0 < excess(t * (1 + 1e-9)), (confidence, degrees)


def test_the_bounds_of_student_for_1_to_1000_degrees_agree_with_mpmath() -> None:
    for degrees in range(1, 1001):
        assert_bound(0.95, degrees)


@pytest.mark.parametrize("confidence", [0.001, 0.5, 0.8, 0.99, 0.9999])
@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 10, 29, 30, 99, 500, 999, 1000])
def test_so_do_those_of_other_confidences(confidence: float, degrees: int) -> None:
    assert_bound(confidence, degrees)


def test_more_degrees_give_a_smaller_bound_down_to_that_of_the_normal_distribution() -> None:
    bounds = [student_bound(0.95, degrees) for degrees in range(1, 200)]
    assert all(one > following > 1.959963 for one, following in pairwise(bounds))
    assert student_bound(0.95, 10**6) == pytest.approx(1.959966, abs=1e-6)


@pytest.mark.parametrize(
    ("degrees", "bound"), [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042)]
)
def test_the_printed_table(degrees: int, bound: float) -> None:
    assert round(student_bound(0.95, degrees), 3) == bound


def test_the_interval_of_a_worked_example() -> None:
    interval = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    reach = 2.7764451051977987 * math.sqrt(2.5) / math.sqrt(5)
    assert (interval.mean, interval.count) == (3.0, 5)
    assert interval.low == pytest.approx(3 - reach, rel=1e-14)
    assert interval.high == pytest.approx(3 + reach, rel=1e-14)


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


def test_95_of_100_intervals_hold_the_true_mean() -> None:
    samples = np.random.default_rng(0).normal(0.7, 0.1, size=(2000, 3))
    held = 0
    for sample in samples:
        interval = mean_interval(sample)
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= 0.7 <= interval.high
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_one_seed_shows_no_spread() -> None:
    assert mean_interval([0.61]) == Interval(0.61, None, None, 1)
    assert str(mean_interval([0.61])) == "0.61"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.9995])
def test_equal_values_have_an_interval_of_no_width(value: float) -> None:
    assert mean_interval([value] * 3) == Interval(value, value, value, 3)


def test_arrays_and_tensors_are_values_too() -> None:
    expected = mean_interval([1, 2, 4])
    assert mean_interval(np.array([1, 2, 4])) == expected
    assert mean_interval(torch.tensor([1.0, 2.0, 4.0])) == expected
    assert str(expected) == "2.33 [-1.46, 6.13]"


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, math.nan])
def test_a_confidence_must_be_a_probability(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1, got"):
        mean_interval([1, 2], confidence)
    with pytest.raises(ValueError, match=r"use 0\.95 for 95 %"):
        student_bound(confidence, 3)


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], 0.5])
def test_values_must_be_one_sequence(values: object) -> None:
    with pytest.raises(ValueError, match="values must be one sequence of at least one number, got"):
        mean_interval(values)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[0.1, math.nan], [math.inf], ["0.5"], [True], [None]])
def test_values_must_be_finite_numbers(values: list[object]) -> None:
    with pytest.raises(ValueError, match="values must be finite numbers, got"):
        mean_interval(values)  # type: ignore[arg-type]
