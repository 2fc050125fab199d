import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bulk_files import BASIS, assert_codes, names
from primefourier.bulk import BulkError
from primefourier.bulk.batch import Batch
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.job import Job
from primefourier.bulk.part import PartWriter


def make_batch(*values: str) -> Batch:
    column = pa.array(values)
    rows = pa.record_batch({"n": column})
    places = np.arange(1, len(values) + 1)
    return Batch(7, len(values), rows, column, places, None, (), 1.0)


@pytest.fixture
def write(tmp_path: Path) -> PartWriter:
    (tmp_path / "_job.json").write_text("mine")
    recipe = Recipe(BASIS, "float32")
    job = Job(Path("in.csv"), "n", tmp_path, True, "csv", "code", recipe, "error", None, {})
    return PartWriter(job, tmp_path, pa.schema([("n", pa.string())]), "mine")


def test_a_part_is_written_under_its_number(write: PartWriter) -> None:
    done = write(make_batch("1", "2"))
    assert (done.rows, done.rejected, done.bad) == (2, 0, None)
    assert names(write.folder) == ["_job.json", "part-000007.csv"]
    assert_codes(write.folder / "part-000007.csv", [1, 2])


def test_a_bad_row_that_is_an_error_leaves_no_part(write: PartWriter) -> None:
    done = write(make_batch("1", "x", "y"))
    assert done.bad is not None
    assert (done.bad.row, done.bad.value) == (2, "x")
    assert names(write.folder) == ["_job.json"]


def test_bad_rows_that_are_left_out_are_kept_beside_the_part(write: PartWriter) -> None:
    write = replace(write, job=replace(write.job, on_bad="reject"))
    done = write(make_batch("x", "2", "y"))
    assert (done.rows, done.rejected) == (1, 2)
    assert names(write.folder) == ["_job.json", "_rejects-000007.jsonl", "part-000007.csv"]
    lines = (write.folder / "_rejects-000007.jsonl").read_text().splitlines()
    assert [json.loads(line)["row"] for line in lines] == [1, 3]


def test_another_folder_of_the_same_name_is_told(write: PartWriter) -> None:
    for text in ("another's", None):
        (write.folder / "_job.json").unlink()
        if text is not None:
            (write.folder / "_job.json").write_text(text)
        with pytest.raises(BulkError, match="a worker does not see the folder"):
            write(make_batch("1"))
