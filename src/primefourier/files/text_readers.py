"""Read CSV, TSV and JSON lines as texts, and report bad rows with their lines.

Python's own modules read the files. Arrow's readers silently turn integers beyond 64 bits into
floats and texts into dates, and do not report the line of a row that they cannot read.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from primefourier._checks import plural
from primefourier.files.readers import MOST_BYTES, Batch, Source
from primefourier.files.reports import BadRow, FileError

LONGEST = 16 << 20
"""The longest line, and the longest row of a CSV file, in bytes, which bounds memory."""

_TOO_LONG = f"is longer than {LONGEST >> 20} MiB"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_KEYS = 10_000
_MOST_LEVELS = 100  # of nested JSON; Python's own limit would depend on the caller


class _Row(NamedTuple):
    """One row of a text file: its fields, or None and the reason why it has none."""

    line: int
    text: str
    fields: Any
    reason: str


def open_csv(path: Path, delimiter: str, only: Sequence[str] | None, rows: int) -> Source:
    """Open a CSV or TSV file in UTF-8 whose first row names the columns.

    Args:
        path: The file.
        delimiter: The character between fields.
        only: The columns to read; None for all.
        rows: The number of rows in a batch; it has fewer if they reach MOST_BYTES.
    """
    with path.open("rb") as file:
        header = next(_csv_rows(file, delimiter), None)
    if header is None:
        raise FileError(f"{path} is empty; its first row must name the columns")
    if header.fields is None:
        raise FileError(f"{path}: the first row, which names the columns, {header.reason}")
    names: list[str] = header.fields
    places = [i for i, name in enumerate(names) if only is None or name in only]

    def parse(file: BinaryIO) -> Iterator[_Row]:
        return islice(_csv_rows(file, delimiter), 1, None)

    def pick(fields: list[str]) -> list[str | None]:
        return [fields[i] for i in places]

    return _text_schema(names), _gather(path, parse, pick, [names[i] for i in places], rows)


def open_jsonl(path: Path, columns: Sequence[str], only: Sequence[str] | None, rows: int) -> Source:
    """Open a file of JSON objects in UTF-8, one per line, as :func:`open_csv`.

    Every key becomes a column of texts: strings stay as they are, other values become JSON. Unless
    ``only`` says which to read, a first pass over the file collects the keys. A row without one of
    ``columns`` is a bad row.
    """
    keys: dict[str, None] = dict.fromkeys(only or ())
    if only is None:
        with path.open("rb") as file:
            for row in _json_rows(file, columns):
                keys.update(dict.fromkeys(row.fields or ()))
                if len(keys) > _MOST_KEYS:
                    raise FileError(
                        f"{path} has more than {_MOST_KEYS} different keys; write a .npy file, "
                        "which has no other columns, or split the input"
                    )
    names = list(keys or columns)

    def parse(file: BinaryIO) -> Iterator[_Row]:
        return _json_rows(file, columns)

    def pick(fields: dict[str, str | None]) -> list[str | None]:
        return [fields.get(name) for name in names]

    return _text_schema(names), _gather(path, parse, pick, names, rows)


def _text_schema(names: Sequence[str]) -> pa.Schema:
    return pa.schema([(name, pa.string()) for name in names])


def _gather(
    path: Path,
    parse: Callable[[BinaryIO], Iterator[_Row]],
    pick: Callable[[Any], list[str | None]],
    names: Sequence[str],
    rows: int,
) -> Generator[Batch, None, None]:
    """Collect the values that ``pick`` takes from each row into batches."""
    values: list[list[str | None]] = []
    lines: list[int] = []
    unread: dict[int, BadRow] = {}
    first, held = 1, 0
    with path.open("rb") as file:
        size = max(1, os.fstat(file.fileno()).st_size)

        def batch() -> Batch:
            arrays = [pa.array(column, pa.string()) for column in zip(*values, strict=True)]
            table = pa.record_batch(arrays, schema=_text_schema(names))
            return Batch(table, first, min(1.0, file.tell() / size), lines, unread)

        for row in parse(file):
            if row.fields is None:
                number = first + len(lines)
                unread[len(lines)] = BadRow(number, row.line, None, row.text, row.reason)
            values.append([None] * len(names) if row.fields is None else pick(row.fields))
            lines.append(row.line)
            held += len(row.text)
            if len(lines) == rows or held >= MOST_BYTES:
                yield batch()
                first, held = first + len(lines), 0
                values, lines, unread = [], [], {}
        if lines:
            yield batch()


def _lines(file: BinaryIO) -> Iterator[tuple[str, int, str]]:
    r"""Yield each line with its end, its bytes, and why it cannot be read, if it cannot.

    Only \n ends a line. A byte order mark at the beginning of the file is left out.
    """
    encoding = "utf-8-sig"
    while data := file.readline(LONGEST + 1):
        rest, reason = data, _TOO_LONG if len(data) > LONGEST else ""
        while reason and rest and not rest.endswith(b"\n"):
            rest = file.readline(1 << 20)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            text, reason = data.decode(encoding, "replace"), reason or "is not UTF-8"
        yield text, len(data), reason
        encoding = "utf-8"


def _csv_rows(file: BinaryIO, delimiter: str) -> Generator[_Row, None, None]:
    lines, held, size, reason = _lines(file), [], 0, ""

    def next_line() -> str:  # unlike a generator, it can be called again after it raised an error
        nonlocal size, reason
        text, more, problem = next(lines)
        held.append(text)
        size, reason = size + more, reason or problem
        if size > LONGEST:
            raise csv.Error
        return text

    rows = csv.reader(iter(next_line, None), delimiter=delimiter, strict=True)
    columns, line = 0, 1
    while True:
        fields = None
        limit = csv.field_size_limit(LONGEST)  # it holds for all readers, so it is set back below
        try:
            fields = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            last = f" (lines {line} to {line + len(held) - 1})" if len(held) > 1 else ""
            reason = f"is not well-formed{last}: {error}" if size <= LONGEST else _TOO_LONG
        finally:
            csv.field_size_limit(limit)
        if fields == [] and columns == 1:
            fields = [""]  # in a file with one column, a blank line is a missing value
        columns = columns or len(fields or ())  # the number of fields in the first row
        if fields and len(fields) != columns and not reason:
            reason = f"has {plural(len(fields), 'field')}, not {columns}"
        if reason or fields != []:
            text = "".join(held).rstrip("\r\n")
            yield _Row(line, text, None if reason else fields, reason)
        line += len(held)
        held.clear()
        size, reason = 0, ""


class _Number(str):
    """A JSON number exactly as the file writes it, of any size."""

    __slots__ = ()


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_refuse)


def _json_rows(file: BinaryIO, columns: Sequence[str]) -> Iterator[_Row]:
    for line, (whole, _, reason) in enumerate(_lines(file), start=1):
        fields, text = None, whole.strip(" \t\r\n")
        if text and not reason:
            fields, reason = _parse_json(text, columns)
        if text:
            yield _Row(line, text, fields, reason)


def _parse_json(text: str, columns: Sequence[str]) -> tuple[dict[str, str | None] | None, str]:
    """Return the values of an object as texts, or None and the reason why there are none."""
    try:
        found = _DECODER.decode(text)
        if not isinstance(found, dict):
            return None, "is not a JSON object"
        for column in columns:
            if column not in found:
                return None, f"has no key {column!r}"
        fields = {
            key: value if value is None or isinstance(value, str) else _to_json(value)
            for key, value in found.items()
        }
        if "\\u" in text:  # JSON can escape half a surrogate pair
            "".join(f"{key}{value}" for key, value in fields.items()).encode()
    except RecursionError:
        return None, "is nested too deeply"
    except UnicodeEncodeError:
        return None, "holds a text that is not valid Unicode"
    except ValueError as error:
        return None, f"is not JSON: {error}"
    return fields, ""


def _to_json(value: Any, levels: int = _MOST_LEVELS) -> str:
    """Write a value as JSON with its numbers unchanged.

    >>> _to_json({"a": [_Number("1.50"), None, "é"]})
    '{"a": [1.50, null, "é"]}'
    """
    if isinstance(value, _Number):
        return value
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if levels == 0:
        raise RecursionError
    if isinstance(value, list):
        return "[" + ", ".join([_to_json(entry, levels - 1) for entry in value]) + "]"
    pairs = [f"{_to_json(key)}: {_to_json(entry, levels - 1)}" for key, entry in value.items()]
    return "{" + ", ".join(pairs) + "}"
