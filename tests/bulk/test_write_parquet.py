import gc
import json
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import primefourier as pf
from bulk_files import BASIS
from primefourier.bulk.batch import Encoded
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.write_parquet import METADATA_KEY, ParquetWriter


def write(rows: pa.RecordBatch, dtype: str = "float32", name: str = "code") -> pq.ParquetFile:
    file = BytesIO()
    writer = ParquetWriter(file, rows.schema, name=name, recipe=Recipe(BASIS, dtype))
    codes = pf.encode(range(rows.num_rows), BASIS, dtype)
    for _ in range(2):
        writer.write(Encoded(rows.num_rows, rows, codes, (), 1.0))
    writer.close()
    return pq.ParquetFile(BytesIO(file.getvalue()))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_codes_are_lists_of_fixed_size_that_know_their_basis(dtype: str) -> None:
    found = write(pa.record_batch({"n": [0, 1]}), dtype)
    field = found.schema_arrow.field("code")
    assert field.type == pa.list_(pa.from_numpy_dtype(np.dtype(dtype)), BASIS.dim)
    about = json.loads(field.metadata[METADATA_KEY])
    assert pf.PrimeBasis(tuple(about["primes"]), about["depth"]) == BASIS
    assert (about["dtype"], about["version"]) == (dtype, pf.__version__)
    column = found.read().column("code").combine_chunks()
    codes = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, *BASIS.shape)
    assert codes.tobytes() == pf.encode([0, 1, 0, 1], BASIS, dtype).tobytes()


def test_codes_are_stored_plainly_and_other_columns_compressed() -> None:
    rows = pa.record_batch({"n": [0, 1], "a.b": ["x", "y"], "s": [{"t": [1]}, {"t": [2]}]})
    found = write(rows, name="code.list")
    assert found.metadata.num_row_groups == 2
    group = found.metadata.row_group(0)
    *others, codes = (group.column(i) for i in range(group.num_columns))
    assert codes.compression == "UNCOMPRESSED"
    assert not codes.has_dictionary_page
    assert codes.statistics is None
    assert {column.compression for column in others} == {"SNAPPY"}
    assert found.read().drop_columns(["code.list"]).to_pylist() == rows.to_pylist() * 2


def test_an_abandoned_writer_is_silent_when_it_is_collected() -> None:
    file = BytesIO()
    schema = pa.schema([("n", pa.int64())])
    writer = ParquetWriter(file, schema, name="code", recipe=Recipe(BASIS, "float32"))
    writer.abandon()
    file.close()
    del writer
    gc.collect()  # what is raised here makes pytest fail
