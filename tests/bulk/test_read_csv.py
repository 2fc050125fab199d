import csv
from pathlib import Path
from typing import Any

import pytest

from bulk_files import BASIS
from primefourier.bulk import BulkError, encode_file
from primefourier.bulk.batch import Batch
from primefourier.bulk.read_csv import CsvSource
from primefourier.bulk.source import Keep


def read(path: Path, content: bytes, *, rows: int = 100, **options: Any) -> list[Batch]:
    path.write_bytes(content)
    keep: Keep = "columns"
    settings: dict[str, Any] = {"column": "n", "keep": keep, "name": "code", "tabs": False}
    return list(CsvSource(path, **(settings | options)).batches(rows))


def test_fields_stay_the_texts_they_are(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbfn,a\r\n007,"x, ""y""\r\nz"\r\n 8 ,\r\n'
    (batch,) = read(tmp_path / "in.csv", content)
    assert batch.rows.to_pydict() == {"n": ["007", " 8 "], "a": ['x, "y"\r\nz', ""]}
    assert batch.values.to_pylist() == ["007", " 8 "]
    assert batch.lines is not None
    assert (batch.places.tolist(), batch.lines.tolist()) == ([1, 2], [2, 4])


def test_tabs_may_stand_between_fields(tmp_path: Path) -> None:
    (batch,) = read(tmp_path / "in.tsv", b"a\tn\n1,5\t2\n", tabs=True)
    assert batch.rows.to_pydict() == {"a": ["1,5"], "n": ["2"]}


def test_bad_rows_are_found_one_by_one(tmp_path: Path) -> None:
    content = b'a,n\nx,1\n\ny\n"a"b,2\n\xff,3\nz,4,5\nq,\x006\n"u\n\xff",9\nw,7\n'
    (batch,) = read(tmp_path / "in.csv", content)
    assert batch.values.to_pylist() == ["1", "\x006", "7"]
    assert batch.count == 8
    assert [(bad.row, bad.line) for bad in batch.bad] == [(2, 4), (3, 5), (4, 6), (5, 7), (7, 9)]
    reasons = [bad.reason for bad in batch.bad]
    assert reasons[0] == "has 1 field, not 2"
    assert reasons[1].startswith("is not well-formed: ")
    assert reasons[2] == reasons[4] == "is not UTF-8"
    assert reasons[3] == "has 3 fields, not 2"


def test_a_quote_that_is_not_closed_says_how_far_it_goes(tmp_path: Path) -> None:
    (batch,) = read(tmp_path / "in.csv", b'n,a\n1,x\n2,"y\n3,z\n4,z\n')
    assert batch.values.to_pylist() == ["1"]
    assert "is not well-formed (lines 3 to 5): unexpected end of data" in batch.bad[0].reason


def test_rows_that_are_too_long_are_bad_and_the_next_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.bulk.read_csv.LONGEST", 50)
    monkeypatch.setattr("primefourier.bulk.lines.LONGEST", 50)
    content = b"n,a\n1," + b"x" * 500 + b'\n2,"' + b"y\n" * 60 + b"3,z\n"
    (batch,) = read(tmp_path / "in.csv", content)
    assert batch.values.to_pylist()[-1] == "3"
    assert "is longer than 16 MiB" in batch.bad[0].reason
    assert csv.field_size_limit() == 131_072


def test_batches_are_cut_at_the_same_rows_bad_ones_included(tmp_path: Path) -> None:
    batches = read(tmp_path / "in.csv", b"n\n1\n2,2\n3\n4\n", rows=2)
    assert [batch.count for batch in batches] == [2, 2]
    assert [batch.values.to_pylist() for batch in batches] == [["1"], ["3", "4"]]
    assert [batch.number for batch in batches] == [0, 1]


def test_nothing_else_is_kept_when_nothing_else_is_wanted(tmp_path: Path) -> None:
    (batch,) = read(tmp_path / "in.csv", b"a,n\nx,1\n", keep="nothing")
    assert (batch.rows.num_columns, batch.values.to_pylist()) == (0, ["1"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; its first row must name the columns"),
        (b"\n\n", "is empty; its first row must name the columns"),
        (b"a,b\n1,2\n", "has no column 'n'; its columns are 'a', 'b'"),
        (b"n,n\n1,2\n", "must have different names, .* has 'n' twice"),
        (b"n,code\n1,2\n", "has a column 'code' already"),
        (b"n,\xff\n1,2\n", "first row, which names the columns, is not UTF-8"),
        (b'n,"a\n1,2\n', "names the columns, is not well-formed"),
        ("n\n1".encode("utf-16"), "is not UTF-8"),
    ],
)
def test_files_without_the_column_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(BulkError, match=words):
        read(tmp_path / "in.csv", content)


def test_a_file_of_names_only_has_no_batches(tmp_path: Path) -> None:
    assert read(tmp_path / "in.csv", b"a,n") == []


def test_an_empty_line_is_a_missing_value_where_there_is_one_column(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("n\n1\n\n3\n")
    summary = encode_file(path, out=tmp_path / "o.npy", column="n", basis=BASIS, on_bad="reject")
    assert (summary.rows, summary.rejected) == (2, 1)
    path.write_text("n,m\n1,2\n\n3,4\n")
    summary = encode_file(path, out=tmp_path / "p.npy", column="n", basis=BASIS)
    assert summary.rows == 2


def test_other_separators_are_told(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("id;n\n1;2\n")
    with pytest.raises(BulkError, match=r"'id;n'; fields are separated by commas in \.csv files"):
        encode_file(path, out=tmp_path / "o.npy", column="n", basis=BASIS)
