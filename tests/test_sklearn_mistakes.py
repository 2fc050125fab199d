"""Mistakes in a table or in parameters are errors that say where they are and what to do."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from primefourier.sklearn import PrimeFourierFeatures

DAY = dt.date(2026, 11, 18)
NOON = dt.datetime(2026, 11, 18, 12, 30)


WRONG: list[tuple[dict[str, Any], Any, type[Exception], str]] = [
    ({"unit": "s"}, [[1]], ValueError, "exactly one of basis, modulus and period .* got none"),
    ({"modulus": 7, "period": 7}, [[1]], ValueError, "got modulus and period"),
    ({"modulus": 1}, [[1]], ValueError, "modulus must be an integer of at least 2, got 1"),
    ({"modulus": "7"}, [[1]], TypeError, "modulus must be an integer .* got a str, '7'"),
    ({"basis": (3, 5)}, [[1]], TypeError, "basis must be a PrimeBasis, got a tuple"),
    ({"period": 1}, [[1]], ValueError, "period must be a number above 1 .* got an int, 1$"),
    ({"period": float("nan")}, [[1]], ValueError, "above 1 .* got a float, nan"),
    ({"period": 2**70}, [[1]], ValueError, r"below 2\^62\) .* got an int, 1180591620717411303424"),
    ({"period": "7"}, [[1]], ValueError, "a list of such numbers, got a str, '7'"),
    ({"period": []}, [[1]], ValueError, r"a list of distinct ones, got \[\]"),
    ({"period": [7, 7.0]}, [[1]], ValueError, r"a list of distinct ones, got \[7, 7.0\]"),
    ({"modulus": {"x1": 7}}, [[1]], ValueError, "an entry for each of \\['x0'\\], got \\['x1'\\]"),
    ({"modulus": 7, "unit": "W"}, [[1]], ValueError, "unit must be 'Y', .* or 'ns', got 'W'"),
    ({"modulus": 7, "missing": "zero"}, [[1]], ValueError, "missing must be 'error' or 'ind"),
    ({"modulus": 7}, [["a"]], TypeError, "'x0': .* got a str, 'a', in row 0; convert the col"),
    ({"modulus": 7}, [[5], [True]], TypeError, "got a bool, True, in row 1; convert the column to"),
    ({"modulus": 7}, [[5], [1.5]], ValueError, "got a float, 1.5, in row 1; round fractions"),
    ({"modulus": 7}, [[5], [Decimal("1.5")]], ValueError, r"got a Decimal, .*, in row 1; rou"),
    ({"modulus": 7}, [[5], [np.inf]], ValueError, "got a float, inf, in row 1"),
    ({"modulus": 7}, np.array([[5], [np.inf]]), ValueError, r"np.float64\(inf\), in row 1"),
    ({"modulus": 7}, [[5], [{}]], TypeError, r"got a dict, {}, in row 1; int\(\) argument must be"),
    ({"modulus": 7}, [[5], [DAY]], TypeError, "dates without .* got an int, 5, in row 0"),
    ({"modulus": 7}, [[NOON.replace(tzinfo=dt.UTC)]], TypeError, "dates without a time zone"),
    ({"modulus": 7, "unit": "ns"}, [[DAY]], TypeError, "for nanoseconds a column of datetime64"),
    (
        {"modulus": 7, "unit": "ns"},
        np.array([["2020-01-01"], ["9999-12-31"]], dtype="M8[s]"),
        ValueError,
        "9999-12-31T00:00:00 in row 1 is too far from 1970 for the unit 'ns'",
    ),
    ({"modulus": 7}, pd.DataFrame({"t": [pd.Timedelta(1)]}), TypeError, "got a timedelta64"),
    ({"modulus": 7}, pd.DataFrame({"t": ["2020-01-01"]}), TypeError, "column 't': .*'2020-01-01'"),
    ({"modulus": 7}, pd.DataFrame({"t": []}), ValueError, "0 sample"),
    ({"modulus": 7}, pl.DataFrame({"t": [1]})["t"], ValueError, "Expected 2D array, got 1D"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "X", "kind", "words"), WRONG)
def test_mistakes_are_errors_that_name_the_column_and_the_row(
    parameters: dict[str, Any], X: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        PrimeFourierFeatures(**parameters).fit(X)


def test_columns_must_be_those_of_fit() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    fitted = PrimeFourierFeatures(modulus=7).fit(frame)
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- b"):
        fitted.transform(frame[["a"]])
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        fitted.transform(frame[["b", "a"]])
    with pytest.raises(ValueError, match="column 'a' held integers at fit, got dates"):
        fitted.transform(frame.assign(a=[DAY, DAY]))


def test_features_that_are_no_codes_are_refused_by_their_column() -> None:
    def refused(words: str, features: Any, **parameters: Any) -> None:
        fitted = PrimeFourierFeatures(**parameters).fit([[0], [5]])
        with pytest.raises(ValueError, match=words):
            fitted.inverse_transform(features)

    refused(
        r"column 'x0': vector \[1\] is not near any code: at prime", [[1, 0], [0, 1]], modulus=7
    )
    refused(
        r"column 'x0': vector \[1\] is not near any code of period 6", [[1, 0], [0, 1]], period=6
    )
    refused("2 features are required, got 3", [[1, 0, 0]], modulus=7)
    refused("residues contradict each other", [[1, 0, 0, 1]], period=[6, 4])
    refused(
        "integers that are 5 apart, but the circles repeat every 5; use more", [[1, 0]], modulus=5
    )
    refused("is not near any code", [[1, 0]], period=2**60 + 1)
