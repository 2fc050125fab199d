"""Whole files, from any format to any format, whatever they hold."""

import csv
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import primefourier as pf
from bulk_files import BASIS, FORMATS, TABLES, assert_codes, names, read_rows, write_input
from primefourier.bulk import BadRowError, BulkError, Progress, encode_file
from strategies import NUMBERS

SMALL = [0, 1, -1, 7, 2**62, -(2**63), 2**63 - 1]
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
HOSTILE = ["a,b\tc", 'say "no"', "two\r\nlines", "\x00", "\u2028é\x85", " 007 ", ""]


@pytest.mark.parametrize("after", FORMATS)
@pytest.mark.parametrize("before", FORMATS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_any_format_becomes_any_other(tmp_path: Path, before: str, after: str, dtype: str) -> None:
    others = {} if before == "npy" else {"text": HOSTILE}
    source = write_input(tmp_path / f"in.{before}", SMALL, **others)
    out = tmp_path / f"out.{after}"
    column = None if before == "npy" else "n"
    summary = encode_file(source, out=out, column=column, basis=BASIS, dtype=dtype)
    assert (summary.rows, summary.rejected, summary.out) == (7, 0, out)
    assert_codes(out, SMALL, dtype=dtype)
    if after != "npy":
        rows = read_rows(out)
        assert [int(row["n"]) for row in rows] == SMALL
        assert list(rows[0]) == ["n", *others, "code"]
        if others:
            assert [row["text"] for row in rows] == HOSTILE
    assert names(tmp_path) == sorted([source.name, out.name])


@given(
    rows=st.lists(st.tuples(NUMBERS, TEXTS, TEXTS), max_size=6),
    before=st.sampled_from(TABLES),
    after=st.sampled_from(FORMATS),
    in_batches=st.integers(1, 4),
    folder=st.booleans(),
)
@settings(max_examples=150)
def test_any_integers_and_texts_survive(
    rows: list[tuple[int, str, str]], before: str, after: str, in_batches: int, folder: bool
) -> None:
    numbers = [row[0] for row in rows]
    others = {"a": [row[1] for row in rows], "ü, b": [row[2] for row in rows]}
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr("primefourier.bulk.job._FILE_ROWS", in_batches)
        patch.setattr("primefourier.bulk.job._PART_ROWS", in_batches)
        source = write_input(Path(place, f"in.{before}"), numbers, **others)
        out = Path(place, "out" if folder else f"out.{after}")
        kind: Any = after if folder else None
        summary = encode_file(source, out=out, column="n", basis=BASIS, format=kind)
        parts = sorted(out.glob("part-*")) if folder else [out]
        assert summary.rows == len(rows)
        if folder:
            assert len(parts) == summary.parts == -(-len(rows) // in_batches)
        for k, part in enumerate(parts):
            here = slice(k * in_batches, (k + 1) * in_batches) if folder else slice(None)
            assert_codes(part, numbers[here])
            if after != "npy":
                found = read_rows(part)
                for name, values in others.items():
                    if before == "jsonl" and after != "jsonl" and not rows:
                        continue
                    assert [row[name] for row in found] == values[here]


def test_the_paper_s_basis_is_the_default_and_the_code_can_have_another_name(
    tmp_path: Path,
) -> None:
    source = write_input(tmp_path / "in.jsonl", [5, 10**100])
    encode_file(source, out=tmp_path / "out.jsonl", column="n", name="vec\"t'or")
    (first, second) = read_rows(tmp_path / "out.jsonl")
    assert np.array_equal(
        np.float32(second["vec\"t'or"]), pf.encode(10**100, pf.PAPER_BASIS).ravel()
    )
    assert list(first) == ["n", "vec\"t'or"]


def test_a_dtype_may_be_numpy_s_own(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.npy", [1, 2])
    encode_file(source, out=tmp_path / "out.npy", basis=BASIS, dtype=np.float16)
    assert_codes(tmp_path / "out.npy", [1, 2], dtype="float16")


def test_progress_is_told_from_beginning_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.bulk.job._FILE_ROWS", 2)
    for kind in FORMATS:
        source = write_input(tmp_path / f"in.{kind}", [1, 2, 3])
        seen: list[Progress] = []
        column = None if kind == "npy" else "n"
        encode_file(source, out=tmp_path / f"{kind}.npy", column=column, watch=seen.append)
        assert [progress.rows for progress in seen] == [0, 2, 3]
        assert seen[0].share == 0
        assert 0 < seen[1].share <= seen[2].share == 1


def test_mistakes_are_told_before_anything_is_written(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.csv", [1])
    array = write_input(tmp_path / "in.npy", [1])
    out = tmp_path / "out.npy"
    cases: list[tuple[Path, dict[str, Any], str]] = [
        (source, {}, "--column must say which column"),
        (source, {"column": "m"}, "has no column 'm'; its columns are 'n'"),
        (source, {"column": "n", "name": "n"}, "has a column 'n' already; choose another"),
        (source, {"column": "n", "name": ""}, "--name must not be empty"),
        (source, {"column": "n", "out": tmp_path / "x.xlsx"}, "must end in .parquet, .csv"),
        (source, {"column": "n", "out": source}, "must be another file than the input"),
        (source, {"column": "n", "out": tmp_path / "a" / "x.csv"}, "there is no folder"),
        (source, {"column": "n", "format": "csv"}, "do not agree"),
        (source, {"column": "n", "format": "xml"}, "--format must be one of parquet, csv"),
        (source, {"column": "n", "on_bad": "skip"}, "--on-bad must be error or reject"),
        (source, {"column": "n", "rejects": tmp_path / "r"}, "goes with --on-bad reject"),
        (source, {"column": "n", "on_bad": "reject", "rejects": source}, "another file than the"),
        (source, {"column": "n", "on_bad": "reject", "rejects": out}, "must be different files"),
        (
            source,
            {"column": "n", "on_bad": "reject", "out": tmp_path / "x", "rejects": "no/r.jsonl"},
            "there is no folder 'no'",
        ),
        (source, {"column": "n", "dtype": "int8"}, "dtype must be float16, float32 or float64"),
        (array, {"column": "n"}, "has no columns; leave --column out"),
        (array, {"name": "n", "out": tmp_path / "o.csv"}, "called 'n' already"),
        (tmp_path / "no.csv", {"column": "n"}, "there is no file"),
        (tmp_path / "no.txt", {"column": "n"}, "must end in"),
        (tmp_path, {"column": "n"}, "must end in"),
    ]
    for path, options, words in cases:
        with pytest.raises((BulkError, TypeError)) as caught:
            encode_file(path, **{"out": out, **options})
        assert words in str(caught.value)
    assert names(tmp_path) == ["in.csv", "in.npy"]


def test_the_first_bad_row_of_a_file_is_named_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.bulk.job._FILE_ROWS", 2)
    source = tmp_path / "in.csv"
    source.write_text("id,n\na,1\n\nb,2\nc,three\nd\ne,5\n")
    with pytest.raises(BadRowError, match=r"in\.csv, row 3 \(line 5\): 'three' is not a") as caught:
        encode_file(source, out=tmp_path / "out.csv", column="n")
    assert (caught.value.bad.row, caught.value.bad.line, caught.value.bad.value) == (3, 5, "three")
    assert names(tmp_path) == ["in.csv"]


def test_bad_rows_can_go_to_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.bulk.job._FILE_ROWS", 2)
    source = tmp_path / "in.csv"
    source.write_text("id,n\na,1\n\nb,2\nc,three\nd\ne,5\n")
    summary = encode_file(
        source, out=tmp_path / "out.csv", column="n", basis=BASIS, on_bad="reject"
    )
    assert (summary.rows, summary.rejected) == (3, 2)
    assert summary.rejects == tmp_path / "out.rejects.jsonl"
    assert_codes(tmp_path / "out.csv", [1, 2, 5])
    assert [row["id"] for row in read_rows(tmp_path / "out.csv")] == ["a", "b", "e"]
    assert [json.loads(line) for line in summary.rejects.read_text().splitlines()] == [
        {
            "file": str(source),
            "row": 3,
            "line": 5,
            "value": "three",
            "reason": "is not a decimal integer",
        },
        {"file": str(source), "row": 4, "line": 6, "value": "d", "reason": "has 1 field, not 2"},
    ]


@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text('n,\t"{}[]:1-\r\n\x00é', max_size=60).map(str.encode),
        st.text('n,"{}[]:1-\n', max_size=60).map(lambda text: b"n\n" + text.encode()),
    ),
    kind=st.sampled_from(FORMATS),
    after=st.sampled_from(FORMATS),
    on_bad=st.sampled_from(["error", "reject"]),
)
@settings(max_examples=300)
def test_random_bytes_give_documented_errors_only(
    content: bytes, kind: str, after: str, on_bad: Any
) -> None:
    with tempfile.TemporaryDirectory() as place:
        source, out = Path(place, f"in.{kind}"), Path(place, f"out.{after}")
        source.write_bytes(content)
        try:
            column = None if kind == "npy" else "n"
            summary = encode_file(source, out=out, column=column, basis=BASIS, on_bad=on_bad)
        except BulkError:
            assert names(Path(place)) == [source.name]
        else:
            assert out.exists()
            assert (summary.rejected > 0) == Path(place, "out.rejects.jsonl").exists()


@given(kind=st.sampled_from(["parquet", "npy"]), data=st.data())
@settings(max_examples=100)
def test_damaged_files_give_documented_errors_only(kind: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        source = write_input(Path(place, f"in.{kind}"), [1, 2, 3])
        content = bytearray(source.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        source.write_bytes(content[: data.draw(st.integers(0, len(content)))])
        column = None if kind == "npy" else "n"
        try:
            encode_file(source, out=Path(place, "out.jsonl"), column=column, basis=BASIS)
        except BulkError:
            assert names(Path(place)) == [source.name]


def test_an_input_is_never_taken_for_the_rejects(tmp_path: Path) -> None:
    source = write_input(tmp_path / "a.rejects.jsonl", [1])
    with pytest.raises(BulkError, match="another file than the input"):
        encode_file(source, out=tmp_path / "a.npy", column="n", on_bad="reject", overwrite=True)


def test_lines_of_json_keep_every_byte(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    lines = ['{"n":1,"x" :1.50e+00, "y":"\\u00e9", "x":2}', '  {"n": "-2" }  ']
    source.write_text("\n".join([lines[0], "", lines[1]]))
    encode_file(source, out=tmp_path / "out.jsonl", column="n", basis=BASIS)
    first, second = (tmp_path / "out.jsonl").read_text().splitlines()
    assert first.startswith(lines[0][:-1] + ', "code": [')
    assert second.startswith('{"n": "-2" , "code": [')
    assert_codes(tmp_path / "out.jsonl", [1, -2])


def test_fields_longer_than_python_s_own_limit_are_kept(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    source = write_input(tmp_path / "in.csv", [1], text=["x" * 300_000])
    encode_file(source, out=tmp_path / "out.parquet", column="n", basis=BASIS)
    assert len(read_rows(tmp_path / "out.parquet")[0]["text"]) == 300_000
    assert csv.field_size_limit() == before
