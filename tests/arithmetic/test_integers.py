"""Every kind of integer input is read exactly, and everything else is refused."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer, as_integers

BIG = 10**40
WIDTHS = [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]


@given(st.lists(st.integers(-(2**100), 2**100)))
def test_every_list_of_ints_is_exact(numbers: list[int]) -> None:
    array = as_integers(numbers)
    assert array.tolist() == numbers
    assert all(type(number) is int for number in array.tolist())


@pytest.mark.parametrize("name", WIDTHS)
def test_every_width_of_numpy_and_torch_is_exact_at_its_ends(name: str) -> None:
    info = np.iinfo(name)
    ends = np.array([info.min, 0, info.max], dtype=name)
    for array in (ends, ends.astype(ends.dtype.newbyteorder()), torch.from_numpy(ends)):
        assert as_integers(array).tolist() == ends.tolist()


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        (7, ()),
        (np.int8(7), ()),
        (torch.tensor(7), ()),
        ([], (0,)),
        ([[], []], (2, 0)),
        (np.array([]), (0,)),
        (np.empty((2, 0), dtype=np.float32), (2, 0)),
        (range(5), (5,)),
        ([[1, 2, 3], [4, 5, 6]], (2, 3)),
        ([np.arange(3), [4, 5, BIG]], (2, 3)),
        ((np.int64(1), 2, np.uint8(3)), (3,)),
        (np.array([[1, BIG]], dtype=object), (1, 2)),
        (np.ma.MaskedArray([1, 2], mask=False), (2,)),
    ],
)
def test_the_shape_is_kept(values: Any, shape: tuple[int, ...]) -> None:
    assert as_integers(values).shape == shape


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, r"got a float, 1.0; convert it with int\(\)"),
        ([[1, 2], [3, None]], r"got a NoneType, None, at position \[1, 1\]; drop missing"),
        (True, r"got a bool, True; convert it with int\(\) if you mean 0 or 1"),
        ("12", r"got a str, '12'; convert it with int\(\) if it contains"),
        ({"n": 10**5000}, "got a dict; pass an int"),
        (np.array([1.0]), "got an array of float64"),
        (np.array([], dtype=bool), "got an array of bool"),
        (np.array([1, 2.0], dtype=object), r"got a float, 2.0, at position \[1\]"),
        (np.array(["2020"], dtype="M8[D]"), "got an array of datetime64.*; count a unit"),
        (torch.tensor([1.0]), "got a tensor of torch.float32"),
        ([np.array([1.0, 2.0])], r"got a ndarray, array\(\[1., 2.\]\), at position \[0\]"),
        ([[1], [2, 3]], "must be rectangular"),
        ([[[1], [2]], [[3, 4], [5, 6]]], "must be rectangular"),
        (ENDLESS, "fewer than 64 levels"),
        (np.ma.MaskedArray([1, 2], mask=[False, True]), "masked integers"),
    ],
)
def test_everything_else_is_refused_with_advice(value: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        as_integers(value)


def test_objects_that_numpy_can_convert_are_read() -> None:
    class Column:
        def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[np.int32]:
            return np.arange(3, dtype=np.int32)

    assert as_integers(Column()).tolist() == [0, 1, 2]
    parameter = torch.nn.Parameter(torch.arange(3), requires_grad=False)
    assert as_integers(parameter).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([1, None], dtype="int64[pyarrow]"),
        pl.DataFrame({"a": [1, None]}),
        pa.chunked_array([[1], [None]]),
        np.array([1.0, np.nan]),
    ],
)
def test_missing_values_are_located_and_no_conversion_is_advised(column: Any) -> None:
    words = r"got a missing value \(null or NaN\) at position \[1(, 0)?\]; drop or fill missing"
    with pytest.raises(TypeError, match=words) as caught:
        as_integers(column)
    assert "astype" not in str(caught.value)
    with pytest.raises(TypeError, match=r"got infinity at position \[1\]; drop or fill"):
        as_integers(pd.Series([1, float("inf")]))


def test_128_bit_integers_of_polars_are_exact() -> None:
    numbers = [1, -(2**100), 2**127 - 1]
    assert as_integers(pl.Series(numbers, dtype=pl.Int128)).tolist() == numbers
    with pytest.raises(TypeError, match=r"got a NoneType, None, at position \[1\]; drop missing"):
        as_integers(pl.Series([1, None], dtype=pl.Int128))


def test_an_integer_argument_is_checked_against_its_bound() -> None:
    assert as_integer(np.uint8(3), "depth", at_least=3) == 3
    for value in (1.0, True, "1", None, [1]):
        with pytest.raises(TypeError, match="depth must be an integer of at least 1, got"):
            as_integer(value, "depth", at_least=1)
    for number, text in ((-1, "-1"), (-(10**5000), "an integer of 16610 bits")):
        with pytest.raises(ValueError, match=f"at least 0, got {text}"):
            as_integer(number, "n", at_least=0)
