"""Turn a column into exact integers: nothing is rounded, and what is no integer is told."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from primefourier.arithmetic.integers import IntegerArray, as_integers
from primefourier.bulk.errors import BulkError

MOST_DIGITS = 10_000
"""Longer texts are bad rows: reading them takes time that grows with the square of the length."""

_BLANKS = " \t\r\n\f\v"
_INTEGER = re.compile(r"[+-]?[0-9]+")
_PLAIN = "^-?[0-9]{1,19}$"  # what Arrow reads quickly, and exactly if it fits int64
_PIECE = 4000  # digits that int() reads whatever limit Python is set to


def require_integer_type(kind: Any, where: str) -> None:
    """Refuse a column that cannot hold integers or texts of integers.

    Args:
        kind: The Arrow type of the column.
        where: Which column of which file, for the error.

    Raises:
        BulkError: For floats, bools, dates, lists and so on.

    >>> require_integer_type(pa.float64(), "column 'n' of in.parquet")
    Traceback (most recent call last):
    primefourier.bulk.errors.BulkError: column 'n' of in.parquet must hold integers or texts of
    decimal integers, got double; cast it to int64 if its values are whole numbers
    """
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_integer(plain) or _is_text(plain):
        return
    if pa.types.is_decimal(plain) and plain.scale == 0:
        return
    advice = (
        "; cast it to int64 if its values are whole numbers"
        if pa.types.is_floating(plain) or pa.types.is_boolean(plain) or pa.types.is_decimal(plain)
        else ""
    )
    raise BulkError(f"{where} must hold integers or texts of decimal integers, got {kind}{advice}")


def read_column(values: Any) -> tuple[IntegerArray, NDArray[Any], dict[int, str]]:
    """Read the integers of a column.

    Args:
        values: An Arrow array of a type that :func:`require_integer_type` accepts.

    Returns:
        The integers of the good rows; for each row whether it is good; and for each bad row,
        by its index, why it is bad.

    Shape:
        (good rows,), (rows,).

    >>> numbers, good, bad = read_column(pa.array([" 7", "3.0", None, str(10**30)]))
    >>> numbers.tolist(), good.tolist()
    ([7, 1000000000000000000000000000000], [True, False, False, True])
    >>> bad
    {1: 'is not a decimal integer', 2: 'is null'}
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    present = np.asarray(pc.is_valid(values).to_numpy(zero_copy_only=False))
    bad = dict.fromkeys(np.flatnonzero(~present).tolist(), "is null")
    if pa.types.is_integer(values.type):
        return as_integers(values.drop_null().to_numpy(zero_copy_only=False)), present, bad
    if pa.types.is_decimal(values.type):
        return as_integers([int(v) for v in values.drop_null().to_pylist()]), present, bad
    if pa.types.is_string_view(values.type):  # which older versions of Arrow cannot cast
        values = pa.array(values.to_pylist(), pa.large_string())
    return _read_texts(values.cast(pa.large_string()), present, bad)


def read_text(text: str) -> int:
    """Read one decimal integer, blanks around it allowed.

    Raises:
        ValueError: With the end of a sentence that says why the text is none.

    >>> read_text(" +007 ")
    7
    >>> read_text("1e3")
    Traceback (most recent call last):
    ValueError: is not a decimal integer
    """
    if (reason := why_no_integer(text)) is not None:
        raise ValueError(reason)
    digits = text.strip(_BLANKS)
    negative, digits = digits.startswith("-"), digits.lstrip("+-")
    number = 0
    for start in range(0, len(digits), _PIECE):
        piece = digits[start : start + _PIECE]
        number = number * 10 ** len(piece) + int(piece)
    return -number if negative else number


def why_no_integer(text: str) -> str | None:
    """Say why a text is no decimal integer, as the end of a sentence, or None if it is one.

    >>> why_no_integer("-12"), why_no_integer("")
    (None, 'is empty')
    """
    digits = text.strip(_BLANKS)
    if not digits:
        return "is empty"
    if not _INTEGER.fullmatch(digits):
        return "is not a decimal integer"
    if len(digits.lstrip("+-")) > MOST_DIGITS:
        return f"has more than {MOST_DIGITS} digits"
    return None


def _is_text(kind: Any) -> bool:
    kinds = pa.types
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _read_texts(
    values: Any, present: NDArray[Any], bad: dict[int, str]
) -> tuple[IntegerArray, NDArray[Any], dict[int, str]]:
    if not bad and pc.all(pc.match_substring_regex(values, _PLAIN), min_count=0).as_py():
        with suppress(pa.ArrowInvalid):  # 19 digits may be too many
            quick = pc.cast(values, pa.int64()).to_numpy(zero_copy_only=False)
            return as_integers(quick), present, bad
    good, numbers = present.copy(), []
    for index, text in enumerate(values.to_pylist()):
        if text is None:
            continue
        try:
            numbers.append(read_text(text))
        except ValueError as error:
            good[index], bad[index] = False, str(error)
    return as_integers(numbers), good, dict(sorted(bad.items()))
