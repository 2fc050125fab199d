"""Write codes as a column of lists of fixed size in a Parquet file."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from primefourier.bulk.batch import Encoded
from primefourier.bulk.encode_batch import Recipe

METADATA_KEY = b"primefourier"
"""Under which the column of codes says, as JSON, what basis it was made with."""


class ParquetWriter:
    """Writes one row group for each batch.

    The codes are neither compressed nor put into dictionaries: they are nearly random, snappy saved
    5 % of their size and took longer. The other columns are compressed with snappy.

    Args:
        file: Opened for writing bytes.
        schema: The input's columns.
        name: What the column of codes is called.
        recipe: What the codes are.
    """

    def __init__(self, file: BinaryIO, schema: pa.Schema, *, name: str, recipe: Recipe) -> None:
        self._schema = schema.append(code_field(name, recipe))
        leaves = _leaf_paths(self._schema)
        count = len(_leaf_paths(schema)) if len(schema) else 0
        self._writer: Any = pq.ParquetWriter(
            file,
            self._schema,
            use_dictionary=leaves[:count] or False,
            write_statistics=leaves[:count] or False,
            compression={path: "snappy" if i < count else "none" for i, path in enumerate(leaves)},
        )

    def write(self, encoded: Encoded) -> None:
        """Add some rows as a row group."""
        flat = pa.array(encoded.codes.reshape(-1))
        codes = pa.FixedSizeListArray.from_arrays(flat, type=self._schema.field(-1).type)
        arrays = [*encoded.rows.columns, codes]
        self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()

    def abandon(self) -> None:
        """Keep Python from closing the writer later, when its file is closed already."""
        self._writer.is_open = False


def code_field(name: str, recipe: Recipe) -> pa.Field:
    """Return the column of codes, which says what basis it was made with.

    >>> from primefourier.encoding import PrimeBasis
    >>> field = code_field("code", Recipe(PrimeBasis((3, 5), depth=2), "float32"))
    >>> field.type
    FixedSizeListType(fixed_size_list<item: float>[8])
    >>> json.loads(field.metadata[METADATA_KEY])["primes"]
    [3, 5]
    """
    about = {
        "primes": recipe.basis.primes,
        "depth": recipe.basis.depth,
        "dtype": recipe.dtype,
        "version": version("primefourier"),
    }
    number = {"float16": pa.float16(), "float32": pa.float32(), "float64": pa.float64()}
    kind = pa.list_(number[recipe.dtype], recipe.basis.dim)
    return pa.field(name, kind, metadata={METADATA_KEY: json.dumps(about)})


def _leaf_paths(schema: pa.Schema) -> list[str]:
    """Return how Parquet calls the columns, those inside lists and structs included."""
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    found = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return [found.column(i).path for i in range(len(found.names))]
