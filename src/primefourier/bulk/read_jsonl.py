"""Read JSON lines: one object a line, integers of any size, and bad lines found one by one."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from primefourier.bulk.batch import Batch
from primefourier.bulk.errors import BulkError
from primefourier.bulk.gather import Gather
from primefourier.bulk.integers import why_no_integer
from primefourier.bulk.json_types import (
    HugeNumber,
    IntegerText,
    KeyTypes,
    is_unicode,
    json_text,
    read_float,
)
from primefourier.bulk.lines import LONGEST, TOO_LONG, read_lines
from primefourier.bulk.source import Keep, require_columns

LINE = "line"
"""What the column of whole lines is called on its way to the output."""


@dataclass(frozen=True)
class _Row:
    """One line: the object and what of it is to be encoded, or why it is a bad row."""

    line: int
    text: str
    object: dict[str, Any]
    value: str | None
    reason: str | None


class JsonlSource:
    """A file of JSON objects, one a line; blank lines do not count.

    Args:
        path: The file, in UTF-8.
        column: The key whose value is to be encoded.
        keep: "lines" keeps each line as it stands; "columns" makes each key a column, for which
            the file is read once before; "nothing" keeps the code alone.
        name: What the codes will be called.

    Raises:
        BulkError: If no line has the key, or one has the name of the codes.
    """

    def __init__(self, path: Path, *, column: str, keep: Keep, name: str) -> None:
        self._path, self._column, self._keep, self._name = path, column, keep, name
        self._types = KeyTypes()
        self.schema: pa.Schema = pa.schema([(LINE, pa.string())] if keep == "lines" else [])
        if keep == "columns":
            with path.open("rb") as file:
                for row in self._rows(file):
                    if row.reason is None:
                        self._types.see(row.object, path)
            if self._types.names:
                require_columns(path, self._types.names, column, name)
            else:  # not one good row
                self._types.see({column: "0"}, path)
            self.schema = self._types.schema()

    def batches(self, rows: int) -> Generator[Batch, None, None]:
        """Yield the rows, so many at a time, or fewer where lines are long."""
        size = max(1, self._path.stat().st_size)
        gather = Gather(rows)
        with self._path.open("rb") as file:
            for row in self._rows(file):
                if row.reason is not None:
                    gather.add_bad(row.line, row.value, row.reason)
                else:
                    assert row.value is not None
                    kept = row.text if self._keep == "lines" else row.object
                    gather.add(row.line, kept, row.value, len(row.text))
                if gather.full:
                    yield gather.take(self._columns(gather.rows), file.tell() / size)
            if gather.count:
                yield gather.take(self._columns(gather.rows), 1.0)

    def _columns(self, rows: list[Any]) -> pa.RecordBatch:
        if self._keep == "lines":
            return pa.record_batch([pa.array(rows, pa.string())], schema=self.schema)
        if self._keep == "nothing":
            return pa.record_batch([], schema=self.schema)
        return self._types.columns(rows)

    def _rows(self, file: BinaryIO) -> Iterator[_Row]:
        row = 0
        for line, data in enumerate(read_lines(file), start=1):
            if not data.strip(b" \t\r\n"):
                continue
            row += 1
            found = self._read(line, data)
            if self._keep == "lines" and self._name in found.object:
                raise BulkError(
                    f"{self._path}, row {row} (line {line}) has a key {self._name!r} already; "
                    "choose another name for the codes with --name"
                )
            yield found

    def _read(self, line: int, data: bytes) -> _Row:
        text = data.decode("utf-8", "replace").strip(" \t\r\n")
        if len(data) > LONGEST:
            return _Row(line, "", {}, text, TOO_LONG)
        try:
            text = data.decode("utf-8").strip(" \t\r\n")
            found = _DECODER.decode(text)
        except UnicodeDecodeError:
            return _Row(line, "", {}, text, "is not UTF-8")
        except RecursionError:
            return _Row(line, "", {}, text, "is nested too deeply")
        except ValueError as error:
            return _Row(line, "", {}, text, f"is not JSON: {error}")
        if not isinstance(found, dict):
            return _Row(line, "", {}, text, "is not a JSON object")
        if self._column not in found:
            return _Row(line, "", {}, text, f"has no key {self._column!r}")
        if self._keep == "columns" and (reason := _why_no_columns(found, text)):
            return _Row(line, "", {}, text, reason)
        value = found[self._column]
        if not isinstance(value, str) or isinstance(value, HugeNumber):
            plain = isinstance(value, float | bool | HugeNumber)
            shown = None if value is None else json_text(value) if plain else text
            reason = "is null" if value is None else f"is {_KINDS[type(value)]}, not an integer"
            return _Row(line, text, {}, shown, reason)
        return _Row(line, text, found, value, why_no_integer(value))


_KINDS = {
    HugeNumber: "a number beyond all floats",
    bool: "a boolean",
    float: "a number with a fraction or an exponent",
    list: "a list",
    dict: "an object",
}


def _why_no_columns(found: dict[str, Any], text: str) -> str | None:
    if "\\u" in text and not all(is_unicode(key) for key in found):
        return "has a key that is not valid Unicode"
    try:
        for value in found.values():
            if isinstance(value, list | dict):
                json_text(value)
    except RecursionError:
        return "is nested too deeply"
    return None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


_DECODER = json.JSONDecoder(parse_int=IntegerText, parse_float=read_float, parse_constant=_refuse)
