from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.files import FileError
from primefourier.files.integer_columns import (
    MOST_DIGITS,
    read_column,
    read_text,
    require_integer_type,
)
from strategies import NUMBERS


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_every_integer_type_is_read_exactly(bits: int) -> None:
    for kind, low, high in (
        (f"int{bits}", -(2 ** (bits - 1)), 2 ** (bits - 1) - 1),
        (f"uint{bits}", 0, 2**bits - 1),
    ):
        values = pa.array([low, None, high], getattr(pa, kind)())
        require_integer_type(values.type, "n")
        numbers, bad = read_column(values)
        assert numbers.tolist() == [low, high]
        assert bad == {1: "is null"}


TEXT_TYPES = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]


@given(st.lists(NUMBERS | st.integers(-99, 99), max_size=5), st.sampled_from(TEXT_TYPES))
def test_texts_of_any_integers_are_read_exactly(numbers: list[int], kind: Any) -> None:
    values = pa.array([str(number) for number in numbers], pa.string())
    values = values.dictionary_encode() if pa.types.is_dictionary(kind) else values.cast(kind)
    require_integer_type(values.type, "n")
    found, bad = read_column(values)
    assert found.tolist() == numbers
    assert bad == {}


def test_views_of_texts_and_dictionaries_of_integers_are_read() -> None:
    for values in (pa.array(["12"], pa.string_view()), pa.array([12]).dictionary_encode()):
        require_integer_type(values.type, "n")
        assert read_column(values)[0].tolist() == [12]


@pytest.mark.parametrize("kind", [pa.decimal128(38, 0), pa.decimal256(76, 0)])
def test_decimals_without_fraction_are_read_exactly(kind: Any) -> None:
    top = 10**kind.precision - 1
    require_integer_type(kind, "n")
    numbers, bad = read_column(pa.array([Decimal(top), None, Decimal(-top)], kind))
    assert numbers.tolist() == [top, -top]
    assert bad == {1: "is null"}


@pytest.mark.parametrize(
    "kind",
    [
        pa.float64(),
        pa.bool_(),
        pa.null(),
        pa.binary(),
        pa.timestamp("ns"),
        pa.decimal128(10, 2),
        pa.list_(pa.int64()),
        pa.dictionary(pa.int8(), pa.float64()),
    ],
    ids=str,
)
def test_other_types_are_refused_as_a_whole(kind: Any) -> None:
    with pytest.raises(FileError, match="column 'n' must hold integers or texts of decimal"):
        require_integer_type(kind, "column 'n'")


@pytest.mark.parametrize(
    "text",
    ["3.0", "1e3", "0x10", "1_000", "1,000", "١٢", "½", "--1", "+", "- 1", "1 2", "nan", "\u00a01"],
)
def test_nothing_but_decimal_integers_is_read(text: str) -> None:
    for more in ([], ["7"]):
        numbers, bad = read_column(pa.array([text, *more]))
        assert numbers.tolist() == [int(one) for one in more]
        assert bad == {0: "is not a decimal integer"}


def test_blanks_signs_and_zeros_are_allowed() -> None:
    texts = [" 7", "7 ", "\t+7\r\n", "007", "-0", "+00"]
    assert read_column(pa.array(texts))[0].tolist() == [7, 7, 7, 7, 0, 0]
    for text in ("", " ", "\t"):
        assert read_column(pa.array([text]))[1] == {0: "is empty"}


def test_digits_are_read_up_to_a_limit_whatever_python_is_set_to() -> None:
    text = ("123456789" * 1112)[:MOST_DIGITS]
    number = 0
    for digit in text:
        number = number * 10 + int(digit)
    assert (read_text(text), read_text(f"-{text}")) == (number, -number)
    with pytest.raises(ValueError, match="has more than 10000 digits"):
        read_text(f"+{text}0")


def test_the_quick_way_agrees_with_the_readable_one() -> None:
    numbers = np.random.default_rng(0).integers(-(10**17), 10**17, 100).tolist()
    texts = [str(number) for number in numbers]
    assert read_column(pa.array(texts))[0].tolist() == [read_text(text) for text in texts]
    edge = [2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**18, -(10**18)]
    for stop in (1, 2, 3, 6):
        assert read_column(pa.array(map(str, edge[:stop])))[0].tolist() == edge[:stop]
    assert read_column(pa.array([*texts, " 1"]))[0].tolist() == [*numbers, 1]
    assert read_column(pa.array([], pa.string()))[0].tolist() == []
