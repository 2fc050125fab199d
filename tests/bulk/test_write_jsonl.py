import json
from io import BytesIO

import numpy as np
import pyarrow as pa
import pytest

from primefourier.bulk import BulkError
from primefourier.bulk.batch import Encoded
from primefourier.bulk.write_jsonl import JsonlWriter

CODES = np.array([[[[0.5, -1]]], [[[0, 1]]]], dtype=np.float32)


def test_rows_become_objects() -> None:
    rows = pa.record_batch({'k"': ["a\nb\u2028", None], "n": [1, 2]})
    file = BytesIO()
    writer = JsonlWriter(file, rows.schema, name="code", lines=False)
    writer.write(Encoded(2, rows, CODES, (), 1.0))
    writer.close()
    first, second = file.getvalue().decode().rstrip("\n").split("\n")
    assert json.loads(first) == {'k"': "a\nb\u2028", "n": 1, "code": [0.5, -1]}
    assert second == '{"k\\"": null, "n": 2, "code": [0,1]}'


def test_lines_get_one_more_key() -> None:
    rows = pa.record_batch({"line": ['{"n":1}', '{ "n" : 2 , "é":[] }']})
    file = BytesIO()
    JsonlWriter(file, rows.schema, name="ü", lines=True).write(Encoded(2, rows, CODES, (), 1.0))
    assert file.getvalue().decode().splitlines() == [
        '{"n":1, "ü": [0.5,-1]}',
        '{ "n" : 2 , "é":[] , "ü": [0,1]}',
    ]


def test_bytes_are_refused_at_the_beginning() -> None:
    with pytest.raises(BulkError, match="holds bytes"):
        JsonlWriter(BytesIO(), pa.schema([("a", pa.binary())]), name="code", lines=False)
