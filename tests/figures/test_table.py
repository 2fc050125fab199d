import math

import numpy as np
import pytest

from primefourier.figures.table import (
    read_ascending,
    read_table,
    require_shape,
    write_number,
    write_short,
)


def test_arrays_and_nested_sequences_are_read_alike() -> None:
    for values in (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]], dtype="float32")):
        assert read_table(values, 2, 2, "values") == [[1.0, 2.0], [3.0, 4.0]]
    assert read_table(((1, 2.0), (3, 4)), 2, 2, "values") == [[1.0, 2.0], [3.0, 4.0]]
    assert math.isnan(read_table([[math.nan]], 1, 1, "values")[0][0])


def test_wrong_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="drops must have 2 rows of 3, got 2 rows of 2, 3"):
        read_table([[1, 2, 3], [1, 2]], 2, 3, "drops")
    with pytest.raises(ValueError, match="got 0 rows of nothing"):
        read_table([], 1, 1, "drops")
    with pytest.raises(ValueError, match="got infinity"):
        read_table([[math.inf]], 1, 1, "drops")
    with pytest.raises(ValueError, match="marks must have 1 rows of 1"):
        require_shape([["a", "b"]], 1, 1, "marks")


def test_numbers_must_ascend() -> None:
    assert read_ascending(np.array([-1, 0, 2]), "xs") == (-1.0, 0.0, 2.0)
    assert read_ascending([], "xs") == ()
    for values in ([1, 1], [2, 1]):
        with pytest.raises(ValueError, match=r"xs must ascend, got .*; pass them sorted"):
            read_ascending(values, "xs")
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="xs must be finite numbers"):
            read_ascending([value], "xs")


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [(0.125, ".2f", "0.12"), (-3, "d", "−3"), (-0.004, ".2f", "0.00"), (-0.004, ".0%", "0%")],
)
def test_numbers_have_a_real_minus_and_zero_has_none(value: float, spec: str, text: str) -> None:
    assert write_number(value, spec) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, ".50"), (-0.5, "−.50"), (10.25, "10.2"), (20, "20.0"), (-0.001, ".00"), (0.999, "1.00")],
)
def test_short_numbers_leave_out_the_zero_before_the_point_only(value: float, text: str) -> None:
    assert write_short(value) == text
