from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer, as_integers

BIG = 10**40


@given(st.lists(st.integers(-(2**100), 2**100)))
def test_every_list_of_ints_survives(numbers: list[int]) -> None:
    assert as_integers(numbers).tolist() == numbers


@pytest.mark.parametrize("name", [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)])
def test_every_numpy_width_survives_at_its_ends(name: str) -> None:
    info = np.iinfo(name)
    ends = [int(info.min), 0, int(info.max)]
    assert as_integers(np.array(ends, dtype=name)).tolist() == ends
    assert as_integers(np.array(ends, dtype=np.dtype(name).newbyteorder())).tolist() == ends


@pytest.mark.parametrize(
    "name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_every_torch_width_survives_at_its_ends(name: str) -> None:
    info = np.iinfo(name)
    ends = np.array([info.min, 0, info.max], dtype=name)
    assert as_integers(torch.from_numpy(ends)).tolist() == ends.tolist()


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
    ],
)
def test_shapes_are_kept(values: Any, shape: tuple[int, ...]) -> None:
    assert as_integers(values).shape == shape


def test_integers_beyond_64_bits_become_python_ints() -> None:
    array = as_integers([1, BIG])
    assert array.dtype == object
    assert [type(n) for n in array.tolist()] == [int, int]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, "got a float, 1.0; convert it with int()"),
        ([1, 2.5], r"got a float, 2.5, at position \[1\]"),
        ([[1, 2], [3, None]], r"got a NoneType, None, at position \[1, 1\]; drop missing"),
        (True, "got a bool, True; convert it with int() if you mean 0 or 1"),
        ([1, True], r"got a bool, True, at position \[1\]"),
        (np.bool(True), "got an array of bool"),
        (float("nan"), "got a float, nan; drop missing values"),
        ("12", "got a str, '12'; convert it with int() if it spells"),
        (["1"], "got a str, '1'"),
        (b"1", "got a bytes"),
        (None, "got a NoneType"),
        ({1, 2}, "got a set"),
        (np.array([1.0]), "got an array of float64"),
        (np.array([True]), "got an array of bool"),
        (np.array(["1"]), "got an array of <U1"),
        (np.array([1, 2.0], dtype=object), r"got a float, 2.0, at position \[1\]"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "got an array of datetime64"),
        (torch.tensor([1.0]), "got a tensor of torch.float32"),
        (torch.tensor([True]), "got a tensor of torch.bool"),
        ([torch.tensor([1.0])], r"at position \[0\]"),
        (1j, "got a complex"),
        ([np.array([1.0, 2.0])], r"got a ndarray, array\(\[1., 2.\]\), at position \[0\]"),
        ([torch.tensor([True, False])], r"at position \[0\]"),
    ],
)
def test_what_is_no_integer_is_refused_in_words(value: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words.replace("int()", r"int\(\)")):
        as_integers(value)


def test_ragged_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="must be rectangular"):
        as_integers([[1], [2, 3]])
    with pytest.raises(ValueError, match="must be rectangular"):
        as_integers([1, [2]])
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="fewer than 64 levels"):
        as_integers(endless)


def test_masked_integers_are_refused() -> None:
    masked: NDArray[Any] = np.ma.MaskedArray([1, 2], mask=[False, True])
    with pytest.raises(ValueError, match="masked integers"):
        as_integers(masked)
    assert as_integers(np.ma.MaskedArray([1, 2], mask=False)).tolist() == [1, 2]


def test_anything_that_numpy_can_read_is_read() -> None:
    class Column:
        def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[np.int32]:
            return np.arange(3, dtype=np.int32)

    assert as_integers(Column()).tolist() == [0, 1, 2]


def test_one_integer_is_checked_against_its_bound() -> None:
    assert as_integer(np.uint8(3), "depth", at_least=1) == 3
    for value in (1.0, True, "1", None, [1]):
        with pytest.raises(TypeError, match="depth must be an integer of at least 1, got"):
            as_integer(value, "depth", at_least=1)
