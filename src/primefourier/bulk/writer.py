"""An output file, whatever its format: it takes batches of rows with their codes."""

from __future__ import annotations

from typing import BinaryIO, Protocol

import pyarrow as pa

from primefourier.bulk.batch import Encoded
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.formats import Format
from primefourier.bulk.source import Keep


class Writer(Protocol):
    """Writes one file."""

    def write(self, encoded: Encoded) -> None:
        """Add some rows."""
        ...

    def close(self) -> None:
        """Write what a whole file needs at its end."""
        ...

    def abandon(self) -> None:
        """Let go of the file, which stays as it is; nothing more will be written."""
        ...


def open_writer(
    file: BinaryIO, kind: Format, schema: pa.Schema, *, name: str, recipe: Recipe, keep: Keep
) -> Writer:
    """Begin an output file.

    Args:
        file: Opened for writing bytes, empty.
        kind: The format.
        schema: What is kept of the input's rows.
        name: What the column of codes is called.
        recipe: What the codes are.
        keep: Whether rows come as columns or as whole lines.

    Returns:
        What writes it.

    Raises:
        BulkError: If the format cannot hold the columns.
    """
    from primefourier.bulk.write_csv import CsvWriter
    from primefourier.bulk.write_jsonl import JsonlWriter
    from primefourier.bulk.write_npy import NpyWriter
    from primefourier.bulk.write_parquet import ParquetWriter

    if kind == "parquet":
        return ParquetWriter(file, schema, name=name, recipe=recipe)
    if kind == "jsonl":
        return JsonlWriter(file, schema, name=name, lines=keep == "lines")
    if kind == "npy":
        return NpyWriter(file, recipe=recipe)
    return CsvWriter(file, schema, name=name, tabs=kind == "tsv")
