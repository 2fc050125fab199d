import csv
from io import BytesIO, StringIO

import numpy as np
import pyarrow as pa
import pytest

from primefourier.bulk import BulkError
from primefourier.bulk.batch import Encoded
from primefourier.bulk.write_csv import CsvWriter


@pytest.mark.parametrize("tabs", [False, True])
def test_any_text_survives_the_quotes(tabs: bool) -> None:
    texts = ["a,b", "a\tb", 'a"b', "a\nb", "a\rb", "\r\n", "", " ", "\x00", "é\u2028"]
    rows = pa.record_batch({"t,\t\n": texts, "n": [None] * len(texts)})
    file = BytesIO()
    writer = CsvWriter(file, rows.schema, name='c"', tabs=tabs)
    codes = np.ones((len(texts), 1, 1, 2), dtype=np.float32)
    writer.write(Encoded(len(texts), rows, codes, (), 1.0))
    writer.close()
    text = StringIO(file.getvalue().decode(), newline="")
    header, *found = csv.reader(text, "excel-tab" if tabs else "excel")
    assert header == ["t,\t\n", "n", 'c"']
    assert found == [[text, "", "[1,1]"] for text in texts]


def test_bytes_are_refused_at_the_beginning() -> None:
    with pytest.raises(BulkError, match="holds bytes"):
        CsvWriter(BytesIO(), pa.schema([("a", pa.binary())]), name="code", tabs=False)
