import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.bulk import BulkError
from primefourier.bulk.json_types import IntegerText, KeyTypes, is_unicode, json_text, read_float

PATH = Path("in.jsonl")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def parse(text: str) -> Any:
    return json.loads(text, parse_int=IntegerText, parse_float=read_float)


def column(*values: str) -> tuple[str, list[Any]]:
    types = KeyTypes()
    rows = [{"a": parse(value)} for value in values]
    for row in rows:
        types.see(row, PATH)
    return str(types.schema().field("a").type), types.columns(rows).to_pydict()["a"]


def test_each_key_gets_the_type_that_holds_its_values() -> None:
    assert column("true", "null", "false") == ("bool", [True, None, False])
    assert column("1", "-9223372036854775808") == ("int64", [1, -(2**63)])
    assert column("9007199254740992", "0.5") == ("double", [float(2**53), 0.5])
    assert column('"a"', "null") == ("string", ["a", None])
    assert column("null", "null") == ("string", [None, None])


def test_mixtures_and_what_fits_no_type_become_json_texts() -> None:
    big = "9" * 5000
    for values in (
        ["9007199254740993", "0.5"],
        ["9223372036854775808", "1"],
        [big, "1"],
        ["1", '"1"'],
        ["true", "1"],
        ["[1, {}]", '{"b": [2.5, "é", null]}'],
        ["1e999", "1"],
        ['"\\ud800"', '"a"'],
    ):
        kind, found = column(*values)
        assert kind == "string"
        assert found == values


def test_absent_keys_are_null_and_keys_keep_their_order() -> None:
    types = KeyTypes()
    rows: list[dict[str, Any]] = [{"b": "x"}, {"a": True, "b": "y"}, {}]
    for row in rows:
        types.see(row, PATH)
    assert types.names == ["b", "a"]
    assert types.columns(rows).to_pydict() == {"b": ["x", "y", None], "a": [None, True, None]}
    assert types.columns([]).num_rows == 0


def test_too_many_keys_are_refused() -> None:
    types = KeyTypes()
    with pytest.raises(BulkError, match="more than 10000 different keys"):
        types.see({str(k): None for k in range(10_001)}, PATH)


def same(one: Any, other: Any) -> bool:
    """Tell whether values are the same, where a number that is not finite is null."""
    if isinstance(one, float) and not math.isfinite(one):
        return other is None
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and bool(one == other)


@given(VALUES)
def test_json_texts_read_back_as_the_same_values(value: Any) -> None:
    text = json_text(value)
    text.encode()
    assert same(value, json.loads(text))


def test_levels_are_limited_and_bytes_refused() -> None:
    nested: Any = []
    for _ in range(99):
        nested = [nested]
    assert json_text(nested) == "[" * 100 + "]" * 100
    with pytest.raises(RecursionError):
        json_text([nested])
    with pytest.raises(BulkError, match="cannot hold bytes"):
        json_text([b"x"])


def test_half_a_pair_of_surrogates_is_not_unicode() -> None:
    assert is_unicode("😀")
    assert not is_unicode("a\udc00")
