import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bulk_files import BASIS, assert_codes, names, write_input
from primefourier.bulk import BulkError, encode_file, part
from primefourier.bulk.batch import Batch, Encoded
from primefourier.bulk.encode_batch import Recipe, encode_batch
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


def test_a_part_is_not_written_into_a_folder_that_became_another_job_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_input(tmp_path / "in.csv", [1, 2])
    out = tmp_path / "codes"

    def take_long(batch: Batch, recipe: Recipe) -> Encoded:
        (out / "_job.json").write_text("{}")  # meanwhile
        return encode_batch(batch, recipe)

    monkeypatch.setattr(part, "encode_batch", take_long)
    with pytest.raises(BulkError, match="does not see the folder"):
        encode_file(source, out=out, column="n", basis=BASIS)
    assert not list(out.glob("part-*"))
