"""Read CSV and TSV files: every field stays the text it is, and bad rows are found one by one."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from primefourier.bulk.batch import Batch
from primefourier.bulk.errors import BulkError, reading
from primefourier.bulk.gather import Gather
from primefourier.bulk.lines import LONGEST, TOO_LONG, read_lines
from primefourier.bulk.source import Keep, require_columns


@dataclass(frozen=True)
class _Record:
    """One row of the file: its fields, or why it has none; and the text it was read from."""

    line: int
    fields: list[str] | None
    reason: str
    text: str


class _TooLongError(Exception):
    pass


class CsvSource:
    """A CSV or TSV file whose first row names the columns.

    Args:
        path: The file, in UTF-8.
        column: What to encode.
        keep: "columns" keeps every column as texts, "nothing" the code alone.
        name: What the column of codes will be called.
        tabs: Whether tabs stand between the fields, instead of commas.

    Raises:
        BulkError: If there is no row of names, or the column is not in it.
    """

    def __init__(self, path: Path, *, column: str, keep: Keep, name: str, tabs: bool) -> None:
        self._path, self._tabs = path, tabs
        with self._records() as (_, records):
            header = next(records, None)
        if header is None:
            raise BulkError(f"{path} is empty; its first row must name the columns")
        if header.fields is None:
            raise BulkError(f"{path}: the first row, which names the columns, {header.reason}")
        self._names = header.fields
        require_columns(path, self._names, column, name)
        self._index = self._names.index(column)
        self._kept = keep == "columns"
        names = self._names if self._kept else []
        self.schema: pa.Schema = pa.schema([(found, pa.string()) for found in names])

    def batches(self, rows: int) -> Generator[Batch, None, None]:
        """Yield the rows, so many at a time, or fewer where rows are large."""
        size = max(1, self._path.stat().st_size)
        with self._records() as (file, records):
            next(records)
            gather = Gather(rows)
            for record in records:
                if record.fields is None:
                    gather.add_bad(record.line, record.text, record.reason)
                elif len(record.fields) != len(self._names):
                    found = len(record.fields)
                    reason = f"has {found} field{'s'[: found != 1]}, not {len(self._names)}"
                    gather.add_bad(record.line, record.text, reason)
                else:
                    value = record.fields[self._index]
                    gather.add(record.line, record.fields, value, len(record.text))
                if gather.full:
                    yield gather.take(self._columns(gather.rows), file.tell() / size)
            if gather.count:
                yield gather.take(self._columns(gather.rows), 1.0)

    def _columns(self, rows: list[list[str]]) -> pa.RecordBatch:
        columns = list(zip(*rows, strict=True)) or [()] * len(self._names)
        arrays = [pa.array(column, pa.string()) for column in columns] if self._kept else []
        return pa.record_batch(arrays, schema=self.schema)

    @contextmanager
    def _records(self) -> Iterator[tuple[BinaryIO, Iterator[_Record]]]:
        kind = "a TSV file" if self._tabs else "a CSV file"
        limit = csv.field_size_limit(LONGEST)  # lines.py and _Feed bound what a field can be
        try:
            with reading(self._path, kind), self._path.open("rb") as file:
                yield file, _parse(file, "\t" if self._tabs else ",")
        finally:
            csv.field_size_limit(limit)


class _Feed:
    """Hands lines to the parser, and remembers those of the record it is at."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = read_lines(file)
        self.line = 0
        self.begin()

    def begin(self) -> None:
        self.first, self.size, self.decoded = self.line + 1, 0, True
        self.texts: list[str] = []

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        data = next(self._lines)
        self.line += 1
        self.size += len(data)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            # The quotes still have to be followed to the end of the record.
            text, self.decoded = data.decode("utf-8", "replace"), False
        self.texts.append(text)
        if self.size > LONGEST:
            raise _TooLongError
        return text


def _parse(file: BinaryIO, delimiter: str) -> Iterator[_Record]:
    feed = _Feed(file)
    columns = 0
    rows = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        feed.begin()
        fields: list[str] | None = None
        reason = ""
        try:
            fields = next(rows)
        except StopIteration:
            return
        except _TooLongError:
            reason = TOO_LONG
        except csv.Error as error:
            last = f" (lines {feed.first} to {feed.line})" if feed.line > feed.first else ""
            reason = f"is not well-formed{last}: {error}"
        if fields is not None and not feed.decoded:
            fields, reason = None, "is not UTF-8"
        if fields == []:  # a blank line
            if columns != 1:
                continue
            fields = [""]  # of a file with one column it is a row without a value
        columns = columns or len(fields or ())  # as the first row has
        text = "".join(feed.texts).rstrip("\r\n")
        yield _Record(feed.first, fields, reason, text)
