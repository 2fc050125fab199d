import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier import PrimeBasis, plan
from primefourier.analysis import Ratio, Selectivity, selectivity, specialisation_ratio

FLOOR = 0.0625
DROPS = st.dictionaries(st.sampled_from([3, 5, 7, 11, 13]), st.floats(-1, 1), min_size=2)


def test_one_task_prime_gives_the_diagonal_and_off_diagonal_drop() -> None:
    drops = {3: 0.01, 5: 0.8, 7: 0.02, 11: 0.03}
    result = selectivity(drops, relevant=[5])
    assert result.on == 0.8
    assert result.off == pytest.approx(0.02)


def test_the_channels_of_a_plan_are_rows_too() -> None:
    basis = PrimeBasis((3, 5), 2)
    drops = {(3, 0): 0.5, (3, 1): 0.3, (5, 0): 0.1, (5, 1): 0.0}
    result = selectivity(drops, plan(9, basis).relevant)
    assert result.on == pytest.approx(0.4)
    assert result.off == pytest.approx(0.05)


@given(DROPS)
def test_both_means_together_are_the_mean_of_all_rows(drops: dict[int, float]) -> None:
    relevant = list(drops)[: len(drops) // 2]
    result = selectivity(drops, relevant)
    assert result.off is not None
    total = result.on * len(relevant) + result.off * (len(drops) - len(relevant))
    assert total == pytest.approx(sum(drops.values()), abs=1e-12)


def test_a_row_that_is_named_twice_counts_once() -> None:
    assert selectivity({3: 0.5, 5: 0.1, 7: 0.3}, [3, 3, 5]).on == pytest.approx(0.3)


def test_without_other_rows_there_is_no_off_and_no_ratio() -> None:
    result = selectivity({3: 0.5, 5: 0.25}, relevant=(5, 3))
    assert result == Selectivity(0.375, None)
    assert result.ratio(FLOOR) is None


@given(st.floats(0.001, 1), st.floats(-1, 1))
def test_the_ratio_is_measured_exactly_where_off_reaches_the_floor(on: float, off: float) -> None:
    ratio = specialisation_ratio(on, off, FLOOR)
    assert ratio is not None
    if abs(off) < FLOOR:
        assert ratio == Ratio(on / FLOOR, is_lower_bound=True)
        assert off <= 0 or on / off > ratio.value
    else:
        assert ratio == Ratio(on / off, is_lower_bound=False)


def test_rows_that_disturb_give_a_negative_ratio_and_noise_does_not() -> None:
    assert specialisation_ratio(0.5, -0.25, FLOOR) == Ratio(-2.0, is_lower_bound=False)
    assert specialisation_ratio(0.5, -0.01, FLOOR) == Ratio(8.0, is_lower_bound=True)


def test_a_negative_drop_over_noise_is_not_bounded() -> None:
    assert specialisation_ratio(-0.01, 0.001, FLOOR) is None
    assert specialisation_ratio(-0.5, 0.25, FLOOR) == Ratio(-2.0, is_lower_bound=False)


@pytest.mark.parametrize(
    ("value", "is_lower_bound", "text"),
    [(12.34, False, "12.3"), (2.0, False, "2"), (0.4567, False, "0.457"), (1234.5, False, "1234"),
     (-50.0, False, "-50"), (78.9, True, "> 78"), (812.9, True, "> 812"), (3.19, True, "> 3.1"),
     (0.0, True, "> 0.0")],
)  # fmt: skip
def test_bounds_are_marked_and_rounded_down(value: float, is_lower_bound: bool, text: str) -> None:
    assert str(Ratio(value, is_lower_bound)) == text


def test_what_can_be_said_is_what_a_record_can_hold() -> None:
    ratio = Selectivity(0.86, 0.002).ratio(0.011)
    assert ratio is not None
    assert json.loads(json.dumps(vars(ratio))) == {
        "value": pytest.approx(78.18, abs=0.01),
        "is_lower_bound": True,
    }


def test_relevant_rows_need_a_drop() -> None:
    with pytest.raises(ValueError, match=r"got 7 without one; the rows are \[3, 5\]"):
        selectivity({3: 0.5, 5: 0.1}, [3, 7])
    with pytest.raises(ValueError, match=r"relevant must name at least one row, .* got none"):
        selectivity({3: 0.5, 5: 0.1}, [])


def test_drops_must_be_finite() -> None:
    with pytest.raises(ValueError, match="drops must be finite, got nan for row 5"):
        selectivity({3: 0.5, 5: math.nan}, [3])
    with pytest.raises(ValueError, match="drops must be finite, got on = nan"):
        specialisation_ratio(math.nan, 0.1, FLOOR)


@pytest.mark.parametrize("floor", [0.0, -0.1, math.nan, math.inf])
def test_a_floor_must_be_positive(floor: float) -> None:
    with pytest.raises(ValueError, match="floor must be positive and finite, got"):
        specialisation_ratio(0.5, 0.1, floor)
