"""Columns of files become codes, whatever the format and content, and the rest is kept."""

import json
import os
import signal
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
MANY = list(range(60))
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
HOSTILE = ["a,b\tc", 'say "no"', "two\r\nlines", "\x00", "\u2028é\x85", " 007 ", "x" * 200_000]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.files.file_encoding._BATCH_ROWS", 2)


def encode(source: Any, out: Path, **options: Any) -> Any:
    """Encode column n with the small basis."""
    column = None if Path(source).suffix == ".npy" else "n"
    return encode_file(source, **{"out": out, "column": column, "basis": BASIS, **options})


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
    seen: list[Progress] = []
    summary = encode(source, out, dtype=dtype, on_progress=seen.append)
    assert (summary.rows, summary.rejected, summary.out) == (7, 0, out)
    assert_codes(out, SMALL, dtype=dtype)
    assert [progress.rows for progress in seen] == [0, 2, 4, 6, 7]
    shares = [progress.share for progress in seen]
    assert (shares, shares[0], shares[-1]) == (sorted(shares), 0, 1)
    if after != "npy":
        table = read_table(out)
        assert [int(n) for n in table["n"].to_pylist()] == SMALL
        assert table.schema.names == ["n", *others, "code"]
        assert not others or table["text"].to_pylist() == HOSTILE
    assert names(tmp_path) == sorted([source.name, out.name])


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(NUMBERS, TEXTS, TEXTS), max_size=6),
    before=st.sampled_from(TABLES),
    after=st.sampled_from(OUTPUTS),
    in_batches=st.integers(1, 4),
    folder=st.booleans(),
)
@settings(max_examples=100)
def test_any_integers_and_texts_survive(
    rows: list[tuple[int, str, str]], before: str, after: Any, in_batches: int, folder: bool
) -> None:
    numbers = [row[0] for row in rows]
    others = {"a": [row[1] for row in rows], "ü, b": [row[2] for row in rows]}
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr("primefourier.files.file_encoding._BATCH_ROWS", in_batches)
        source = write_input(Path(place, f"in.{before}"), numbers, **others)
        out = Path(place, "out" if folder else f"out.{after}")
        summary = encode(source, out, format=after if folder else None)
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
        encode(source, out, column=["m", "n"])
        assert read_table(out).schema.names == ["n", "m", "z", "m_code", "n_code"]
        assert_codes(out, many, name="n_code")
        assert_codes(out, more, name="m_code")
    encode(source, tmp_path / "out.npy", column=["m", "n"])
    wanted = np.stack([pf.encode(more, BASIS), pf.encode(many, BASIS)], axis=1)
    assert np.array_equal(read_codes(tmp_path / "out.npy"), wanted)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_integers_beyond_64_bits_and_texts_like_dates_are_unchanged(
    tmp_path: Path, kind: str
) -> None:
    numbers, date = [123456789012345678901234, -(10**100)], "2024-01-02"
    source = write_input(tmp_path / f"in.{kind}", numbers, date=[date, date])
    out = tmp_path / "out.parquet"
    encode_file(source, out=out, column="n", name="vec\"t'or", dtype=np.float16)
    assert_codes(out, numbers, basis=pf.PAPER_BASIS, name="vec\"t'or", dtype="float16")
    assert read_table(out)["n"].to_pylist() == [str(number) for number in numbers]
    assert read_table(out)["date"].to_pylist() == [date, date]


def test_values_of_json_become_texts_with_every_digit(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.parquet"
    source.write_text(
        '{"n": 1, "a": 1.50e+00, "b": "x\\u00e9"}\n\n'
        '{"n": "-2", "c": [1.0, {"d": true, "é": null}], "b": null, "a": false}\n'
    )
    encode(source, out)
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
    monkeypatch.setattr("primefourier.files.file_encoding._BATCH_ROWS", 30)
    texts = pa.array([f"t{k % 3}" for k in range(100)]).dictionary_encode()
    table = pa.table(
        {"n": range(100), "t": texts, "s": [{"a": [k]} for k in range(100)], "f": [0.5] * 100}
    )
    source = write_table(tmp_path / f"in.{kind}", table, group)
    for after in ("parquet", "arrow"):
        out = tmp_path / after
        encode(source, out, format=after)
        found = [read_table(path) for path in sorted(out.glob("part-*"))]
        assert [part.num_rows for part in found] == [30, 30, 30, 10]
        rows = [row for part in found for row in part.drop_columns(["code"]).to_pylist()]
        assert rows == table.to_pylist()
        assert found[0].schema.field("s").type == table.schema.field("s").type


def test_unsupported_columns_are_reported(tmp_path: Path) -> None:
    interval = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    source = write_table(tmp_path / "in.arrow", pa.table({"n": [1], "i": interval}))
    with pytest.raises(FileError, match=r"parquet cannot hold the columns of the input: .*"):
        encode(source, tmp_path / "out.parquet")
    assert names(tmp_path) == ["in.arrow"]
    encode(source, tmp_path / "out.arrow")
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
    encode(source, tmp_path / "o.parquet", on_progress=seen.append)
    steps = np.diff([progress.rows for progress in seen])
    assert (sum(steps), max(steps) < 200) == (1000, True)
    assert_codes(tmp_path / "o.parquet", range(1000))


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_codes_are_lists_of_fixed_size_that_know_their_basis(tmp_path: Path, kind: str) -> None:
    source, out = write_input(tmp_path / "in.csv", [0, 1]), tmp_path / f"out.{kind}"
    encode(source, out, dtype="float64")
    field = read_table(out).schema.field("code")
    assert field.type == pa.list_(pa.float64(), BASIS.dim)
    about = json.loads(field.metadata[b"primefourier"])
    assert pf.PrimeBasis(tuple(about["primes"]), about["depth"]) == BASIS
    assert (about["dtype"], about["version"]) == ("float64", pf.__version__)


def test_codes_in_parquet_are_stored_plainly_with_checksums(tmp_path: Path) -> None:
    table = pa.table({"n": [0, 1], "a.b": ["x", "y"], "s": [{"t": [1]}, {"t": [2]}]})
    source, out = write_table(tmp_path / "in.parquet", table), tmp_path / "out.parquet"
    encode(source, out, name="code.list")
    group = pq.ParquetFile(out).metadata.row_group(0)
    *others, codes = (group.column(i) for i in range(group.num_columns))
    assert (codes.compression, codes.has_dictionary_page) == ("UNCOMPRESSED", False)
    assert codes.statistics is None
    assert {column.compression for column in others} == {"SNAPPY"}
    data = bytearray(out.read_bytes())
    data[data.index(pf.encode([0, 1], BASIS).tobytes()) + 1] ^= 1
    out.write_bytes(data)
    with pytest.raises(FileError, match=r"out\.parquet cannot be read: .*CRC checksum"):
        encode(out, tmp_path / "again.parquet")  # checksums of the input are verified, too


@pytest.mark.parametrize("dtype", ["i1", "u2", "<i4", ">i4", "<i8", ">i8", ">u8"])
def test_every_integer_type_and_byte_order_of_numpy_is_read(
    small_batches: None, tmp_path: Path, dtype: str
) -> None:
    np.save(tmp_path / "in.npy", np.array([0, 1, 100, 7, 5], dtype=dtype))
    encode(tmp_path / "in.npy", tmp_path / "o.arrow")
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
        np.array(["1"]),
        np.array([(1,)], dtype=[("a", "i4")]),
        np.array([1], dtype="datetime64[s]"),
        np.array([Bomb()], dtype=object),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_arrays_are_refused_and_objects_never_loaded(tmp_path: Path, array: Any) -> None:
    np.save(tmp_path / "in.npy", array, allow_pickle=True)
    with pytest.raises(FileError, match=r"must hold one array of integers|cannot be read: "):
        encode(tmp_path / "in.npy", tmp_path / "o.npy")


def test_mistakes_are_reported_before_anything_is_written(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.csv", [1], x=["a"])
    array = write_input(tmp_path / "in.npy", [1])
    floats = write_table(tmp_path / "f.parquet", pa.table({"n": [1.5], "m": [1], "code": [1]}))
    twice = write_table(tmp_path / "t.parquet", pa.table([[1], [2]], names=["n", "n"]))
    (tmp_path / "link.npy").symlink_to(source)
    out, table, reject = tmp_path / "out.npy", tmp_path / "out.parquet", {"on_bad": "reject"}
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (source, {"column": None}, "column must say which column"),
        (source, {"column": "m"}, "has no column 'm'; its columns are 'n', 'x'"),
        (source, {"column": ["n", "n"]}, "columns must differ"),
        (source, {"name": "n", "out": table}, "has a column 'n' already; choose"),
        (source, {"out": tmp_path / "x.csv"}, "out must end in .parquet, .arrow"),
        (source, {"format": "parquet"}, "out must end in .parquet, .arrow"),
        (source, {"out": tmp_path / "link.npy"}, "must be different files"),
        (source, {"out": tmp_path / "a" / "x.npy"}, "cannot be written: No such file or dir"),
        (source, {"format": "csv"}, "format must be 'parquet', 'arrow' or 'npy', got 'csv'"),
        (source, {"on_bad": "skip"}, "on_bad must be 'error' or 'reject'"),
        (source, {"rejects": tmp_path / "r"}, "rejects needs on_bad 'reject'"),
        (source, {**reject, "out": tmp_path / "x", "rejects": "r"}, "a folder lists rejected"),
        (source, {**reject, "rejects": source}, "must be different files"),
        (source, {**reject, "rejects": out}, "must be different files"),
        (source, {**reject, "rejects": tmp_path / "no" / "r"}, "no/r cannot be written: No such"),
        (source, {"dtype": "int8"}, "dtype must be float16, float32 or float64"),
        ([source, floats], {"column": "n"}, "several inputs need a folder"),
        ([], {"column": "n"}, "at least one file"),
        (array, {"column": "n"}, "has no columns; leave column out"),
        (floats, {}, "column 'n' of "),
        (floats, {"column": "m", "out": table}, "has a column 'code' already"),
        (twice, {}, "must have different names"),
        (tmp_path / "no.csv", {}, "no file to encode found"),
        (tmp_path / "no.txt", {}, "must end in .parquet, .arrow, .feather, .csv"),
    ]
    before = names(tmp_path)
    for path, options, words in cases:
        with pytest.raises((ValueError, TypeError, OSError)) as caught:
            encode_file(path, **{"out": out, "column": None if path == array else "n", **options})
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
@settings(max_examples=200)
def test_random_bytes_only_give_documented_errors(
    content: bytes, kind: str, after: str, on_bad: Any
) -> None:
    with tempfile.TemporaryDirectory() as place:
        source, out = Path(place, f"in.{kind}"), Path(place, f"out.{after}")
        source.write_bytes(content)
        try:
            summary = encode(source, out, on_bad=on_bad)
        except FileError:
            assert names(Path(place)) == [source.name]
        else:
            assert out.exists()
            assert (summary.rejected > 0) == Path(place, "out.rejects.jsonl").exists()


@pytest.mark.process
def test_a_stopped_run_leaves_nothing(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.csv", MANY)
    with start(*command(source, tmp_path / "out.npy", "--on-bad", "reject")) as process:
        wait_for_rows(process, 10)
        assert ".out.npy.unfinished" in names(tmp_path)
        os.killpg(process.pid, signal.SIGTERM)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (1, "Stopped. Nothing was written.\n")
    assert names(tmp_path) == [source.name]


@pytest.mark.process
def test_a_killed_run_is_started_over_and_that_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source, out = write_input(tmp_path / "in.jsonl", MANY), tmp_path / "out.npy"
    with start(*command(source, out)) as process:
        wait_for_rows(process, 10)
        process.kill()
    assert names(tmp_path) == sorted([source.name, f".{out.name}.unfinished"])
    with caplog.at_level("INFO", "primefourier.files"):
        encode(source, out)
    assert caplog.text.count("an earlier run was interrupted; a single file cannot be") == 1
    assert_codes(out, MANY)
    assert names(tmp_path) == sorted([source.name, out.name])


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", MANY), tmp_path / "out.npy"

    def second(_: Progress) -> None:
        with pytest.raises(OSError, match=r"out\.npy cannot be written: another process is"):
            encode(source, out)

    encode(source, out, on_progress=second)
    assert_codes(out, MANY)


def test_existing_output_is_replaced_only_on_request_and_when_the_new_is_complete(
    tmp_path: Path,
) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.npy"
    source.write_text("n\n1\nx\n")
    encode(source, out, on_bad="reject")
    assert (tmp_path / "out.rejects.jsonl").exists()
    with pytest.raises(FileError, match="row 2"):
        encode(source, out, overwrite=True)
    source.write_text("n\n1\n2\n")
    with pytest.raises(FileError, match=r"out\.npy exists already; overwrite it, or"):
        encode(source, out)
    assert_codes(out, [1])
    summary = encode(source, out, on_bad="reject", overwrite=True)
    assert (summary.rows, summary.rejects) == (2, None)
    assert_codes(out, [1, 2])
    assert names(tmp_path) == ["in.csv", "out.npy"]  # the old rejects are gone, too


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_full_disk_is_reported_and_nothing_is_left(small_disk: Path, kind: str) -> None:
    source = write_input(small_disk.parent / "in.npy", range(20_000))
    with pytest.raises(OSError, match=r"out.* cannot be written: No space left on device; choose"):
        encode(source, small_disk / f"out.{kind}")
    assert names(small_disk) == []


@pytest.mark.parametrize("out", ["out.npy", "folder"])
def test_an_input_that_changes_is_reported(small_batches: None, tmp_path: Path, out: str) -> None:
    source = write_input(tmp_path / "in.csv", MANY)

    def change(progress: Progress) -> None:
        if progress.rows:
            os.utime(source, ns=(0, 1))

    with pytest.raises(FileError, match="was changed while it was read"):
        encode(source, tmp_path / out, on_progress=change)
    assert not {"out.npy", "_done.json"} & {path.name for path in tmp_path.rglob("*")}


def test_column_names_that_are_no_text_are_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "n.arrow"
    with pa.ipc.new_file(path, pa.schema([("name", pa.int64())])) as writer:
        writer.write(pa.record_batch({"name": [1, 2]}))
    path.write_bytes(path.read_bytes().replace(b"name", b"\xeb\xebme"))
    with pytest.raises(FileError, match=r"n\.arrow cannot be read: 'utf-8' codec"):
        encode_file(path, basis=BASIS, column="name", out=tmp_path / "codes.npy")
