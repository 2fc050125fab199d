import datetime
import json
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import primefourier as pf
from primefourier.bulk import BulkError
from primefourier.bulk.batch import Encoded
from primefourier.bulk.texts import (
    code_texts,
    field_texts,
    json_texts,
    pieces,
    require_text_columns,
)

SHAPES = st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(1, 2), st.just(2))


@given(st.sampled_from(["float16", "float32", "float64"]), SHAPES, st.data())
def test_texts_of_codes_read_back_bit_for_bit(
    dtype: Any, shape: tuple[int, ...], data: st.DataObject
) -> None:
    numbers = st.floats(-1, 1, width=int(dtype[5:])).filter(  # type: ignore[arg-type]
        lambda number: not (number == 0 and math.copysign(1, number) < 0)
    )
    codes = data.draw(hnp.arrays(dtype, shape, elements=numbers))
    texts = code_texts(codes)
    assert len(texts) == len(codes)
    again = np.array([json.loads(text) for text in texts], dtype=dtype).reshape(shape)
    assert again.tobytes() == codes.tobytes()


def test_codes_have_no_negative_zero_which_json_would_lose() -> None:
    for dtype in ("float16", "float32", "float64"):
        codes = pf.encode(range(-1000, 1000), pf.PrimeBasis((2, 3, 5), depth=4), dtype)
        assert not np.signbit(codes[codes == 0]).any()


def test_few_numbers_are_texts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.bulk.texts._NUMBERS_AT_ONCE", 5)
    rows = pa.record_batch({"n": range(5)})
    codes = np.arange(10, dtype=np.float32).reshape(5, 1, 1, 2)
    found = list(pieces(Encoded(5, rows, codes, (), 1.0)))
    assert [len(texts) for _, texts in found] == [2, 2, 1]
    assert [part["n"].to_pylist() for part, _ in found] == [[0, 1], [2, 3], [4]]
    assert found[1][1] == ["[4,5]", "[6,7]"]


MOMENT = datetime.datetime(2024, 1, 2, 3, 4, 5, 6)
COLUMNS: list[tuple[Any, list[str | None], list[Any]]] = [
    (pa.array([2**63, None], pa.uint64()), ["9223372036854775808", None], [2**63, None]),
    (pa.array([True, None]), ["true", None], [True, None]),
    (pa.array([0.1, None]), ["0.1", None], [0.1, None]),
    (pa.array([math.nan, -math.inf]), ["nan", "-inf"], [None, None]),
    (pa.array(np.array([0.5], np.float16)), ["0.5"], [0.5]),
    (pa.array(['a"', None]), ['a"', None], ['a"', None]),
    (pa.array(["é", "é"]).dictionary_encode(), ["é", "é"], ["é", "é"]),
    (pa.array([0.5, None]).dictionary_encode(), ["0.5", None], [0.5, None]),
    (pa.array([Decimal("1.50")]), ["1.50"], [1.5]),
    (pa.array([datetime.date(2024, 1, 2)]), ["2024-01-02"], ["2024-01-02"]),
    (
        pa.array([MOMENT], pa.timestamp("ns", tz="UTC")),
        ["2024-01-02 03:04:05.000006000Z"],
        ["2024-01-02 03:04:05.000006000Z"],
    ),
    (pa.array([datetime.timedelta(seconds=90)]), ["90000000"], ["90000000"]),
    (pa.array([[1, None], None]), ["[1, null]", None], [[1, None], None]),
    (pa.array([{"a": [MOMENT]}]), ['{"a": ["2024-01-02 03:04:05.000006"]}'], None),  # type: ignore[list-item]
    (pa.array([None, None]), [None, None], [None, None]),
]


@pytest.mark.parametrize(("column", "fields", "values"), COLUMNS, ids=lambda c: str(c)[:40])
def test_every_type_has_its_text(column: Any, fields: list[str], values: list[Any] | None) -> None:
    require_text_columns(pa.schema([("a", column.type)]))
    assert field_texts(column) == fields
    found = [json.loads(text) for text in json_texts(column)]
    assert found == (values or [json.loads(field) for field in fields])


@pytest.mark.parametrize(
    "kind",
    [
        pa.binary(),
        pa.binary(3),
        pa.large_binary(),
        pa.list_(pa.binary()),
        pa.struct([("a", pa.dictionary(pa.int8(), pa.binary()))]),
        pa.map_(pa.string(), pa.binary()),
    ],
    ids=str,
)
def test_bytes_are_refused_before_anything_is_written(kind: Any) -> None:
    with pytest.raises(BulkError, match="column 'a' holds bytes"):
        require_text_columns(pa.schema([("a", kind)]))
