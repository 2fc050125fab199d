"""Columns of files become codes, whatever the format and content, and the rest is kept."""

import csv
import json
import os
import signal
import stat
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import primefourier as pf
from files_driver import command, start, wait_for_rows
from number_files import (
    BASIS,
    INPUTS,
    OUTPUTS,
    TABLES,
    assert_codes,
    names,
    read_codes,
    read_table,
    write_input,
    write_table,
)
from primefourier.files import FileError, Progress, encode_file
from strategies import NUMBERS

SMALL = [0, 1, -1, 7, 2**62, -(2**63), 2**63 - 1]
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
HOSTILE = ["a,b\tc", 'say "no"', "two\r\nlines", "\x00", "\u2028é\x85", " 007 ", ""]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.files.file_encoding._FILE_ROWS", 2)


@pytest.mark.parametrize(
    ("after", "dtype"), [("parquet", "float16"), ("arrow", "float32"), ("npy", "float64")]
)
@pytest.mark.parametrize("before", INPUTS)
def test_any_input_becomes_any_output(
    small_batches: None, tmp_path: Path, before: str, after: str, dtype: str
) -> None:
    others = {} if before == "npy" else {"text": HOSTILE}
    source = write_input(tmp_path / f"in.{before}", SMALL, **others)
    out = tmp_path / f"out.{after}"
    column = None if before == "npy" else "n"
    summary = encode_file(source, out=out, column=column, basis=BASIS, dtype=dtype)
    assert (summary.rows, summary.rejected, summary.out) == (7, 0, out)
    assert_codes(out, SMALL, dtype=dtype)
    if after != "npy":
        table = read_table(out)
        assert [int(n) for n in table["n"].to_pylist()] == SMALL
        assert table.schema.names == ["n", *others, "code"]
        if others:
            assert table["text"].to_pylist() == HOSTILE
    assert names(tmp_path) == sorted([source.name, out.name])


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(NUMBERS, TEXTS, TEXTS), max_size=6),
    before=st.sampled_from(TABLES),
    after=st.sampled_from(OUTPUTS),
    in_batches=st.integers(1, 4),
    folder=st.booleans(),
)
@settings(max_examples=150)
def test_any_integers_and_texts_survive(
    rows: list[tuple[int, str, str]], before: str, after: Any, in_batches: int, folder: bool
) -> None:
    numbers = [row[0] for row in rows]
    others = {"a": [row[1] for row in rows], "ü, b": [row[2] for row in rows]}
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr("primefourier.files.file_encoding._FILE_ROWS", in_batches)
        patch.setattr("primefourier.files.file_encoding._PART_ROWS", in_batches)
        source = write_input(Path(place, f"in.{before}"), numbers, **others)
        out = Path(place, "out" if folder else f"out.{after}")
        kind = after if folder else None
        summary = encode_file(source, out=out, column="n", basis=BASIS, format=kind)
        parts = sorted(out.glob("part-*")) if folder else [out]
        assert summary.rows == len(rows)
        if folder:
            assert len(parts) == summary.parts == -(-len(rows) // in_batches)
        for k, part in enumerate(parts):
            here = slice(k * in_batches, (k + 1) * in_batches) if folder else slice(None)
            assert_codes(part, numbers[here])
            if after != "npy" and rows:
                for name, values in others.items():
                    assert read_table(part)[name].to_pylist() == values[here]


@pytest.mark.parametrize("before", TABLES)
def test_several_columns_are_encoded_at_once(tmp_path: Path, before: str) -> None:
    many, more = [1, 10**30, -5], [7, 8, -(10**40)]
    source = write_input(tmp_path / f"in.{before}", many, m=[str(n) for n in more], z=["x"] * 3)
    for after in ("parquet", "arrow"):
        out = tmp_path / f"out.{after}"
        encode_file(source, out=out, column=["m", "n"], basis=BASIS)
        assert read_table(out).schema.names == ["n", "m", "z", "m_code", "n_code"]
        assert_codes(out, many, name="n_code")
        assert_codes(out, more, name="m_code")
    encode_file(source, out=tmp_path / "out.npy", column=["m", "n"], basis=BASIS)
    wanted = np.stack([pf.encode(more, BASIS), pf.encode(many, BASIS)], axis=1)
    assert read_codes(tmp_path / "out.npy").tobytes() == wanted.tobytes()
    assert read_codes(tmp_path / "out.npy").shape == (3, 2, *BASIS.shape)


def test_the_default_basis_is_the_paper_s_and_codes_have_the_given_name(
    tmp_path: Path,
) -> None:
    source = write_input(tmp_path / "in.jsonl", [5, 10**100])
    out = tmp_path / "out.parquet"
    encode_file(source, out=out, column="n", name="vec\"t'or", dtype=np.float16)
    assert_codes(out, [5, 10**100], basis=pf.PAPER_BASIS, name="vec\"t'or", dtype="float16")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_integers_beyond_64_bits_and_texts_like_dates_are_unchanged(
    tmp_path: Path, kind: str
) -> None:
    number, date = 123456789012345678901234, "2024-01-02"
    source = write_input(tmp_path / f"in.{kind}", [number, -number], date=[date, date])
    out = tmp_path / "out.parquet"
    encode_file(source, out=out, column="n", basis=BASIS)
    assert_codes(out, [number, -number])
    assert read_table(out)["n"].to_pylist() == [str(number), str(-number)]
    assert read_table(out)["date"].to_pylist() == [date, date]


def test_values_of_json_become_texts_with_every_digit(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.parquet"
    source.write_text(
        '{"n": 1, "a": 1.50e+00, "b": "x\\u00e9"}\n\n'
        '{"n": "-2", "c": [1.0, {"d": true, "é": null}], "b": null, "a": false}\n'
    )
    encode_file(source, out=out, column="n", basis=BASIS)
    assert read_table(out).drop_columns(["code"]).to_pydict() == {
        "n": ["1", "-2"],
        "a": ["1.50e+00", "false"],
        "b": ["xé", None],
        "c": [None, '[1.0, {"d": true, "é": null}]'],
    }
    assert_codes(out, [1, -2])


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("group", [1, 7, 1000])
def test_types_are_kept_and_parts_do_not_depend_on_the_groups_of_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, group: int
) -> None:
    monkeypatch.setattr("primefourier.files.file_encoding._PART_ROWS", 30)
    texts = pa.array([f"t{k % 3}" for k in range(100)]).dictionary_encode()
    table = pa.table(
        {"n": range(100), "t": texts, "s": [{"a": [k]} for k in range(100)], "f": [0.5] * 100}
    )
    source = write_table(tmp_path / f"in.{kind}", table, group)
    for after in ("parquet", "arrow"):
        out = tmp_path / after
        encode_file(source, out=out, column="n", basis=BASIS, format=after)
        found = [read_table(path) for path in sorted(out.glob("part-*"))]
        assert [part.num_rows for part in found] == [30, 30, 30, 10]
        rows = [row for part in found for row in part.drop_columns(["code"]).to_pylist()]
        assert rows == table.to_pylist()
        assert found[0].schema.field("s").type == table.schema.field("s").type


def test_unsupported_columns_are_reported(tmp_path: Path) -> None:
    interval = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    source = write_table(tmp_path / "in.arrow", pa.table({"n": [1], "i": interval}))
    with pytest.raises(FileError, match=r"out\.parquet cannot hold the columns of the input: .*"):
        encode_file(source, out=tmp_path / "out.parquet", column="n", basis=BASIS)
    assert names(tmp_path) == ["in.arrow"]
    encode_file(source, out=tmp_path / "out.arrow", column="n", basis=BASIS)
    assert read_table(tmp_path / "out.arrow")["i"].to_pylist() == interval.to_pylist()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv", "jsonl"])
def test_large_rows_make_small_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for module in ("readers", "text_readers"):
        monkeypatch.setattr(f"primefourier.files.{module}.MOST_BYTES", 1 << 16)
    texts = [str(k % 10) * 1_000 for k in range(1000)]
    source = write_input(tmp_path / f"in.{kind}", range(1000), t=texts)
    seen: list[Progress] = []
    encode_file(
        source, out=tmp_path / "o.parquet", column="n", basis=BASIS, on_progress=seen.append
    )
    steps = np.diff([progress.rows for progress in seen])
    assert (sum(steps), max(steps) < 200) == (1000, True)
    assert_codes(tmp_path / "o.parquet", range(1000))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_codes_are_lists_of_fixed_size_that_know_their_basis(
    tmp_path: Path, kind: str, dtype: str
) -> None:
    source, out = write_input(tmp_path / "in.csv", [0, 1]), tmp_path / f"out.{kind}"
    encode_file(source, out=out, column="n", basis=BASIS, dtype=dtype)
    field = read_table(out).schema.field("code")
    assert field.type == pa.list_(pa.from_numpy_dtype(np.dtype(dtype)), BASIS.dim)
    about = json.loads(field.metadata[b"primefourier"])
    assert pf.PrimeBasis(tuple(about["primes"]), about["depth"]) == BASIS
    assert (about["dtype"], about["version"]) == (dtype, pf.__version__)


def test_codes_in_parquet_are_stored_plainly_with_checksums(tmp_path: Path) -> None:
    table = pa.table({"n": [0, 1], "a.b": ["x", "y"], "s": [{"t": [1]}, {"t": [2]}]})
    source, out = write_table(tmp_path / "in.parquet", table), tmp_path / "out.parquet"
    encode_file(source, out=out, column="n", basis=BASIS, name="code.list")
    group = pq.ParquetFile(out).metadata.row_group(0)
    *others, codes = (group.column(i) for i in range(group.num_columns))
    assert codes.compression == "UNCOMPRESSED"
    assert not codes.has_dictionary_page
    assert codes.statistics is None
    assert {column.compression for column in others} == {"SNAPPY"}
    data = bytearray(out.read_bytes())
    data[data.index(pf.encode([0, 1], BASIS).tobytes()) + 1] ^= 1
    out.write_bytes(data)
    with pytest.raises(OSError, match="CRC checksum"):
        pq.ParquetFile(out, page_checksum_verification=True).read()


def test_checksums_of_the_input_reveal_a_flipped_bit(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    numbers = [10**15 + k for k in range(1000)]
    plain = {"compression": "none", "use_dictionary": False}
    pq.write_table(pa.table({"n": numbers}), path, **plain, write_page_checksum=True)
    data = bytearray(path.read_bytes())
    data[data.index(numbers[500].to_bytes(8, "little"))] ^= 1
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"cannot be read as a Parquet file: .*CRC checksum"):
        encode_file(path, out=tmp_path / "o.npy", column="n", basis=BASIS)


@pytest.mark.parametrize("dtype", ["i1", "u2", "<i4", ">i4", "<i8", ">i8", ">u8"])
def test_every_integer_type_and_byte_order_of_numpy_is_read(
    small_batches: None, tmp_path: Path, dtype: str
) -> None:
    np.save(tmp_path / "in.npy", np.array([0, 1, 100, 7, 5], dtype=dtype))
    encode_file(tmp_path / "in.npy", out=tmp_path / "o.arrow", basis=BASIS)
    assert_codes(tmp_path / "o.arrow", [0, 1, 100, 7, 5])
    assert read_table(tmp_path / "o.arrow")["n"].to_pylist() == [0, 1, 100, 7, 5]


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("code of the file was run",))


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.0]),
        np.array([True]),
        np.array([[1]]),
        np.array(1),
        np.array(["1"]),
        np.array([(1,)], dtype=[("a", "i4")]),
        np.array([1], dtype="datetime64[s]"),
        np.array([Bomb()], dtype=object),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_arrays_are_refused_and_objects_never_loaded(tmp_path: Path, array: Any) -> None:
    np.save(tmp_path / "in.npy", array, allow_pickle=True)
    with pytest.raises(FileError, match=r"must hold one array of integers|cannot be read as a"):
        encode_file(tmp_path / "in.npy", out=tmp_path / "o.npy", basis=BASIS)


def test_progress_is_reported_from_beginning_to_end(small_batches: None, tmp_path: Path) -> None:
    for kind in INPUTS:
        source = write_input(tmp_path / f"in.{kind}", [1, 2, 3])
        seen: list[Progress] = []
        column = None if kind == "npy" else "n"
        encode_file(source, out=tmp_path / f"{kind}.npy", column=column, on_progress=seen.append)
        assert [progress.rows for progress in seen] == [0, 2, 3]
        assert seen[0].share == 0
        assert 0 < seen[1].share <= seen[2].share == 1


def test_mistakes_are_reported_before_anything_is_written(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.csv", [1], x=["a"])
    array = write_input(tmp_path / "in.npy", [1])
    floats = write_table(tmp_path / "f.parquet", pa.table({"n": [1.5], "m": [1], "code": [1]}))
    twice = write_table(tmp_path / "t.parquet", pa.table([[1], [2]], names=["n", "n"]))
    (tmp_path / "link.npy").symlink_to(source)
    out = tmp_path / "out.npy"
    table = tmp_path / "out.parquet"
    reject = {"column": "n", "on_bad": "reject"}
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (source, {}, "column must say which column"),
        (source, {"column": "m"}, "has no column 'm'; its columns are 'n', 'x'"),
        (source, {"column": ["n", "n"]}, "columns must differ"),
        (source, {"column": "n", "name": "n", "out": table}, "has a column 'n' already; choose"),
        (source, {"column": "n", "name": ""}, "name must not be empty"),
        (source, {"column": "n", "out": tmp_path / "x.csv"}, "must end in .parquet, .arrow"),
        (source, {"column": "n", "out": tmp_path / "link.npy"}, "another file than the input"),
        (source, {"column": "n", "out": tmp_path / "a" / "x.npy"}, "there is no folder"),
        (source, {"column": "n", "out": ""}, "out must name a file or a folder"),
        (source, {"column": "n", "format": "parquet"}, "do not agree"),
        (
            source,
            {"column": "n", "format": "csv"},
            "format must be 'parquet', 'arrow' or 'npy', got 'csv'",
        ),
        (source, {"column": "n", "on_bad": "skip"}, "on_bad must be 'error' or 'reject'"),
        (source, {"column": "n", "rejects": tmp_path / "r"}, "goes with on_bad 'reject'"),
        (source, {**reject, "rejects": source}, "another file than the"),
        (source, {**reject, "rejects": out}, "must be different files"),
        (source, {**reject, "rejects": tmp_path / "no" / "r"}, "there is no folder"),
        (source, {**reject, "out": tmp_path / "x", "rejects": "r"}, "a folder lists rejected"),
        (source, {"column": "n", "dtype": "int8"}, "dtype must be float16, float32 or float64"),
        (source, {"column": "n", "scheduler": "tcp://x:1"}, "a cluster needs a folder"),
        ([source, floats], {"column": "n"}, "several inputs need a folder"),
        ([], {"column": "n"}, "at least one file"),
        (array, {"column": "n"}, "has no columns; leave column out"),
        (array, {"name": "n", "out": table}, "has a column 'n' already"),
        (floats, {"column": "n"}, "column 'n' of "),
        (floats, {"column": "m", "out": table}, "has a column 'code' already"),
        (twice, {"column": "n"}, "must have different names"),
        (tmp_path / "no.csv", {"column": "n"}, "there is no file"),
        (tmp_path / "no*.csv", {"column": "n"}, "there is no file to encode"),
        (tmp_path / "no.txt", {"column": "n"}, "must end in .parquet, .arrow, .feather, .csv"),
    ]
    before = names(tmp_path)
    for path, options, words in cases:
        with pytest.raises((ValueError, TypeError)) as caught:
            encode_file(path, **{"out": out, **options})
        assert words in str(caught.value)
        assert "--" not in str(caught.value)
    assert names(tmp_path) == before


@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text('n,\t"{}[]:1-\r\n\x00é', max_size=60).map(str.encode),
        st.text('n,"{}[]:1-\n', max_size=60).map(lambda text: b"n\n" + text.encode()),
    ),
    kind=st.sampled_from(INPUTS),
    after=st.sampled_from(OUTPUTS),
    on_bad=st.sampled_from(["error", "reject"]),
)
@settings(max_examples=300)
def test_random_bytes_only_give_documented_errors(
    content: bytes, kind: str, after: str, on_bad: Any
) -> None:
    with tempfile.TemporaryDirectory() as place:
        source, out = Path(place, f"in.{kind}"), Path(place, f"out.{after}")
        source.write_bytes(content)
        try:
            column = None if kind == "npy" else "n"
            summary = encode_file(source, out=out, column=column, basis=BASIS, on_bad=on_bad)
        except FileError:
            assert names(Path(place)) == [source.name]
        else:
            assert out.exists()
            assert (summary.rejected > 0) == Path(place, "out.rejects.jsonl").exists()


@given(kind=st.sampled_from(["parquet", "arrow", "npy"]), data=st.data())
@settings(max_examples=150)
def test_damaged_files_only_give_documented_errors(kind: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        texts = {} if kind == "npy" else {"t": ["a", "é", ""]}
        source = write_input(Path(place, f"in.{kind}"), [1, 2, 3], **texts)
        content = bytearray(source.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        source.write_bytes(content[: data.draw(st.integers(0, len(content)))])
        column = None if kind == "npy" else "n"
        try:
            encode_file(source, out=Path(place, "out.parquet"), column=column, basis=BASIS)
        except FileError:
            assert names(Path(place)) == [source.name]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "npy"])
@pytest.mark.parametrize("content", [b"PK\x03\x04....", b"just text", b""])
def test_a_file_of_another_kind_is_reported(tmp_path: Path, kind: str, content: bytes) -> None:
    path = tmp_path / f"in.{kind}"
    path.write_bytes(content)
    column = None if kind == "npy" else "n"
    with pytest.raises(FileError, match=rf"in\.{kind} cannot be read as an? ") as caught:
        encode_file(path, out=tmp_path / "o.npy", column=column, basis=BASIS)
    assert "allow_pickle" not in str(caught.value)


def test_fields_longer_than_the_limit_of_python_are_kept(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    source = write_input(tmp_path / "in.csv", [1], text=["x" * 300_000])
    encode_file(source, out=tmp_path / "out.parquet", column="n", basis=BASIS)
    assert len(read_table(tmp_path / "out.parquet")["text"][0].as_py()) == 300_000
    assert csv.field_size_limit() == before


MANY = list(range(60))


@pytest.mark.process
@pytest.mark.parametrize(
    ("kind", "name"),
    [("parquet", signal.SIGINT), ("npy", signal.SIGTERM)],
)
def test_a_stopped_run_leaves_nothing(tmp_path: Path, kind: str, name: signal.Signals) -> None:
    source = write_input(tmp_path / "in.csv", MANY)
    with start(*command(source, tmp_path / f"out.{kind}", "--on-bad", "reject")) as process:
        wait_for_rows(process, 10)
        assert f".out.{kind}.unfinished" in names(tmp_path)
        os.killpg(process.pid, name)
        _, errors = process.communicate()
    assert process.returncode == 1
    assert errors == "Stopped. Nothing was written.\n"
    assert names(tmp_path) == [source.name]


@pytest.mark.process
def test_a_killed_run_is_started_over_and_that_is_reported(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.jsonl", MANY), tmp_path / "out.npy"
    with start(*command(source, out)) as process:
        wait_for_rows(process, 10)
        process.kill()
    assert names(tmp_path) == sorted([source.name, f".{out.name}.unfinished"])
    with start(*command(source, out), pause=0) as process:
        _, errors = process.communicate()
    assert process.returncode == 0
    assert errors.startswith("an earlier run was interrupted; a single file cannot be continued")
    assert_codes(out, MANY)
    assert names(tmp_path) == sorted([source.name, out.name])


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", MANY), tmp_path / "out.npy"

    def second(_: Progress) -> None:
        with pytest.raises(OSError, match=r"out\.npy cannot be written: another process is"):
            encode_file(source, out=out, column="n", basis=BASIS)

    encode_file(source, out=out, column="n", basis=BASIS, on_progress=second)
    assert_codes(out, MANY)


def test_existing_output_is_replaced_only_on_request(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.npy"
    source.write_text("n\n1\nx\n")
    encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")
    assert (tmp_path / "out.rejects.jsonl").exists()
    source.write_text("n\n1\n2\n")
    with pytest.raises(FileError, match=r"out\.npy exists already; overwrite it, or"):
        encode_file(source, out=out, column="n", basis=BASIS)
    assert_codes(out, [1])
    summary = encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject", overwrite=True)
    assert (summary.rows, summary.rejects) == (2, None)
    assert_codes(out, [1, 2])
    assert names(tmp_path) == ["in.csv", "out.npy"]  # the old rejects are gone, too


def test_a_failed_run_leaves_the_old_output(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", [1]), tmp_path / "out.npy"
    encode_file(source, out=out, column="n", basis=BASIS)
    source.write_text("n\nx\n")
    with pytest.raises(FileError, match="row 1"):
        encode_file(source, out=out, column="n", basis=BASIS, overwrite=True)
    assert_codes(out, [1])


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_full_disk_is_reported_and_nothing_is_left(small_disk: Path, kind: str) -> None:
    source = write_input(small_disk.parent / "in.npy", range(20_000))
    out = small_disk / f"out.{kind}"
    with pytest.raises(OSError, match=r"cannot be written: No space left on device; choose"):
        encode_file(source, out=out, basis=BASIS)
    assert names(small_disk) == []


def test_an_input_that_changes_is_reported(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", MANY), tmp_path / "out.npy"

    def change(progress: Progress) -> None:
        with source.open("a") as file:
            file.write("61\n")

    with pytest.raises(FileError, match="was changed while it was read"):
        encode_file(source, out=out, column="n", basis=BASIS, on_progress=change)
    assert names(tmp_path) == ["in.csv"]


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.npy", [1])
    before = os.umask(0o027)
    try:
        encode_file(source, out=tmp_path / "out.npy", basis=BASIS)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.npy").stat().st_mode) == 0o640
