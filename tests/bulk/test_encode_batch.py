import numpy as np
import pyarrow as pa

import primefourier as pf
from bulk_files import BASIS
from primefourier.bulk.batch import BadRow, Batch
from primefourier.bulk.encode_batch import Recipe, encode_batch


def test_bad_values_join_the_rows_that_could_not_be_read_in_order() -> None:
    values = pa.array(["1", "x", None, "4"])
    batch = Batch(
        number=0,
        count=5,
        rows=pa.record_batch({"id": [10, 20, 30, 50]}),
        values=values,
        places=np.array([1, 2, 3, 5]),
        lines=np.array([2, 3, 4, 6]),
        bad=(BadRow(row=4, line=5, value="?", reason="is not UTF-8"),),
        share=0.5,
    )
    encoded = encode_batch(batch, Recipe(BASIS, "float64"))
    assert encoded.rows.to_pydict() == {"id": [10, 50]}
    assert (encoded.codes == pf.encode([1, 4], BASIS, "float64")).all()
    assert [(bad.row, bad.line, bad.value) for bad in encoded.bad] == [
        (2, 3, "x"),
        (3, 4, None),
        (4, 5, "?"),
    ]
    assert (encoded.count, encoded.share) == (5, 0.5)


def test_a_recipe_knows_the_size_of_a_code() -> None:
    sizes = [Recipe(pf.PAPER_BASIS, dtype).bytes for dtype in ("float16", "float32", "float64")]
    assert sizes == [384, 768, 1536]
