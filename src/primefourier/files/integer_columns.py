"""Read the exact integers of a column; non-integers are reported, never rounded."""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from primefourier.arithmetic.integers import IntegerArray, as_integers
from primefourier.files.reports import FileError

MOST_DIGITS = 10_000
"""Longer texts are bad rows, since the time to read one grows with the square of its length."""

_BLANKS = " \t\r\n\f\v"
_INTEGER = re.compile(r"[+-]?[0-9]+")
_PLAIN = "^-?[0-9]{1,19}$"  # Arrow casts these quickly, and exactly if they fit int64


def require_integer_type(kind: Any, where: str) -> None:
    """Refuse an Arrow type that holds neither integers nor texts of integers.

    >>> require_integer_type(pa.float64(), "column 'n' of in.parquet")
    Traceback (most recent call last):
    primefourier.files.reports.FileError: column 'n' of in.parquet must hold integers or texts of
    decimal integers, got double; cast it to one of these
    """
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_text = plain in (pa.string(), pa.large_string(), pa.string_view())
    is_whole_decimal = pa.types.is_decimal(plain) and plain.scale == 0
    if not (is_text or is_whole_decimal or pa.types.is_integer(plain)):
        raise FileError(
            f"{where} must hold integers or texts of decimal integers, got {kind}; cast it to one "
            "of these"
        )


def read_column(values: Any) -> tuple[IntegerArray, dict[int, str]]:
    """Read the integers of an Arrow array of a type that :func:`require_integer_type` accepts.

    Returns:
        The integers of the good rows, and the reason for each bad row by its index.

    >>> numbers, bad = read_column(pa.array([" 7", "3.0", "", str(10**30)]))
    >>> numbers.tolist(), bad
    ([7, 1000000000000000000000000000000], {1: 'is not a decimal integer', 2: 'is empty'})
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    missing = np.flatnonzero(pc.is_null(values).to_numpy(zero_copy_only=False))
    bad = dict.fromkeys(missing.tolist(), "is null")
    if pa.types.is_integer(values.type):
        return as_integers(values.drop_null().to_numpy(zero_copy_only=False)), bad
    if pa.types.is_decimal(values.type):
        return as_integers([int(v) for v in values.drop_null().to_pylist()]), bad
    if pa.types.is_string_view(values.type):  # older versions of Arrow cannot cast them
        values = pa.array(values.to_pylist(), pa.large_string())
    texts = values.cast(pa.large_string())
    if pc.all(pc.match_substring_regex(texts, _PLAIN), min_count=0).as_py():
        with suppress(pa.ArrowInvalid):  # 19 digits may be too many
            quick = pc.cast(texts.drop_null(), pa.int64())
            return as_integers(quick.to_numpy(zero_copy_only=False)), bad
    numbers = []
    for index, text in enumerate(texts.to_pylist()):
        try:
            if text is not None:
                numbers.append(read_text(text))
        except ValueError as error:
            bad[index] = str(error)
    return as_integers(numbers), bad


def read_text(text: str) -> int:
    """Read one decimal integer, with or without blanks around it.

    Raises:
        ValueError: With the reason as the end of a sentence about the text.

    >>> read_text(" +007 ")
    7
    """
    digits = text.strip(_BLANKS)
    if not digits:
        raise ValueError("is empty")
    if not _INTEGER.fullmatch(digits):
        raise ValueError("is not a decimal integer")
    if len(digits.lstrip("+-")) > MOST_DIGITS:
        raise ValueError(f"has more than {MOST_DIGITS} digits")
    return int(Decimal(digits))  # exact, and unlike int(digits) without a limit of 4300 digits
