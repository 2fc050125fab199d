"""Prime Fourier features of the columns of a table, as a transformer of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

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
from primefourier.encoding import PrimeBasis
from primefourier.sklearn.columns import UNITS, read_column, unmask
from primefourier.sklearn.rows import Row, decode_rows, encode_rows, read_rows


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
            require_choice(units[i], UNITS, "unit")
            rows, periods = read_rows(given[0], value)
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
            parts.append(encode_rows(numbers, fitted.rows) * ~missing[:, None])
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
            X = unmask(X)
        if isinstance(X, list | tuple):
            X = np.array(X, dtype=object)  # numpy would make floats of some large integers
        return [*validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False).T]

    def _read(self, values: Any, name: str, unit: str) -> Any:
        try:
            return read_column(values, unit, allow_missing=self.missing == "indicator")
        except (TypeError, ValueError) as error:
            raise type(error)(f"column {name!r}: {error}") from error

    def _restore(self, column: FittedColumn, codes: NDArray[np.float64]) -> NDArray[Any]:
        """Decode a column to the integers or dates within half a range around those of ``fit``."""
        known = np.ones(len(codes), dtype=bool)
        if self.missing == "indicator":
            codes, known = codes[:, :-1], codes[:, -1] < 0.5
        try:
            found = decode_rows(codes[known], column.rows, column.low, column.high)
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
