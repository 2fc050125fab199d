"""Prime Fourier features of the columns of a table, as a transformer of scikit-learn.

A column is read as exact integers, dates and times included; its circles are rows: a basis of one
prime, or a single circle of any period n/d, whose angle determines a mod n.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_array,
    check_is_fitted,
    validate_data,
)

from primefourier._checks import require_choice
from primefourier.arithmetic import combine_residues, factorize, residues
from primefourier.arithmetic.crt import combine_coprime
from primefourier.arithmetic.integers import (
    IntegerArray,
    as_integer,
    as_integers,
    describe,
    format_integer,
    is_missing,
)
from primefourier.encoding import PrimeBasis, decode, encode
from primefourier.encoding.basis import require_basis
from primefourier.encoding.circle import PERIOD_LIMIT, machine_codes

Row: TypeAlias = PrimeBasis | Fraction
_LONGEST = 10**12  # larger periods are written as powers in the names of features
_UNITS = ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns")


class FittedColumn(NamedTuple):
    """What ``fit`` learned of a column; ``low`` and ``high`` are its least and largest integer."""

    name: str
    rows: tuple[Row, ...]
    labels: list[str]
    unit: str
    kind: str | None
    low: int
    high: int


class PrimeFourierFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns of integers, dates and times as points on circles, exactly.

    The features of a column are (cos, sin) of 2πa/T for each period T; with a basis they are
    ``encode(a, basis, flat=True)``. Exactly one of ``basis``, ``modulus`` and ``period`` is
    required. It and ``unit`` are one value for all columns, or a mapping from their names.

    Args:
        basis: A PrimeBasis: all its channels.
        modulus: N, at least 2: the channels that ``plan`` names for N.
        period: A number T above 1, whole or not, or a list of them: one circle each.
        unit: Dates and times are counted in "Y", "M", "D", "h", "m", "s", "ms", "us" or "ns" from
            1970, rounded down, by the clock of their time zone.
        missing: "error", or "indicator": a missing value has zeros instead of points, and each
            column one further feature, 1 where its value is missing.

    Attributes:
        columns_: What ``fit`` learned of each column.

    >>> features = PrimeFourierFeatures(modulus=7)
    >>> features.fit_transform([[0], [10**30]]).shape
    (2, 2)
    >>> features.get_feature_names_out().tolist()
    ['x0_mod7_cos', 'x0_mod7_sin']
    """

    def __init__(
        self,
        *,
        basis: PrimeBasis | Mapping[str, PrimeBasis] | None = None,
        modulus: int | Mapping[str, int] | None = None,
        period: Any = None,
        unit: str | Mapping[str, str] = "D",
        missing: Literal["error", "indicator"] = "error",
    ) -> None:
        self.basis, self.modulus, self.period = basis, modulus, period
        self.unit, self.missing = unit, missing

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn what each column holds; how many features there are, only parameters say."""
        require_choice(self.missing, ("error", "indicator"), "missing")
        given = [one for one in ("basis", "modulus", "period") if getattr(self, one) is not None]
        if len(given) != 1:
            got = " and ".join(given) or "none"
            raise ValueError(f"exactly one of basis, modulus and period is required, got {got}")
        columns = self._columns_of(X, reset=True)
        names = _check_feature_names_in(self).tolist()
        units = _per_column(self.unit, names, "unit")
        fitted = []
        for i, value in enumerate(_per_column(getattr(self, given[0]), names, given[0])):
            require_choice(units[i], _UNITS, "unit")
            rows, periods = _read_rows(given[0], value)
            labels = [f"mod{period}_{axis}" for period in periods for axis in ("cos", "sin")]
            labels += ["missing"][: self.missing == "indicator"]
            numbers, missing, kind = self._read(columns[i], names[i], units[i])
            known = numbers[~missing].tolist() or [0]
            ends = min(known), max(known)
            fitted.append(FittedColumn(names[i], rows, labels, units[i], kind, *ends))
        self.columns_ = tuple(fitted)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the features, float64, (rows, features)."""
        check_is_fitted(self)
        parts = []
        for fitted, values in zip(self.columns_, self._columns_of(X, reset=False), strict=True):
            numbers, missing, kind = self._read(values, fitted.name, fitted.unit)
            if None not in (kind, fitted.kind) and kind != fitted.kind:
                raise ValueError(f"column {fitted.name!r} held {fitted.kind} at fit, got {kind}")
            codes = np.concatenate([_encode_row(numbers, row) for row in fitted.rows], axis=1)
            parts.append(codes * ~missing[:, None])
            if self.missing == "indicator":
                parts.append(missing[:, None])
        return np.concatenate(parts, axis=1, dtype=np.float64)

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return integers or dates from their features: those around the ones seen by ``fit``.

        Returns:
            The columns as one array: of integers, or of datetime64 in the unit, without a time
            zone; of objects if columns differ or an integer is missing (None; a date is NaT).

        Raises:
            ValueError: If features are not near any code, or if the circles of a column cannot tell
                the integers apart that ``fit`` saw.
        """
        check_is_fitted(self)
        if np.ma.is_masked(X):
            raise ValueError(
                "features must all have values, got masked ones; a missing integer has zeros and 1 "
                "as its indicator"
            )
        X = check_array(X, dtype=np.float64, input_name="X")
        edges = np.cumsum([len(column.labels) for column in self.columns_])
        if X.shape[1] != edges[-1]:
            raise ValueError(f"{edges[-1]} features are required, got {X.shape[1]}")
        parts = [*map(self._restore, self.columns_, np.split(X, edges[:-1], axis=1))]
        if len({part.dtype for part in parts}) == 1:
            return np.stack(parts, axis=1)
        return np.array([[*part, None] for part in parts], dtype=object)[:, :-1].T

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return names such as "day_mod7_cos", and with an indicator "day_missing"."""
        check_is_fitted(self)
        names = zip(_check_feature_names_in(self, input_features), self.columns_, strict=True)
        every = [f"{name}_{label}" for name, column in names for label in column.labels]
        return np.array(every, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True  # scikit-learn's word for columns of whole numbers
        tags.input_tags.allow_nan = self.missing == "indicator"
        return tags

    def _columns_of(self, X: Any, *, reset: bool) -> list[Any]:
        """Split a data frame or an array into columns, after scikit-learn's own checks."""
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            validate_data(self, X, reset=reset, skip_check_array=True)
            check_array(np.broadcast_to(0, frame.shape), estimator=self)  # not empty
            return [*frame.iter_columns()]
        if isinstance(X, np.ma.MaskedArray):
            X = _unmask(X)
        if isinstance(X, list | tuple):
            X = np.array(X, dtype=object)  # numpy would make floats of some large integers
        return [*validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False).T]

    def _read(self, values: Any, name: str, unit: str) -> Any:
        try:
            return _read_column(values, unit, allow_missing=self.missing == "indicator")
        except (TypeError, ValueError) as error:
            raise type(error)(f"column {name!r}: {error}") from error

    def _restore(self, column: FittedColumn, codes: NDArray[np.float64]) -> NDArray[Any]:
        """Decode a column to the integers or dates within half a range around those of ``fit``."""
        known = np.ones(len(codes), dtype=bool)
        if self.missing == "indicator":
            codes, known = codes[:, :-1], codes[:, -1] < 0.5
        try:
            found = _decode_rows(codes[known], column.rows, column.low, column.high)
        except ValueError as error:  # the advice of an UnclearCodeError is for ``decode``
            problem = getattr(error, "problem", error)
            raise ValueError(f"column {column.name!r}: {problem}") from error
        if (column.kind or "").startswith("dates"):
            restored = np.full(len(codes), "NaT", dtype=f"M8[{column.unit}]")
        elif known.all():
            return found
        else:
            restored = np.full(len(codes), None)
        restored[known] = found
        return restored


def _per_column(value: Any, names: list[str], what: str) -> list[Any]:
    """Return a value for each column from one value or a mapping."""
    if not isinstance(value, Mapping):
        return [value] * len(names)
    if {*value} != {*names}:
        raise ValueError(f"{what} requires an entry for each of {names}, got {list(value)}")
    return [value[name] for name in names]


def _read_rows(what: str, value: Any) -> tuple[tuple[Row, ...], list[str]]:
    """Return the rows of a basis, of a modulus (as ``plan`` names them) or of periods; all periods.

    >>> _read_rows("modulus", 12)
    ((PrimeBasis(primes=(2,), depth=2), PrimeBasis(primes=(3,), depth=1)), ['2', '4', '3'])
    >>> _read_rows("period", [24, 365.2425])
    ((Fraction(24, 1), Fraction(146097, 400)), ['24', '365.2425'])
    """
    if what == "period":
        periods = tuple(map(_read_period, value if isinstance(value, list | tuple) else [value]))
        labels = [str(t) if t.denominator == 1 else f"{float(t):.10g}" for t in periods]
        if len({*labels}) < max(1, len(labels)):
            raise ValueError(f"period must be a number or a list of distinct ones, got {value!r}")
        return periods, labels
    if what == "modulus":
        powers = factorize(as_integer(value, "modulus", at_least=2))
    else:
        require_basis(value)
        powers = tuple((p, value.depth) for p in value.primes)
    rows = tuple(PrimeBasis((p,), exponent) for p, exponent in powers)
    return rows, [
        f"{row.primes[0]}^{d + 1}" if d and period > _LONGEST else str(period)
        for row in rows
        for d, period in enumerate(row.periods[0])
    ]


def _read_period(period: Any) -> Fraction:
    """Read a number above 1; a float is the decimal number that it shows."""
    number = isinstance(period, int | float | Fraction | np.integer | np.floating)
    exact = Fraction(str(period)) if number and 1 < period < PERIOD_LIMIT else Fraction(0)
    if not 0 < exact.numerator < PERIOD_LIMIT:
        raise ValueError(
            "period must be a number above 1 (an int, a float or a Fraction with a numerator below "
            f"2^62) or a list of such numbers, got {describe(period)}"
        )
    return exact


def _encode_row(numbers: IntegerArray, row: Row) -> NDArray[np.float64]:
    """Return the codes of integers on the circles of a row, (n,) → (n, 2 · circles)."""
    if isinstance(row, PrimeBasis):
        return encode(numbers, row, "float64", flat=True)
    n, d = row.as_integer_ratio()  # a turns are a·d/n turns of a circle of period n
    rest = residues(numbers, [n])
    if d > 1:
        rest = (rest.astype(object) * d % n).astype(np.int64)
    return np.concatenate(machine_codes(rest, np.array([n])), axis=1)


def _decode_row(codes: NDArray[np.float64], row: Row) -> IntegerArray:
    """Return residues modulo the range of a row, (n, 2 · circles) → (n,)."""
    if isinstance(row, PrimeBasis):
        return decode(codes, row).residues[:, 0]
    n, d = row.as_integer_ratio()
    steps = np.arctan2(codes[:, 1], codes[:, 0]) / (2 * np.pi) * n
    clear = abs(steps - np.rint(steps)) < 0.05 - n * 2.0**-50  # less what rounding can add
    clear &= abs(np.hypot(codes[:, 0], codes[:, 1]) - 1) < 0.25
    if not clear.all():
        raise ValueError(f"vector [{np.argmin(clear)}] is not near any code of period {row}")
    return np.rint(steps).astype(np.int64).astype(object) * pow(d, -1, n) % n


def _decode_rows(
    codes: NDArray[np.float64], rows: tuple[Row, ...], low: int, high: int
) -> IntegerArray:
    """Return the integers around low … high with these codes, (n, 2 · circles) → (n,)."""
    moduli = [row.range if isinstance(row, PrimeBasis) else row.numerator for row in rows]
    total, span = math.lcm(*moduli), high - low + 1
    if span > total:
        raise ValueError(
            f"fit saw integers that are {format_integer(span - 1)} apart, but the circles repeat "
            f"every {format_integer(total)}; use more primes, depth or periods"
        )
    # every window of ``total`` integers has each code once; this one has low … high in its middle
    start = low - (total - span) // 2
    widths = [row.dim if isinstance(row, PrimeBasis) else 2 for row in rows]
    parts = np.split(codes, np.cumsum(widths)[:-1], axis=1)
    found = np.stack([_decode_row(*pair) for pair in zip(parts, rows, strict=True)], axis=1)
    if total == math.prod(moduli):
        values = combine_coprime(found, moduli).tolist()
    else:
        values = [combine_residues(row, moduli).value for row in found.tolist()]
    return as_integers([(value - start) % total + start for value in values])


def _read_column(
    values: Any, unit: str, *, allow_missing: bool = True
) -> tuple[IntegerArray, NDArray[np.bool], str | None]:
    """Return the integers of a column, 0 where they are missing; which are; and what they count.

    The last result is "integers", "dates" or "dates in" a time zone, or None if no value says it.

    >>> _read_column(np.array(["1970-01-03T12", "NaT"], dtype="datetime64[s]"), "D")
    (array([2, 0]), array([False,  True]), 'dates')
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


def _unmask(array: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Return a masked array as one with missing values: NaN, NaT or None."""
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
    # A column of integers with a missing value often became one of floats. Below the limit all
    # integers are floats, so that none was rounded on the way.
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
