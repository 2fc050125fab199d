"""Read tables of numbers with gaps, and write the numbers in little room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

Table: TypeAlias = Iterable[Iterable[float]]
"""Rows of numbers: nested sequences or a two-dimensional array; NaN is a value not measured yet."""


def read_table(values: Table, rows: int, columns: int, name: str) -> list[list[float]]:
    """Return a table as lists of floats, or say what is wrong with it.

    >>> read_table([[0.5, float("nan")]], 1, 2, "values")
    [[0.5, nan]]
    """
    table = [[float(value) for value in row] for row in values]
    require_shape(table, rows, columns, name)
    if any(math.isinf(value) for row in table for value in row):
        raise ValueError(f"{name} must be finite, or NaN where nothing is measured; got infinity")
    return table


def read_ascending(values: Iterable[float], name: str) -> tuple[float, ...]:
    """Return numbers as floats, or say that they do not ascend.

    >>> read_ascending([100, 500], "ranges")
    (100.0, 500.0)
    """
    numbers = tuple(float(value) for value in values)
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{name} must be finite numbers, got {numbers}")
    if any(a >= b for a, b in pairwise(numbers)):
        raise ValueError(f"{name} must ascend, got {numbers}; pass them sorted, each once")
    return numbers


def require_shape(table: Sequence[Sequence[object]], rows: int, columns: int, name: str) -> None:
    """Refuse a table that has not one entry for each row and column."""
    lengths = [len(row) for row in table]
    if lengths != [columns] * rows:
        raise ValueError(
            f"{name} must have {rows} rows of {columns}, got {len(lengths)} rows of "
            f"{', '.join(map(str, sorted(set(lengths)))) or 'nothing'}"
        )


def write_number(value: float, spec: str) -> str:
    """Format a number with a real minus sign, and no sign where it rounds to zero.

    >>> write_number(-0.25, ".2f"), write_number(-0.001, ".2f")
    ('−0.25', '0.00')
    """
    text = format(value, spec)
    if not any(digit in text for digit in "123456789"):
        text = text.replace("-", "")
    return text.replace("-", "−")


def write_short(value: float) -> str:
    """Format a number in little room: hundredths, without the zero before the point.

    >>> write_short(0.894), write_short(-0.03), write_short(1), write_short(-1)
    ('.89', '−.03', '1.00', '−1.0')
    """
    text = write_number(value, ".2f")
    if text.startswith(("0.", "−0.")):
        return text.replace("0.", ".", 1)
    return text if len(text) <= 4 else write_number(value, ".1f")
