"""Columns of integers and dates become exact features, and features become columns again."""

import datetime as dt
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import primefourier as pf
from primefourier import PrimeBasis
from primefourier.sklearn import PrimeFourierFeatures
from strategies import BASES

BIG = 10**30
DAY = dt.date(2026, 11, 18)
NOON = dt.datetime(2026, 11, 18, 12, 30, 0, 5)


def features(X: Any, **parameters: Any) -> Any:
    return PrimeFourierFeatures(**(parameters or {"modulus": 7})).fit_transform(X)


def expected(numbers: list[int], basis: PrimeBasis) -> Any:
    return pf.encode(numbers, basis, "float64", flat=True)


EDGES = [2**62 + 1, 2**63 - 1]
COLUMNS = {
    "numpy": np.array(EDGES)[:, None],
    "numpy uint64": np.array(EDGES, dtype="uint64")[:, None],
    "pandas Int64": pd.DataFrame({"n": pd.array(EDGES, dtype="Int64")}),
    "pandas pyarrow": pd.DataFrame({"n": pd.array(EDGES, dtype="int64[pyarrow]")}),
    "polars": pl.DataFrame({"n": EDGES}),
    "pyarrow": pa.table({"n": pa.chunked_array([EDGES[:1], EDGES[1:]])}),
}
INTEGERS = {
    "lists": [[3], [-BIG], [2**64 - 1]],
    "numpy objects": np.array([[3], [-BIG], [2**64 - 1]], dtype=object),
    "pandas objects": pd.DataFrame({"n": [3, -BIG, 2**64 - 1]}),
    "polars objects": pl.DataFrame({"n": pl.Series([3, -BIG, 2**64 - 1], dtype=pl.Object)}),
    "polars Int128": pl.DataFrame({"n": pl.Series([3, -BIG, 2**64 - 1], dtype=pl.Int128)}),
    "pyarrow decimals": pa.table({"n": [Decimal(3), Decimal(-BIG), Decimal(2**64 - 1)]}),
    "pandas decimals": pd.DataFrame({"n": [3, Decimal(-BIG), Fraction(2**64 - 1)]}),
}


def test_integers_of_any_size_are_exact_in_every_container() -> None:
    basis = PrimeBasis((3, 7), depth=4)
    for column in COLUMNS.values():
        assert (features(column, basis=basis) == expected(EDGES, basis)).all()
    for column in INTEGERS.values():
        assert (features(column, basis=basis) == expected([3, -BIG, 2**64 - 1], basis)).all()


NULLS = {
    "pandas Int64": pd.DataFrame({"n": pd.array([None, *EDGES], dtype="Int64")}),
    "pandas pyarrow": pd.DataFrame({"n": pd.array([None, *EDGES], dtype="int64[pyarrow]")}),
    "pandas NA": pd.DataFrame({"n": [pd.NA, *EDGES]}, dtype=object),
    "polars Int128": pl.DataFrame({"n": pl.Series([None, *EDGES], dtype=pl.Int128)}),
    "pyarrow": pa.table({"n": [None, *EDGES]}),
    "lists": [[None], *([n] for n in EDGES)],
    "lists with NaN": [[float("nan")], *([n] for n in EDGES)],
}


@pytest.mark.parametrize("name", NULLS)
def test_missing_values_are_an_error_or_zeros_with_an_indicator(name: str) -> None:
    basis = PrimeBasis((2, 5), depth=3)
    encoder = PrimeFourierFeatures(basis=basis, missing="indicator")
    codes = encoder.fit_transform(NULLS[name])
    assert codes[0].tolist() == [0.0] * basis.dim + [1.0]
    assert (codes[1:, :-1] == expected(EDGES, basis)).all()
    assert (codes[1:, -1] == 0).all()
    assert encoder.get_feature_names_out()[-1] in ("n_missing", "x0_missing")
    encoder.set_params(basis=PrimeBasis((2, 5), depth=30)).fit(NULLS[name])
    assert encoder.inverse_transform(encoder.transform(NULLS[name]))[:, 0].tolist() == [
        None,
        *EDGES,
    ]
    with pytest.raises(
        ValueError, match=r"column '(n|x0)': row 0 has no value .* or pass missing="
    ):
        encoder.set_params(missing="error").fit(NULLS[name])


def test_whole_floats_are_read_where_no_integer_is_rounded_to_another() -> None:
    column = pd.DataFrame({"n": [3, None, -4]})  # pandas makes floats of it
    assert features(column, modulus=7, missing="indicator")[:, 2].tolist() == [0, 1, 0]
    assert (features([[2.0**53 - 1]]) == features([[2**53 - 1]])).all()
    for value in (2.0**53, np.float32(2**24), -1e300):
        for X in (np.array([[value]]), [[value]]):
            with pytest.raises(ValueError, match=r"in row 0, which may have been rounded"):
                features(X)


DATES = {
    "numpy days": np.array([["2026-11-18"], ["1969-12-31"]], dtype="M8[D]"),
    "numpy seconds": np.array([["2026-11-18T23:59:59"], ["1969-12-31T12"]], dtype="M8[s]"),
    "Python dates": [[DAY], [dt.date(1969, 12, 31)]],
    "Python times": [[NOON], [dt.datetime(1969, 12, 31, 1)]],
    "dates and times": [[NOON], [np.datetime64("1969-12-31")]],
    "pandas": pd.DataFrame({"t": pd.to_datetime(["2026-11-18 12:30:00", "1969-12-31 23:59:59"])}),
    "pandas ns": pd.DataFrame({"t": np.array([NOON, "1969-12-31"], dtype="M8[ns]")}),
    "pandas dates": pd.DataFrame({"t": [DAY, dt.date(1969, 12, 31)]}),
    "pandas objects": pd.DataFrame({"t": [pd.Timestamp(NOON), DAY.replace(1969, 12, 31)]}),
    "pandas pyarrow": pd.DataFrame(
        {"t": pd.array([DAY, dt.date(1969, 12, 31)], dtype="date32[pyarrow]")}
    ),
    "polars dates": pl.DataFrame({"t": [DAY, dt.date(1969, 12, 31)]}),
    "polars times": pl.DataFrame({"t": [NOON, dt.datetime(1969, 12, 31, 1)]}),
    "pyarrow": pa.table({"t": [NOON, dt.datetime(1969, 12, 31, 1)]}),
}
DAYS = [(DAY - dt.date(1970, 1, 1)).days, -1]


def test_dates_and_times_are_days_since_1970_in_every_container() -> None:
    basis = PrimeBasis((3, 7), depth=6)
    for table in DATES.values():
        encoder = PrimeFourierFeatures(basis=basis)
        codes = encoder.fit_transform(table)
        assert (codes == expected(DAYS, basis)).all()
        back = encoder.inverse_transform(codes)
        assert back.dtype == np.dtype("M8[D]")
        assert back[:, 0].tolist() == [DAY, dt.date(1969, 12, 31)]


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ("Y", 56),
        ("M", 56 * 12 + 10),
        ("h", DAYS[0] * 24 + 12),
        ("m", (DAYS[0] * 24 + 12) * 60 + 30),
        ("us", ((DAYS[0] * 24 + 12) * 60 + 30) * 60 * 10**6 + 5),
        ("ns", (((DAYS[0] * 24 + 12) * 60 + 30) * 60 * 10**6 + 5) * 1000),
    ],
)
def test_a_time_is_counted_in_its_unit(unit: str, count: int) -> None:
    basis = PrimeBasis((2, 3), depth=40)
    frame = pl.DataFrame({"t": [NOON]})
    assert (features(frame, basis=basis, unit=unit) == expected([count], basis)).all()


def test_a_time_with_a_zone_is_read_by_the_clocks_of_the_zone() -> None:
    local = pd.to_datetime(["2026-11-18 00:30", "2026-06-30 23:30"])
    zoned = local.tz_localize("Europe/Berlin")
    frames = [
        pd.DataFrame({"t": zoned}),
        pl.DataFrame({"t": zoned.tz_localize(None).to_list()}).with_columns(
            pl.col("t").dt.replace_time_zone("Europe/Berlin")
        ),
        pa.table({"t": pa.array(zoned, pa.timestamp("us", "Europe/Berlin"))}),
    ]
    for frame in frames:
        encoder = PrimeFourierFeatures(basis=PrimeBasis((2, 5, 7), 6), unit="h").fit(frame)
        codes = encoder.transform(frame)
        assert (codes == features(pd.DataFrame({"t": local}), basis=encoder.basis, unit="h")).all()
        assert encoder.inverse_transform(codes)[:, 0].tolist() == local.floor("h").to_list()
    utc = pd.DataFrame({"t": zoned.tz_convert("UTC")})
    words = "column 't' held dates in Europe/Berlin at fit, got dates in UTC"
    with pytest.raises(ValueError, match=words):
        PrimeFourierFeatures(modulus=7).fit(frames[0]).transform(utc)


def test_each_column_can_have_its_own_circles_and_unit() -> None:
    frame = pd.DataFrame({"n": [5, 9], "t": [NOON, NOON]})
    encoder = PrimeFourierFeatures(
        period={"t": [24, 365.2425], "n": Fraction(7, 2)}, unit={"t": "h", "n": "D"}
    ).set_output(transform="pandas")
    codes = encoder.fit_transform(frame)
    assert list(codes) == [
        *("n_mod3.5_cos", "n_mod3.5_sin"),
        *("t_mod24_cos", "t_mod24_sin", "t_mod365.2425_cos", "t_mod365.2425_sin"),
    ]
    np.testing.assert_allclose(codes["n_mod3.5_cos"], np.cos(2 * np.pi * frame["n"] / 3.5))
    assert codes["t_mod24_cos"].tolist() == [-1.0, -1.0]  # noon


def test_a_modulus_gives_the_circles_that_its_plan_names() -> None:
    basis = PrimeBasis.for_modulus(360)
    relevant = [basis.channels.index(channel) for channel in pf.plan(360, basis).relevant]
    numbers = [*range(-9, 999)]
    every = expected(numbers, basis).reshape(len(numbers), -1, 2)
    encoder = PrimeFourierFeatures(modulus=360)
    codes = encoder.fit_transform([[n] for n in numbers])
    assert (codes == every[:, relevant].reshape(len(numbers), -1)).all()
    periods = [2, 4, 8, 3, 9, 5]
    assert encoder.get_feature_names_out(["n"]).tolist() == [
        f"n_mod{period}_{axis}" for period in periods for axis in ("cos", "sin")
    ]


def test_circles_of_several_periods_tell_integers_around_those_of_fit_apart() -> None:
    for periods, count in (([6, 4], 12), ([7, 10**6 + 1], 7 * (10**6 + 1)), ([365.2425], 146_097)):
        low, high = 10**9, 10**9 + 10
        encoder = PrimeFourierFeatures(period=periods).fit([[low], [high]])
        first = low - (count - 11) // 2  # the window of that many integers has them in its middle
        window = [[n] for n in (first, low, high, first + count - 1)]
        assert encoder.inverse_transform(encoder.transform(window)).tolist() == window
        outside = encoder.inverse_transform(encoder.transform([[first - 1], [first + count]]))
        assert outside.tolist() == [[first + count - 1], [first]]


def test_a_column_without_values_fits_any_kind() -> None:
    encoder = PrimeFourierFeatures(modulus=7, missing="indicator").fit([[None], [None]])
    assert encoder.transform([[5], [None]])[:, -1].tolist() == [0, 1]
    assert encoder.fit([[5]]).transform([[None]])[:, -1].tolist() == [1]


@settings(max_examples=30)
@given(
    st.fractions(min_value=Fraction(11, 10), max_value=10**6, max_denominator=10**6),
    st.integers(-(2**80), 2**80),
)
def test_a_period_is_exact_for_integers_of_any_size(period: Fraction, number: int) -> None:
    codes = features([[number]], period=period)[0]
    turn = 2 * np.pi * float(Fraction(number) / period % 1)
    np.testing.assert_allclose(codes, [np.cos(turn), np.sin(turn)], atol=1e-14)


@settings(max_examples=30)
@given(BASES, st.lists(st.integers(-(2**100), 2**100), min_size=1, max_size=5), st.data())
def test_integers_come_back_if_the_circles_tell_them_apart(
    basis: PrimeBasis, numbers: list[int], data: Any
) -> None:
    numbers = [numbers[0], *(numbers[0] + n % basis.range for n in numbers[1:])]
    encoder = PrimeFourierFeatures(basis=basis, missing="indicator")
    rows: list[list[int | None]] = [[n] for n in numbers]
    rows.insert(data.draw(st.integers(0, len(numbers))), [None])
    back = encoder.inverse_transform(encoder.fit_transform(rows))
    assert back.tolist() == rows


@given(
    st.lists(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2260, 1, 1)), min_size=1),
    st.sampled_from(["D", "h", "s", "us"]),
    st.sampled_from(["ns", "us"]),
)
@settings(max_examples=20)
def test_dates_come_back_rounded_down_to_the_unit(
    times: list[dt.datetime], unit: str, stored: str
) -> None:
    frame = pd.DataFrame({"t": np.array(times, dtype=f"M8[{stored}]")})
    encoder = PrimeFourierFeatures(basis=PrimeBasis((2, 3, 5), 20), unit=unit)
    back = encoder.inverse_transform(encoder.fit_transform(frame))
    assert (back[:, 0] == frame["t"].to_numpy().astype(f"M8[{unit}]")).all()


def test_columns_of_different_kinds_come_back_as_objects() -> None:
    frame = pd.DataFrame({"n": [BIG, 5], "t": [NOON, None]})
    encoder = PrimeFourierFeatures(basis=pf.PAPER_BASIS, missing="indicator", unit="m")
    back = encoder.inverse_transform(encoder.fit_transform(frame))
    assert back[:, 0].tolist() == [BIG, 5]
    assert back[0, 1] == np.datetime64("2026-11-18T12:30")
    assert np.isnat(back[1, 1])
    assert (clone(encoder).fit_transform(back) == encoder.transform(frame)).all()


def test_integers_of_more_digits_than_python_prints_are_exact() -> None:
    encoder = PrimeFourierFeatures(basis=PrimeBasis(pf.PAPER_BASIS.primes, depth=240))
    back = encoder.inverse_transform(encoder.fit_transform([[10**5000], [-7]]))
    assert back.tolist() == [[10**5000], [-7]]
    assert encoder.get_feature_names_out()[-1] == "x0_mod59^240_sin"
    week = PrimeFourierFeatures(modulus=7).fit([[10**5000], [0]])
    with pytest.raises(ValueError, match="integers that are an integer of 16610 bits apart"):
        week.inverse_transform([[1, 0]])


def test_pickles_clones_and_hashes_are_those_of_the_parameters() -> None:
    basis = PrimeBasis((3, 5), 2)
    encoder = PrimeFourierFeatures(basis=basis)
    before = joblib.hash(encoder)
    codes = encoder.fit_transform([[7], [BIG]])
    assert (pickle.loads(pickle.dumps(encoder)).transform([[7], [BIG]]) == codes).all()
    assert basis.range == 225  # a cached property, like those that fit reads
    assert joblib.hash(clone(encoder)) == before  # or Pipeline(memory=...) would miss its cache


@pytest.mark.parametrize(
    "dtype", ["int8", "uint64", "float32", "float64", "M8[D]", "M8[ns]", "object"]
)
def test_masked_entries_are_missing_values(dtype: str) -> None:
    values = np.array([[1], [2], [3]]).astype(dtype)
    masked = np.ma.array(values, mask=[[False], [True], [False]])
    features = PrimeFourierFeatures(modulus=7, missing="indicator")
    found = features.fit_transform(masked)
    assert found[:, -1].tolist() == [0, 1, 0]
    assert found[1, :-1].tolist() == [0] * 2
    whole = PrimeFourierFeatures(modulus=7).fit_transform(np.ma.array(values))
    assert np.array_equal(found[[0, 2], :-1], whole[[0, 2]])
    back = features.inverse_transform(found)[:, 0]
    assert pd.isna(back[1])
    assert (back[[0, 2]] == features.inverse_transform(found[[0, 2]])[:, 0]).all()
    with pytest.raises(ValueError, match=r"row 1 has no value \(null, NaN, NaT or masked\)"):
        PrimeFourierFeatures(modulus=7).fit(masked)


def test_masked_constants_in_lists_are_missing_and_masked_features_are_refused() -> None:
    features = PrimeFourierFeatures(modulus=7, missing="indicator")
    assert features.fit_transform([[np.ma.masked], [3]])[:, -1].tolist() == [1, 0]
    with pytest.raises(ValueError, match="features must all have values, got masked ones"):
        features.inverse_transform(np.ma.array(np.zeros((1, 3)), mask=[[True, False, False]]))
