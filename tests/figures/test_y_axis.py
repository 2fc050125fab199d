import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.figures.y_axis import y_axis

VALUES = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-9)


@given(st.lists(VALUES))
def test_every_value_is_within_and_ticks_have_labels_of_their_own(values: list[float]) -> None:
    axis = y_axis(values)
    assert all(axis.low < value < axis.high for value in values)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
    assert 2 <= len(axis.ticks) == len(set(axis.labels)) <= 9
    assert axis.room > 0


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0, 0.02), ("0.000", "0.005", "0.010", "0.015", "0.020")),
        ((-0.02, 0.04), ("−0.02", "−0.01", "0.00", "0.01", "0.02", "0.03", "0.04")),
        ((0, 4e6), ("0", "1000000", "2000000", "3000000", "4000000")),
        ((0, 2e-6), ("0", "5e−07", "1e−06", "1.5e−06", "2e−06")),
    ],
)
def test_labels_have_equal_decimals(values: tuple[float, ...], labels: tuple[str, ...]) -> None:
    assert y_axis(values).labels == labels


def test_a_single_value_is_seen_against_zero() -> None:
    for value in (3.0, -3.0):
        axis = y_axis([value, value, math.nan])
        assert axis.low < min(0, value) < max(0, value) < axis.high


def test_no_value_at_all_gives_an_axis_from_0_to_1() -> None:
    for values in ((), (math.nan,), (0.0,)):
        axis = y_axis(values)
        assert (axis.ticks[0], axis.ticks[-1]) == pytest.approx((0, 1))
