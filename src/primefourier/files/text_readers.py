"""Read CSV, TSV and JSON lines as texts, and report bad rows with their lines.

Python's own modules read the files. Arrow's readers silently turn integers beyond 64 bits into
floats and texts into dates, and do not report the line of a row that they cannot read.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from primefourier.files.bad_rows import BadRow, FileError
from primefourier.files.readers import MOST_BYTES, Batch, Source, require_columns

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


def open_csv(
    path: Path, columns: Sequence[str], codes: Sequence[str] | None, rows: int, *, delimiter: str
) -> Source:
    """Open a CSV or TSV file in UTF-8 whose first row names the columns.

    Args:
        path: The file.
        columns: The columns to encode.
        codes: Names of the new columns of codes; None to read ``columns`` alone.
        rows: The number of rows in a batch.
        delimiter: The character between fields.
    """
    with _csv_rows(path, delimiter) as (_, found):
        header = next(found, None)
    if header is None:
        raise FileError(f"{path} is empty; its first row must name the columns")
    if header.fields is None:
        raise FileError(f"{path}: the first row, which names the columns, {header.reason}")
    names = header.fields
    require_columns(path, names, columns, codes or ())
    kept = list(range(len(names))) if codes is not None else [names.index(c) for c in columns]
    schema = pa.schema([(names[i], pa.string()) for i in kept])

    def batches() -> Generator[Batch, None, None]:
        with _csv_rows(path, delimiter) as (file, found):
            next(found)
            yield from _gather(found, lambda row: [row[i] for i in kept], schema, rows, file)

    return Source(schema, batches())


def open_jsonl(
    path: Path, columns: Sequence[str], codes: Sequence[str] | None, rows: int
) -> Source:
    """Open a file of JSON objects in UTF-8, one per line, as :func:`open_csv`.

    Every key becomes a column of texts: strings stay as they are, other values become JSON. A first
    pass over the file collects the keys.
    """
    names = list(columns)
    if codes is not None:
        keys: dict[str, None] = {}
        with path.open("rb") as file:
            for row in _json_rows(file, columns):
                keys.update(dict.fromkeys(row.fields or ()))
                if len(keys) > _MOST_KEYS:
                    raise FileError(
                        f"{path} has more than {_MOST_KEYS} different keys; write a .npy file, "
                        "which has no other columns, or split the input"
                    )
        names = list(keys or columns)
        require_columns(path, names, columns, codes)
    schema = pa.schema([(name, pa.string()) for name in names])

    def batches() -> Generator[Batch, None, None]:
        with path.open("rb") as file:
            found = _json_rows(file, columns)
            yield from _gather(found, lambda row: [row.get(n) for n in names], schema, rows, file)

    return Source(schema, batches())


def _gather(
    rows: Iterable[_Row],
    pick: Callable[[Any], list[str | None]],
    schema: pa.Schema,
    most: int,
    file: BinaryIO,
) -> Generator[Batch, None, None]:
    """Collect rows, including bad ones, into batches of ``most`` rows or MOST_BYTES."""
    size = max(1, os.fstat(file.fileno()).st_size)
    good: list[list[str | None]] = []
    places: list[int] = []
    lines: list[int] = []
    bad: list[BadRow] = []
    held = 0

    def batch(share: float) -> Batch:
        columns = zip(*good, strict=True) if good else [()] * len(schema)
        arrays = [pa.array(column, pa.string()) for column in columns]
        return Batch(pa.record_batch(arrays, schema=schema), places, lines, bad, share)

    for number, row in enumerate(rows, start=1):
        if row.fields is None:
            bad.append(BadRow(number, row.line, None, row.text, row.reason))
        else:
            good.append(pick(row.fields))
            places.append(number)
            lines.append(row.line)
        held += len(row.text)
        if len(good) + len(bad) == most or held >= MOST_BYTES:
            yield batch(file.tell() / size)
            good, places, lines, bad, held = [], [], [], [], 0
    if good or bad:
        yield batch(1.0)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    r"""Yield the lines with their ends; a longer one is cut to LONGEST + 1 bytes.

    Only \n ends a line. A byte order mark at the beginning of the file is left out.
    """
    first = True
    while line := file.readline(LONGEST + 1):
        rest = line
        while len(line) > LONGEST and rest and not rest.endswith(b"\n"):
            rest = file.readline(1 << 20)
        yield line.removeprefix(_BYTE_ORDER_MARK) if first else line
        first = False


class _TooLongError(Exception):
    pass


@contextmanager
def _csv_rows(path: Path, delimiter: str) -> Iterator[tuple[BinaryIO, Iterator[_Row]]]:
    limit = csv.field_size_limit(LONGEST)
    try:
        with path.open("rb") as file:
            yield file, _parse_csv(file, delimiter)
    finally:
        csv.field_size_limit(limit)


def _parse_csv(file: BinaryIO, delimiter: str) -> Iterator[_Row]:
    lines, held, size = _lines(file), [], 0

    def next_line() -> str:  # unlike a generator, it can be called again after it raised an error
        nonlocal size
        data = next(lines)
        held.append(data.decode("utf-8", "surrogateescape"))
        size += len(data)
        if size > LONGEST:
            raise _TooLongError
        return held[-1]

    rows = csv.reader(iter(next_line, None), delimiter=delimiter, strict=True)
    columns, line = 0, 1
    while True:
        fields, reason = None, ""
        try:
            fields = next(rows)
        except StopIteration:
            return
        except _TooLongError:
            reason = _TOO_LONG
        except csv.Error as error:
            last = f" (lines {line} to {line + len(held) - 1})" if len(held) > 1 else ""
            reason = f"is not well-formed{last}: {error}"
        text = "".join(held).rstrip("\r\n")
        if not _is_unicode(text):
            text = text.encode(errors="surrogateescape").decode(errors="replace")
            fields, reason = None, reason or "is not UTF-8"
        if fields == [] and columns == 1:
            fields = [""]  # in a file with one column, a blank line is a missing value
        columns = columns or len(fields or ())  # the number of fields in the first row
        if fields and len(fields) != columns:
            reason = f"has {len(fields)} field{'s'[: len(fields) != 1]}, not {columns}"
            fields = None
        if fields != []:
            yield _Row(line, text, fields, reason)
        line += len(held)
        held.clear()
        size = 0


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Number(str):
    """A JSON number exactly as the file writes it, of any size."""

    __slots__ = ()


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_refuse)


def _json_rows(file: BinaryIO, columns: Sequence[str]) -> Iterator[_Row]:
    for line, data in enumerate(_lines(file), start=1):
        fields, reason = None, _TOO_LONG if len(data) > LONGEST else ""
        try:
            text = data.decode().strip(" \t\r\n")
        except UnicodeDecodeError:
            text, reason = data.decode(errors="replace").strip(), reason or "is not UTF-8"
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
        fields = {k: v if isinstance(v, str) else _as_text(v) for k, v in found.items()}
    except RecursionError:
        return None, "is nested too deeply"
    except ValueError as error:
        return None, f"is not JSON: {error}"
    # JSON can escape half a surrogate pair
    if "\\u" in text and not all(_is_unicode(f"{k}{v}") for k, v in fields.items()):
        return None, "holds a text that is not valid Unicode"
    return fields, ""


def _as_text(value: Any, levels: int = _MOST_LEVELS) -> str | None:
    """Return a string as it is, and another value as JSON with its numbers unchanged.

    >>> _as_text({"a": [_Number("1.50"), None, "é"]})
    '{"a": [1.50, null, "é"]}'
    """
    if value is None or isinstance(value, str):
        return value

    def write(entry: Any) -> str:
        if isinstance(entry, _Number):
            return entry
        if isinstance(entry, dict | list):
            return str(_as_text(entry, levels - 1))
        return json.dumps(entry, ensure_ascii=False)

    if levels == 0:
        raise RecursionError
    if isinstance(value, dict):
        return "{" + ", ".join([f"{write(k)}: {write(v)}" for k, v in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([write(entry) for entry in value]) + "]"
    return write(value)
