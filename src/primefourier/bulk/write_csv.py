"""Write rows as CSV or TSV, each code as a JSON list in one field."""

from __future__ import annotations

import csv
from io import StringIO
from typing import BinaryIO

import pyarrow as pa

from primefourier.bulk.batch import Encoded
from primefourier.bulk.texts import field_texts, pieces, require_text_columns


class CsvWriter:
    r"""Writes a row of names and then the rows, in UTF-8.

    Args:
        file: Opened for writing bytes.
        schema: The input's columns.
        name: What the column of codes is called.
        tabs: Whether tabs stand between the fields, instead of commas.

    >>> from io import BytesIO
    >>> import numpy as np
    >>> file = BytesIO()
    >>> writer = CsvWriter(file, pa.schema([("n", pa.int64())]), name="code", tabs=False)
    >>> codes = np.ones((1, 1, 1, 2), dtype=np.float32)
    >>> writer.write(Encoded(1, pa.record_batch({"n": [5]}), codes, (), 1.0))
    >>> file.getvalue()
    b'n,code\r\n5,"[1,1]"\r\n'
    """

    def __init__(self, file: BinaryIO, schema: pa.Schema, *, name: str, tabs: bool) -> None:
        require_text_columns(schema)
        self._file, self._dialect = file, "excel-tab" if tabs else "excel"
        self._write_rows([[*schema.names, name]])

    def write(self, encoded: Encoded) -> None:
        """Add some rows."""
        for rows, codes in pieces(encoded):
            fields = [field_texts(column) for column in rows.columns]
            self._write_rows([list(row) for row in zip(*fields, codes, strict=True)])

    def _write_rows(self, rows: list[list[str | None]]) -> None:
        text = StringIO(newline="")
        csv.writer(text, self._dialect).writerows(rows)
        self._file.write(text.getvalue().encode())

    def close(self) -> None:
        """Nothing is missing at the end."""

    def abandon(self) -> None:
        """Nothing is held back."""
