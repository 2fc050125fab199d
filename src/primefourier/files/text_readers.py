"""Read CSV, TSV and JSON lines as texts, and report bad rows with their lines.

Python's own modules read the files. Arrow's readers silently turn integers beyond 64 bits into
floats and texts into dates, and do not report the line of a row that they cannot read.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from primefourier._checks import plural
from primefourier.files.readers import MOST_BYTES, Batch, Batches, Source
from primefourier.files.reports import BadRow, FileError

LONGEST = 16 << 20
"""The longest line, and the longest row of a CSV file, in bytes, which bounds memory."""

_TOO_LONG = f"is longer than {LONGEST >> 20} MiB"
_MOST_KEYS = 10_000
_MOST_LEVELS = 100  # of nested JSON; Python's own limit would depend on the caller


class _Row(NamedTuple):
    """One row of a text file: its fields, or None and the reason why it has none."""

    line: int
    text: str
    fields: Any
    reason: str


def open_csv(path: Path, delimiter: str, rows: int) -> Source:
    """Open a CSV or TSV file in UTF-8 whose first row names the columns, in batches of ``rows``."""
    with path.open("rb") as file:
        header = next(_csv_rows(file, delimiter), None)
    if header is None:
        raise FileError(f"{path} is empty; its first row must name the columns")
    if header.fields is None:
        raise FileError(f"{path}: the first row, which names the columns, {header.reason}")

    def parse(file: BinaryIO) -> Iterator[_Row]:
        return islice(_csv_rows(file, delimiter), 1, None)

    return _gather(path, parse, list, header.fields, rows)


def open_jsonl(path: Path, columns: Sequence[str], rows: int, *, others: bool) -> Source:
    """Open a file of JSON objects in UTF-8, one per line, in batches of ``rows``.

    Strings stay as they are, other values become JSON, and absent keys are null. A first pass over
    the file collects all keys, unless ``others`` is false: then ``columns`` alone are read.
    """
    keys: dict[str, None] = {}
    if others:
        with path.open("rb") as file:
            for row in _json_rows(file):
                keys.update(dict.fromkeys(row.fields or ()))
                if len(keys) > _MOST_KEYS:
                    raise FileError(
                        f"{path} has more than {_MOST_KEYS} different keys; write a .npy file, "
                        "which has no other columns, or split the input"
                    )
    names = list(keys or columns)

    def pick(fields: dict[str, str | None]) -> list[str | None]:
        return [fields.get(name) for name in names]

    return _gather(path, _json_rows, pick, names, rows)


def _gather(
    path: Path,
    parse: Callable[[BinaryIO], Iterator[_Row]],
    pick: Callable[[Any], list[str | None]],
    names: Sequence[str],
    most: int,
) -> Source:
    """Collect the values that ``pick`` takes from each row into batches."""
    schema = pa.schema([(name, pa.string()) for name in names])

    def batches() -> Batches:
        first, empty = 1, [None] * len(names)
        with path.open("rb") as file:
            size, parsed = max(1, path.stat().st_size), parse(file)
            while rows := _take(parsed, most):
                values = [empty if row.fields is None else pick(row.fields) for row in rows]
                arrays = [pa.array(column, pa.string()) for column in zip(*values, strict=True)]
                unread = {
                    index: BadRow(first + index, row.line, None, row.text, row.reason)
                    for index, row in enumerate(rows)
                    if row.fields is None
                }
                table, lines = pa.record_batch(arrays, schema=schema), [row.line for row in rows]
                yield Batch(table, first, min(1.0, file.tell() / size), lines, unread)
                first += len(rows)

    return schema, batches()


def _take(rows: Iterator[_Row], most: int) -> list[_Row]:
    """Take a number of rows, or fewer at MOST_BYTES."""
    taken: list[_Row] = []
    size = 0
    while len(taken) < most and size < MOST_BYTES and (row := next(rows, None)):
        taken.append(row)
        size += len(row.text)
    return taken


def _lines(file: BinaryIO) -> Iterator[tuple[str, str]]:
    r"""Yield each line with its end, and why it cannot be read, if it cannot.

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
        yield text, reason
        encoding = "utf-8"


def _csv_rows(file: BinaryIO, delimiter: str) -> Generator[_Row, None, None]:
    lines, held, size, reason = _lines(file), [], 0, ""

    def next_line() -> str:  # unlike a generator, it can be called again after it raised an error
        nonlocal size, reason
        text, problem = next(lines)
        held.append(text)
        size, reason = size + len(text), reason or problem
        if size > LONGEST:
            raise csv.Error
        return text

    csv.field_size_limit(max(LONGEST, csv.field_size_limit()))  # for all readers of the process
    rows = csv.reader(iter(next_line, None), delimiter=delimiter, strict=True)
    columns, line = 0, 1
    while True:
        fields = None
        try:
            fields = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"is not well-formed: {error}" if size <= LONGEST else _TOO_LONG
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


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number)


def _json_rows(file: BinaryIO) -> Iterator[_Row]:
    for line, (whole, reason) in enumerate(_lines(file), start=1):
        fields, text = None, whole.strip(" \t\r\n")
        if not text:
            continue
        if not reason:
            try:
                fields = _parse_json(text)
            except RecursionError:
                reason = "is nested too deeply"
            except ValueError as error:
                reason = f"is not a JSON object: {error}"
        yield _Row(line, text, fields, reason)


def _parse_json(text: str) -> dict[str, str | None]:
    """Return the values of an object as texts."""
    found = _DECODER.decode(text)
    if not isinstance(found, dict):
        raise ValueError("it has no keys")
    fields = {
        key: value if value is None or isinstance(value, str) else _to_json(value)
        for key, value in found.items()
    }
    if "\\u" in text:  # JSON can escape half a surrogate pair, which is not valid Unicode
        "".join(f"{key}{value}" for key, value in fields.items()).encode()
    return fields


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
