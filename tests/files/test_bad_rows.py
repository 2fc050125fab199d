"""Rows that cannot be encoded are reported with row, line, column and reason, and never encoded."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from number_files import BASIS, assert_codes, names, read_table, write_table
from primefourier.files import BadRow, BadRowError, FileError, encode_file
from primefourier.files.integer_columns import read_text

Found = tuple[int, int | None, str | None, str]
"""Row, line, column and reason of a bad row."""


def reject(path: Path, content: bytes, column: Any = "n") -> tuple[list[int], list[Found]]:
    """Encode a file, check the codes, and return the good integers and the bad rows."""
    path.write_bytes(content)
    out = path.with_name("out.parquet")
    summary = encode_file(
        path, out=out, column=column, basis=BASIS, on_bad="reject", overwrite=True
    )
    good = [read_text(str(n)) for n in read_table(out)["n"].to_pylist()]
    assert_codes(out, good, name="code" if isinstance(column, str) else "n_code")
    assert summary.rows == len(good)
    if summary.rejects is None:
        return good, []
    bad = [json.loads(line) for line in summary.rejects.read_text().splitlines()]
    assert summary.rejected == len(bad)
    assert {one["file"] for one in bad} == {str(path)}
    return good, [(one["row"], one.get("line"), one.get("column"), one["reason"]) for one in bad]


def test_bad_rows_stop_the_run_or_are_listed_with_file_place_value_and_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.files.file_encoding._BATCH_ROWS", 2)
    source, out, listed = tmp_path / "in.csv", tmp_path / "out.parquet", tmp_path / "bad.txt"
    source.write_text("id,n\na,1\n\nb,2\nc,three\nd\ne,5\n")
    words = r"in\.csv, row 3 \(line 5\), column 'n': 'three' is not a decimal integer; correct it"
    with pytest.raises(BadRowError, match=words) as caught:
        encode_file(source, out=out, column="n")
    assert caught.value.bad == BadRow(3, 5, "n", "three", "is not a decimal integer")
    assert names(tmp_path) == ["in.csv"]
    summary = encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject", rejects=listed)
    assert (summary.rows, summary.rejected, summary.rejects) == (3, 2, listed)
    assert_codes(out, [1, 2, 5])
    assert read_table(out)["id"].to_pylist() == ["a", "b", "e"]
    bad = [caught.value.bad, BadRow(4, 6, None, "d", "has 1 field, not 2")]
    assert [json.loads(line) for line in listed.read_text().splitlines()] == [
        {"file": str(source), **asdict(one)} for one in bad
    ]


def test_fields_of_csv_stay_the_texts_they_are(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbfn,a\r\n007,"x, ""y""\r\nz"\r\n 8 ,\r\nx,y\r\n'
    assert reject(tmp_path / "in.csv", content) == (
        [7, 8],
        [(3, 5, "n", "is not a decimal integer")],
    )
    table = read_table(tmp_path / "out.parquet").drop_columns(["code"])
    assert table.to_pydict() == {"n": ["007", " 8 "], "a": ['x, "y"\r\nz', ""]}
    assert reject(tmp_path / "in.tsv", b"a\tn\n1,5\t2\n") == ([2], [])


def test_bad_rows_of_csv_are_found_one_by_one(tmp_path: Path) -> None:
    content = b'a,n\nx,1\n\ny\n"a"b,2\n\xff,3\nz,4,5\nq,\x006\n"u\n\xff",9\nw,7\nv,\n"end\n\n'
    good, bad = reject(tmp_path / "in.csv", content)
    assert good == [1, 7]
    wanted: list[Found] = [
        (2, 4, None, "has 1 field, not 2"),
        (3, 5, None, "is not well-formed: "),
        (4, 6, None, "is not UTF-8"),
        (5, 7, None, "has 3 fields, not 2"),
        (6, 8, "n", "is not a decimal integer"),
        (7, 9, None, "is not UTF-8"),
        (9, 12, "n", "is empty"),
        (10, 13, None, "is not well-formed: unexpected end of data"),
    ]
    assert [one[:3] for one in bad] == [one[:3] for one in wanted]
    for (*_, reason), (*_, start) in zip(bad, wanted, strict=True):
        assert reason.startswith(start)


@pytest.mark.parametrize(
    "content",
    [
        b"n,a\n1," + b"x" * 500 + b"\n3,z\n",
        b'n,a\n1,"' + b"y\n" * 60 + b"3,z\n",
        b'{"n": 1, "a": "' + b"x" * 500 + b'"}\n{"n": 3, "a": "z"}\n',
    ],
    ids=["csv line", "csv row", "json line"],
)
def test_rows_that_are_too_long_are_bad_and_the_next_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setattr("primefourier.files.text_readers.LONGEST", 50)
    kind = "jsonl" if content.startswith(b"{") else "csv"
    good, bad = reject(tmp_path / f"in.{kind}", content)
    assert good[-1] == 3
    assert bad[0][3] == "is longer than 16 MiB"


def test_a_blank_line_is_a_missing_value_where_there_is_one_column(tmp_path: Path) -> None:
    assert reject(tmp_path / "in.csv", b"n\n1\n\n3\n") == ([1, 3], [(2, 3, "n", "is empty")])
    assert reject(tmp_path / "in.csv", b"n,m\n1,2\n\n3,4\n") == ([1, 3], [])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; its first row must name the columns"),
        (b"n,\xff\n1,2\n", "first row, which names the columns, is not UTF-8"),
        (b"id;n\n1;2\n", "has no column 'n'; its columns are 'id;n'"),
        ("n\n1".encode("utf-16"), "is not UTF-8"),
    ],
)
def test_a_csv_file_without_the_column_is_refused(
    tmp_path: Path, content: bytes, words: str
) -> None:
    with pytest.raises(FileError, match=words):
        reject(tmp_path / "in.csv", content)


BAD_LINES = {
    b"\xff": "is not UTF-8",
    b"{": "is not a JSON object: ",
    b"[1]": "is not a JSON object: ",
    b'{"n": 1} {"n": 2}': "is not a JSON object: ",
    b'{"m": 1}': "is null",
    b'{"n": null}': "is null",
    b'{"n": 1.0}': "is not a decimal integer",
    b'{"n": 1e3}': "is not a decimal integer",
    b'{"n": NaN}': "is not a decimal integer",
    b'{"n": true}': "is not a decimal integer",
    b'{"n": [1]}': "is not a decimal integer",
    b'{"n": "1.0"}': "is not a decimal integer",
    b'{"n": ""}': "is empty",
    b'{"n": ' + b"9" * 10_001 + b"}": "has more than 10000 digits",
    b'{"n": 1, "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}": "is nested too deeply",
    b'{"n": 1, "a": ' + b"[" * 150 + b"]" * 150 + b"}": "is nested too deeply",
    b'{"n": 1, "\\ud800": 1}': "is not a JSON object: ",
    b'{"n": 1, "a": "\\ud800"}': "is not a JSON object: ",
}


def test_bad_lines_of_json_are_found_one_by_one(tmp_path: Path) -> None:
    big = b"9" * 9000
    content = b'{"n": 1}\n' + b"\n".join(BAD_LINES) + b'\n\n{"n": 2}\n{"n": "-' + big + b'"}\n'
    good, bad = reject(tmp_path / "in.jsonl", content)
    assert good == [1, 2, 1 - 10**9000]
    assert [one[:2] for one in bad] == [(k, k) for k in range(2, len(BAD_LINES) + 2)]
    for one, reason in zip(bad, BAD_LINES.values(), strict=True):
        assert one[3].startswith(reason)
    assert "a" not in read_table(tmp_path / "out.parquet").schema.names  # only bad rows had it
    assert reject(tmp_path / "in.jsonl", b"x\n")[0] == []
    assert reject(tmp_path / "in.jsonl", b"") == ([], [])


def test_too_many_keys_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.files.text_readers._MOST_KEYS", 2)
    with pytest.raises(FileError, match="has more than 2 different keys"):
        reject(tmp_path / "in.jsonl", b'{"n": 1, "a": 1}\n{"n": 1, "b": 1}\n')


def test_a_row_is_bad_if_one_of_its_columns_is(tmp_path: Path) -> None:
    content = b"m,n\n1,1\n,x\n3,y\nz,4\n5,5\n"
    assert reject(tmp_path / "in.csv", content, ["m", "n"]) == (
        [1, 5],
        [
            (2, 3, "m", "is empty"),
            (3, 4, "n", "is not a decimal integer"),
            (4, 5, "m", "is not a decimal integer"),
        ],
    )
    assert_codes(tmp_path / "out.parquet", [1, 5], name="m_code")


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_nulls_of_tables_are_bad_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("primefourier.files.file_encoding._BATCH_ROWS", 2)
    table = pa.table({"n": pa.array([1, 2, None, 4, None], pa.int16()), "id": list("abcde")})
    source = write_table(tmp_path / f"in.{kind}", table)
    good, bad = reject(source, source.read_bytes())
    assert (good, bad) == ([1, 2, 4], [(3, None, "n", "is null"), (5, None, "n", "is null")])
    assert read_table(tmp_path / "out.parquet")["id"].to_pylist() == ["a", "b", "d"]


@pytest.mark.parametrize("numbers", [[None, "2", "x", "4"], [None, "x", "", "1.0"]])
def test_bad_rows_are_left_out_of_columns_of_every_type(
    tmp_path: Path, numbers: list[str | None]
) -> None:
    views = pa.array(list("abcd"), pa.string_view())  # as polars writes them
    table = pa.table({"n": pa.array(numbers, pa.string_view()), "t": views})
    source = write_table(tmp_path / "in.arrow", table)
    good, bad = reject(source, source.read_bytes())
    assert (good, len(bad)) == ([2, 4] if "4" in numbers else [], 4 - len(good))
    kept = ["b", "d"] if good else []
    assert read_table(tmp_path / "out.parquet")["t"].to_pylist() == kept


def test_long_values_are_cut() -> None:
    bad = BadRow(1, None, None, "9" * 20_000, "is long")
    assert bad.value is not None
    assert len(bad.value) == 201
