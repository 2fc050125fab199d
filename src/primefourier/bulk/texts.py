"""Columns and codes as texts: fields of CSV files, values of JSON lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from primefourier.bulk.batch import Encoded
from primefourier.bulk.errors import BulkError
from primefourier.bulk.json_types import json_text

_NUMBERS_AT_ONCE = 1 << 20  # a text takes several times the memory of its number


def pieces(encoded: Encoded) -> Iterator[tuple[pa.RecordBatch, list[str]]]:
    """Yield rows and the texts of their codes, as many at once as memory should hold.

    Args:
        encoded: A batch, whose rows have at least one column.

    Returns:
        Some rows, and for each of them its code as :func:`code_texts` writes it.
    """
    size = max(1, _NUMBERS_AT_ONCE // math.prod(encoded.codes.shape[1:]))
    for start in range(0, len(encoded.codes), size):
        yield encoded.rows.slice(start, size), code_texts(encoded.codes[start : start + size])


def code_texts(codes: NDArray[Any]) -> list[str]:
    """Write codes as JSON lists of the shortest numbers that give the same floats again.

    Args:
        codes: float16, float32 or float64.

    Returns:
        One text for each row.

    Shape:
        (rows, P, D, 2) → (rows,)

    >>> code_texts(np.array([[[[0.5, 0.1]]], [[[1, 0]]]], dtype=np.float32))
    ['[0.5,0.1]', '[1,0]']
    """
    rows, width = len(codes), math.prod(codes.shape[1:])
    # float16 by way of float32: Arrow writes it with all its digits
    numbers = codes.astype(np.float32) if codes.dtype == np.float16 else codes
    texts = pc.cast(pa.array(numbers.reshape(-1)), pa.string())
    offsets = pa.array(np.arange(0, rows * width + 1, width, dtype=np.int32))
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ",")
    return [f"[{text}]" for text in joined.to_pylist()]


def require_text_columns(schema: pa.Schema) -> None:
    """Refuse columns of bytes, which neither CSV nor JSON can hold.

    >>> require_text_columns(pa.schema([("photo", pa.binary())]))
    Traceback (most recent call last):
    primefourier.bulk.errors.BulkError: column 'photo' holds bytes (binary), which CSV and JSON
    cannot hold; write Parquet, or leave the column out of the input
    """
    for field in schema:
        if _has_bytes(field.type):
            raise BulkError(
                f"column {field.name!r} holds bytes ({field.type}), which CSV and JSON cannot "
                "hold; write Parquet, or leave the column out of the input"
            )


def field_texts(column: Any) -> list[str | None]:
    """Write a column as fields of a CSV file: lists and structs as JSON texts, null as None.

    >>> field_texts(pa.array([[1, 2], None])), field_texts(pa.array([0.1, 7]))
    (['[1, 2]', None], ['0.1', '7'])
    """
    if _is_nested(column.type):
        return [None if value is None else json_text(value) for value in column.to_pylist()]
    return _cast(column)


def json_texts(column: Any) -> list[str]:
    """Write a column as JSON values.

    >>> json_texts(pa.array(["a", None])), json_texts(pa.array([0.1, float("nan")]))
    (['"a"', 'null'], ['0.1', 'null'])
    """
    column = _plain(column)
    kind = column.type
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_finite(column), column, pa.scalar(None, kind))
    elif not (pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_boolean(kind)):
        values = column.to_pylist() if _is_nested(kind) else _cast(column)
        return [json_text(value) for value in values]
    return ["null" if text is None else text for text in _cast(column)]


def _plain(column: Any) -> Any:
    """Return the same values without a dictionary, and in a type that Arrow can do more with."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.float32()) if pa.types.is_float16(column.type) else column


def _cast(column: Any) -> list[str | None]:
    column = _plain(column)
    if pa.types.is_null(column.type):
        return [None] * len(column)
    try:
        return list(column.cast(pa.large_string()).to_pylist())
    except pa.ArrowNotImplementedError:  # intervals, for example
        return [None if value is None else str(value) for value in column.to_pylist()]


def _is_nested(kind: Any) -> bool:
    return bool(pa.types.is_nested(kind))


def _has_bytes(kind: Any) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return _has_bytes(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _has_bytes(kind.value_type)
    if pa.types.is_nested(kind):
        return any(_has_bytes(kind.field(i).type) for i in range(kind.num_fields))
    kinds = pa.types
    return bool(
        kinds.is_binary(kind)
        or kinds.is_large_binary(kind)
        or kinds.is_fixed_size_binary(kind)
        or kinds.is_binary_view(kind)
    )
