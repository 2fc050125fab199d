"""Mean drops of relevant and other rows, and their ratio above and below the noise floor."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier import PrimeBasis, plan
from primefourier.analysis import Ratio, Selectivity, selectivity, specialisation_ratio

FLOOR = 0.0625
DROPS = st.dictionaries(st.sampled_from([3, 5, 7, 11, 13]), st.floats(-1, 1), min_size=2)


def test_the_channels_of_a_plan_are_rows_too() -> None:
    basis = PrimeBasis((3, 5), 2)
    drops = {(3, 0): 0.5, (3, 1): 0.3, (5, 0): 0.1, (5, 1): 0.0}
    result = selectivity(drops, plan(9, basis).relevant)
    assert result.relevant == pytest.approx(0.4)
    assert result.other == pytest.approx(0.05)


@given(DROPS)
def test_both_means_together_are_the_mean_of_all_rows(drops: dict[int, float]) -> None:
    relevant = list(drops)[: len(drops) // 2]
    result = selectivity(drops, relevant)
    assert result.other is not None
    total = result.relevant * len(relevant) + result.other * (len(drops) - len(relevant))
    assert total == pytest.approx(sum(drops.values()), abs=1e-12)


def test_without_other_rows_there_is_no_ratio() -> None:
    result = selectivity({3: 0.5, 5: 0.25}, relevant=(5, 3))
    assert result == Selectivity(0.375, None)
    assert result.ratio(FLOOR) is None


@given(st.floats(0.001, 1), st.floats(-1, 1))
def test_the_ratio_is_a_bound_below_the_floor(relevant: float, other: float) -> None:
    ratio = specialisation_ratio(relevant, other, FLOOR)
    assert ratio is not None
    if abs(other) < FLOOR:
        assert ratio == Ratio(relevant / FLOOR, is_lower_bound=True)
        assert other <= 0 or relevant / other > ratio.value
    else:
        assert ratio == Ratio(relevant / other, is_lower_bound=False)


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


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: selectivity({3: 0.5, 5: 0.1}, [3, 7]), r"7 without a drop; the rows are \[3, 5\]"),
        (lambda: selectivity({3: 0.5, 5: 0.1}, []), "must name at least one row, .* got none"),
        (lambda: selectivity({3: 0.5, 5: math.nan}, [3]), "must be finite, got nan for row 5"),
        (lambda: specialisation_ratio(math.nan, 0.1, FLOOR), "finite, got relevant = nan"),
        *((lambda floor=floor: specialisation_ratio(0.5, 0.1, floor), "floor must be positive and")
          for floor in (0.0, -0.1, math.nan, math.inf)),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
