import math

import pytest

from primefourier.analysis import Interval
from primefourier.lab.claims.answer import (
    AT_LEAST_ZERO,
    Answer,
    is_above,
    is_below_floor,
    is_inside,
)


def one(value: float) -> Interval:
    return Interval(value, None, None, 1)


def five(low: float, high: float) -> Interval:
    return Interval((low + high) / 2, low, high, 5)


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        (0.5949, False), (0.5951, True), (0.6, True), (0.92, True), (0.9249, True),
        (0.9251, False), (-0.6, False), (0.0, False), (1.0, False),
    ],
)  # fmt: skip
def test_a_range_holds_what_two_decimals_show(value: float, inside: bool) -> None:
    assert is_inside(one(value), 0.60, 0.92) == (inside, None)


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.60, 0.92, (True, True)), (0.5951, 0.9249, (True, True)), (0.5949, 0.9, (True, False)),
        (0.7, 0.9251, (True, False)), (0.1, 0.59, (False, True)), (0.93, 1.2, (False, True)),
        (0.1, 0.60, (False, False)), (0.92, 1.2, (False, False)), (-1.0, 2.0, (False, False)),
    ],
)  # fmt: skip
def test_an_interval_settles_a_range_if_it_is_all_in_or_all_out(
    low: float, high: float, answer: tuple[bool, bool]
) -> None:
    assert is_inside(five(low, high), 0.60, 0.92) == answer


def test_a_range_may_have_no_upper_end() -> None:
    assert is_inside(five(0.9996, 1.0002), 1.0, math.inf) == (True, True)
    assert is_inside(five(0.98, 1.0002), 1.0, math.inf) == (False, False)


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.2, 0.3, (True, True)), (0.1, 0.3, (True, False)), (0.0, 0.1, (False, True)),
        (0.0, 0.15, (False, False)),
    ],
)  # fmt: skip
def test_above_a_bound(low: float, high: float, answer: tuple[bool, bool]) -> None:
    assert is_above(five(low, high), 0.1) == answer
    assert is_above(one((low + high) / 2), 0.1) == (answer[0], None)


def test_a_difference_that_is_zero_but_for_rounding_is_at_least_zero() -> None:
    assert 0.3 - 3 * 0.1 < 0
    assert is_above(one(0.3 - 3 * 0.1), AT_LEAST_ZERO).agrees
    assert not is_above(one(-1e-9), AT_LEAST_ZERO).agrees


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (-0.009, 0.009, (True, True)), (-0.002, 0.012, (True, False)), (0.01, 0.02, (False, True)),
        (0.0, 0.03, (False, False)), (-0.03, -0.01, (False, True)), (-0.03, 0.0, (False, False)),
        (-0.05, 0.05, (True, False)),
    ],
)  # fmt: skip
def test_a_noise_floor_is_for_both_signs(
    low: float, high: float, answer: tuple[bool, bool]
) -> None:
    assert is_below_floor(five(low, high), 0.01) == answer
    assert is_below_floor(one((low + high) / 2), 0.01) == (answer[0], None)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ((True, True), (True, True), (True, True)),
        ((True, True), (True, False), (True, False)),
        ((True, False), (False, True), (False, True)),
        ((True, True), (False, False), (False, False)),
        ((False, False), (False, False), (False, False)),
        ((False, False), (False, True), (False, True)),
        ((True, None), (True, None), (True, None)),
        ((True, None), (False, None), (False, None)),
    ],
)
def test_two_answers_join(
    first: tuple[bool, bool], second: tuple[bool, bool], both: tuple[bool, bool]
) -> None:
    assert Answer(*first) & Answer(*second) == both
    assert Answer(*second) & Answer(*first) == both
