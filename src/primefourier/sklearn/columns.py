"""Read the integers, dates and times of one column, exactly."""

from __future__ import annotations

from datetime import date
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import IntegerArray, as_integers, describe, is_missing

UNITS = ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns")
"""Units of dates and times, as numpy calls them."""


def read_column(
    values: Any, unit: str, *, allow_missing: bool = True
) -> tuple[IntegerArray, NDArray[np.bool], str | None]:
    """Return the integers of a column, 0 where they are missing, which are, and what they count.

    Whole floats are read where all integers of their size are floats, since a column of integers
    with a missing value often becomes one of floats. The last result is "integers", "dates" or
    "dates in" a time zone, or None if no value says it.

    Args:
        values: A narwhals series or a numpy array, (n,).
        unit: The unit of dates and times.
        allow_missing: Whether values may be missing.

    Raises:
        TypeError: For strings, bools and other values that are neither numbers nor dates.
        ValueError: For missing values, fractions, infinity, floats that may have been rounded, and
            dates too far for the unit.

    >>> read_column(np.array(["1970-01-03T12", "NaT"], dtype="datetime64[s]"), "D")
    (array([2, 0]), array([False,  True]), 'dates')
    >>> read_column(np.array([3.0, 10**30, None], dtype=object), "D")[0].tolist()
    [3, 1000000000000000000000000000000, 0]
    """
    zone, missing = None, np.zeros(len(values), dtype=bool)
    if isinstance(values, nw.Series):
        if (zone := getattr(values.dtype, "time_zone", None)) is not None:
            values = values.dt.replace_time_zone(None)
        known, missing = values.drop_nulls(), values.is_null().to_numpy()
        wide = known.dtype in (nw.Int128, nw.UInt128)  # numpy lacks them
        array = np.array(known.to_list(), dtype=object) if wide else known.to_numpy()
        values = np.zeros(len(values), dtype=array.dtype)
        values[~missing] = array
    kind = values.dtype.kind
    if kind in "fM":
        missing = missing | (values != values)  # NaN and NaT
    elif kind == "O":
        missing = missing | np.array([is_missing(value) for value in values], dtype=bool)
    if missing.any() and not allow_missing:
        raise ValueError(
            f"row {np.argmax(missing)} has no value (null, NaN, NaT or masked); fill it, or pass "
            "missing='indicator'"
        )
    objects = values if kind == "O" else ()
    if kind == "M" or any(isinstance(value, date | np.datetime64) for value in objects):
        values = np.where(missing, np.zeros(1, dtype="M8[D]").astype(values.dtype), values)
        return _count_units(values, unit), missing, f"dates in {zone}" if zone else "dates"
    values = np.where(missing, np.zeros(1, dtype=values.dtype), values)
    return _read_integers(values), missing, None if missing.all() else "integers"


def unmask(array: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Return a masked array as one with missing values: NaN, NaT or None.

    >>> unmask(np.ma.array([[1], [2]], mask=[[False], [True]])).tolist()
    [[1], [None]]
    """
    if not np.ma.is_masked(array):
        return array.data
    missing = {"f": np.nan, "M": np.datetime64("NaT")}.get(array.dtype.kind)
    values = array.data.astype(array.dtype if missing is not None else object)
    values[np.ma.getmaskarray(array)] = missing
    return values


def _count_units(values: NDArray[Any], unit: str) -> IntegerArray:
    """Count the units from 1970 to each date or time, rounded down."""
    if values.dtype == object:
        for row, value in enumerate(values):
            if not isinstance(value, date | np.datetime64) or getattr(value, "tzinfo", None):
                raise TypeError(
                    "dates without a time zone are required beside other dates, got "
                    f"{describe(value)}, in row {row}; a column of datetime64 can have one"
                )
        if unit == "ns":
            raise TypeError("for nanoseconds a column of datetime64 is required, got objects")
        values = values.astype("M8[us]")
    counted = values.astype(f"M8[{unit}]")
    wrapped = counted.astype(values.dtype) != values  # numpy says nothing about an overflow
    if np.can_cast(values.dtype, counted.dtype) and wrapped.any():
        row = int(np.argmax(wrapped))
        raise ValueError(f"{values[row]} in row {row} is too far from 1970 for the unit {unit!r}")
    return counted.astype(np.int64)


def _read_integers(values: NDArray[Any]) -> IntegerArray:
    """Read integers and whole floats."""
    if values.dtype.kind in "iu":
        return as_integers(values)
    if values.dtype.kind == "f":
        limit = 2.0 ** (np.finfo(values.dtype).nmant + 1)
        if ((values == np.rint(values)) & (abs(values) < limit)).all():
            return values.astype(np.int64)
    return as_integers([_whole(value, row) for row, value in enumerate(values)])


def _whole(value: Any, row: int) -> int:
    """Read an int, or a float, Decimal or Fraction that is whole."""
    if type(value) is int:
        return value
    required = f"integers or dates are required, got {describe(value)}, in row {row}"
    if isinstance(value, bool | np.bool | str | bytes | np.timedelta64):
        raise TypeError(f"{required}; convert the column to integers or dates first")
    try:
        number = int(value)
    except TypeError as error:
        raise TypeError(f"{required}; {error}") from error
    except (ValueError, OverflowError):  # infinity
        number = None
    if number is None or number != value:
        raise ValueError(f"{required}; round fractions, or count in a smaller unit")
    if isinstance(value, float | np.floating) and abs(number) >= 2 ** (np.finfo(value).nmant + 1):
        raise ValueError(f"{required}, which may have been rounded; keep large integers as Int64")
    return number
