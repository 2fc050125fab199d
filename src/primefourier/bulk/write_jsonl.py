"""Write rows as JSON lines, or add the codes to lines as they stand."""

from __future__ import annotations

import json
from typing import BinaryIO

import pyarrow as pa

from primefourier.bulk.batch import Encoded
from primefourier.bulk.texts import json_texts, pieces, require_text_columns


class JsonlWriter:
    r"""Writes one object a line, in UTF-8, the code as its last key.

    Args:
        file: Opened for writing bytes.
        schema: The input's columns, or one column of lines.
        name: What the code is called.
        lines: Whether rows are whole lines of JSON, which stay as they are but for the code.

    >>> from io import BytesIO
    >>> import numpy as np
    >>> file, rows = BytesIO(), pa.record_batch({"line": ['{"n":5 }']})
    >>> writer = JsonlWriter(file, rows.schema, name="code", lines=True)
    >>> writer.write(Encoded(1, rows, np.ones((1, 1, 1, 2), dtype=np.float32), (), 1.0))
    >>> file.getvalue()
    b'{"n":5 , "code": [1,1]}\n'
    """

    def __init__(self, file: BinaryIO, schema: pa.Schema, *, name: str, lines: bool) -> None:
        require_text_columns(schema)
        self._file, self._lines = file, lines
        self._name = json.dumps(name, ensure_ascii=False)
        self._keys = [json.dumps(key, ensure_ascii=False) for key in schema.names]

    def write(self, encoded: Encoded) -> None:
        """Add some rows."""
        for rows, codes in pieces(encoded):
            begun = self._begun_lines(rows) if self._lines else self._begun_objects(rows)
            lines = [
                f"{line}, {self._name}: {code}}}\n" for line, code in zip(begun, codes, strict=True)
            ]
            self._file.write("".join(lines).encode())

    def _begun_lines(self, rows: pa.RecordBatch) -> list[str]:
        """Return whole lines without their closing brace; each holds at least the integer's key."""
        return [line[:-1] for line in rows.column(0).to_pylist()]

    def _begun_objects(self, rows: pa.RecordBatch) -> list[str]:
        columns = [json_texts(column) for column in rows.columns]
        return [
            "{" + ", ".join(f"{key}: {value}" for key, value in zip(self._keys, row, strict=True))
            for row in zip(*columns, strict=True)
        ]

    def close(self) -> None:
        """Nothing is missing at the end."""

    def abandon(self) -> None:
        """Nothing is held back."""
