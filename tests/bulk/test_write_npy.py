from io import BytesIO

import numpy as np
import pyarrow as pa
import pytest

from bulk_files import BASIS
from primefourier.bulk.batch import Encoded
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.write_npy import NpyWriter


@pytest.mark.parametrize("sizes", [[], [1], [9, 1, 0, 5], [100_000]])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_header_knows_in_the_end_how_many_there_are(sizes: list[int], dtype: str) -> None:
    file, rows = BytesIO(), pa.record_batch({})
    writer = NpyWriter(file, recipe=Recipe(BASIS, dtype))
    written = [np.full((size, *BASIS.shape), k, dtype) for k, size in enumerate(sizes)]
    for codes in written:
        writer.write(Encoded(len(codes), rows, codes, (), 1.0))
    writer.close()
    found = np.load(BytesIO(file.getvalue()))
    assert (found.shape, found.dtype) == ((sum(sizes), *BASIS.shape), np.dtype(dtype))
    assert not sizes or np.array_equal(found, np.concatenate(written))
