"""Which column each key of a file of JSON objects becomes, and how values become texts."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from primefourier.bulk.errors import BulkError

_Kind = Literal["bool", "small", "int", "float", "string", "text"]
"""What the values of a key have in common; "small" integers are exact as floats, too."""

_MOST_KEYS = 10_000
_MOST_LEVELS = (
    100  # of lists and objects in each other; Python's own limit would depend on the caller
)
_ARROW: dict[_Kind, Any] = {
    "bool": pa.bool_(),
    "small": pa.int64(),
    "int": pa.int64(),
    "float": pa.float64(),
    "string": pa.string(),
    "text": pa.string(),
}


class IntegerText(str):
    """A JSON integer as its digits: of any size, and read as a number only where it is needed."""

    __slots__ = ()


class HugeNumber(str):
    """A JSON number beyond the range of floats, as it stands."""

    __slots__ = ()


def read_float(text: str) -> float | HugeNumber:
    """Read a JSON number with a fraction or an exponent.

    >>> read_float("2.5"), read_float("1e999")
    (2.5, '1e999')
    """
    value = float(text)
    return value if math.isfinite(value) else HugeNumber(text)


class KeyTypes:
    """The keys seen so far, in order, and the type that holds all values of each exactly.

    Bools, integers of 64 bits, floats (with integers among them up to 2^53) and texts become
    columns of these types; whatever else, and mixtures, become JSON texts.

    >>> types = KeyTypes()
    >>> types.see({"a": IntegerText("1"), "b": "x"}, Path("in.jsonl"))
    >>> types.see({"a": 0.5, "b": True}, Path("in.jsonl"))
    >>> types.columns([{"a": IntegerText("2"), "b": "y"}, {"b": None}]).to_pylist()
    [{'a': 2.0, 'b': '"y"'}, {'a': None, 'b': None}]
    """

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind | None] = {}

    @property
    def names(self) -> list[str]:
        """The keys, in the order in which they came."""
        return list(self._kinds)

    def see(self, row: dict[str, Any], path: Path) -> None:
        """Widen the types so that they hold this object, too.

        Raises:
            BulkError: If the file has too many different keys for a table.
        """
        for key, value in row.items():
            self._kinds[key] = _join(self._kinds.get(key), _kind(value))
        if len(self._kinds) > _MOST_KEYS:
            raise BulkError(
                f"{path} has more than {_MOST_KEYS} different keys; a table needs fewer columns, "
                "write JSON lines instead"
            )

    def schema(self) -> pa.Schema:
        """Return the columns; a key that was always null becomes texts."""
        return pa.schema([(key, _ARROW[kind or "string"]) for key, kind in self._kinds.items()])

    def columns(self, rows: Sequence[dict[str, Any]]) -> pa.RecordBatch:
        """Return objects as a table; absent keys are null."""
        arrays = [
            pa.array([_convert(row.get(key), kind) for row in rows], _ARROW[kind or "string"])
            for key, kind in self._kinds.items()
        ]
        return pa.record_batch(arrays, schema=self.schema())


def json_text(value: object, *, levels: int = _MOST_LEVELS) -> str:
    """Write a value as JSON, integers of any size included; NaN and infinity become null.

    Args:
        value: Anything that JSON or Arrow can hold.
        levels: How deeply lists and objects may be nested.

    Raises:
        BulkError: For bytes, which JSON cannot hold.
        RecursionError: If there are more levels.

    >>> json_text({"a": [IntegerText("12"), float("nan"), "é"]})
    '{"a": [12, null, "é"]}'
    """
    if isinstance(value, IntegerText | HugeNumber):
        return str(value)
    if isinstance(value, dict | list | tuple):
        if levels == 0:
            raise RecursionError(f"nested in more than {_MOST_LEVELS} levels")
        if isinstance(value, dict):
            pairs = [f"{_quote(k)}: {json_text(v, levels=levels - 1)}" for k, v in value.items()]
            return "{" + ", ".join(pairs) + "}"
        return "[" + ", ".join([json_text(entry, levels=levels - 1) for entry in value]) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, bytes):
        raise BulkError("JSON and CSV cannot hold bytes; write Parquet, or leave the column out")
    return _quote(str(value))


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=not is_unicode(text))


def is_unicode(text: str) -> bool:
    """Tell whether a text can be written as UTF-8: JSON can escape half a surrogate pair.

    >>> is_unicode("é"), is_unicode(chr(0xD800))
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(value: object) -> _Kind | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, IntegerText):
        number = int(value) if len(value) <= 20 else 1 << 64
        if abs(number) <= 1 << 53:
            return "small"
        return "int" if -1 << 63 <= number < 1 << 63 else "text"
    if isinstance(value, HugeNumber):
        return "text"
    if isinstance(value, float):
        return "float"
    return "string" if isinstance(value, str) and is_unicode(value) else "text"


def _join(one: _Kind | None, other: _Kind | None) -> _Kind | None:
    """Return the kind that holds the values of both.

    >>> _join("small", "float"), _join("int", "float"), _join(None, "bool")
    ('float', 'text', 'bool')
    """
    if one == other or other is None or one is None:
        return one or other
    both = {one, other}
    if both == {"small", "int"}:
        return "int"
    return "float" if both == {"small", "float"} else "text"


def _convert(value: object, kind: _Kind | None) -> Any:
    if value is None:
        return None
    if kind == "text":
        return json_text(value)
    if isinstance(value, IntegerText):
        return float(value) if kind == "float" else int(value)
    return value
