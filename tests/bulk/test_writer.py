from io import BytesIO

import pyarrow as pa
import pytest

from bulk_files import BASIS, FORMATS
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.writer import open_writer

BEGINNINGS = {
    "parquet": b"PAR1",
    "csv": b"n,code\r\n",
    "tsv": b"n\tcode\r\n",
    "jsonl": b"",
    "npy": b"\x93NUMPY",
}


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_has_a_writer(kind: str) -> None:
    file = BytesIO()
    schema, recipe = pa.schema([("n", pa.int64())]), Recipe(BASIS, "float32")
    writer = open_writer(file, kind, schema, name="code", recipe=recipe, keep="columns")  # type: ignore[arg-type]
    writer.close()
    writer.abandon()
    assert file.getvalue().startswith(BEGINNINGS[kind])
