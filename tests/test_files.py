"""Files become codes, exactly, in every format; what cannot be encoded is refused."""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import primefourier as pf
from primefourier import files
from primefourier.files import FileError, encode_file
from strategies import NUMBERS

BASIS = pf.PrimeBasis((3, 5), depth=2)
TABLES = ("parquet", "arrow", "csv", "tsv")
OUTPUTS = ("parquet", "arrow", "npy")
TEXTS = ["a,b\tc", 'say "no"', "two\r\nlines", "\x00", "\u2028é\x85", " 007 ", "x" * 100_000]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_ROWS", 2)


def write(path: Path, table: Any, rows: int | None = None) -> Path:
    """Write a table, or a column n, in the format that the path ends in, in groups of some rows."""
    table = table if isinstance(table, dict | pa.Table) else {"n": table}
    if path.suffix == ".npy":
        np.save(path, np.array(table["n"]))
    elif path.suffix == ".parquet":
        pq.write_table(pa.table(table), path, row_group_size=rows)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, pa.table(table).schema) as sink:
            sink.write_table(pa.table(table), max_chunksize=rows)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, "excel" if path.suffix == ".csv" else "excel-tab")
            writer.writerows([[*table], *zip(*table.values(), strict=True)])
    return path


def read(path: Path) -> pa.Table:
    return pq.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()


def read_codes(path: Path, name: str = "code") -> NDArray[Any]:
    if path.suffix == ".npy":
        return np.asarray(np.load(path, mmap_mode="r"))
    flat = read(path)[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat).reshape(-1, *BASIS.shape)


def run(source: Path, out: Path, **options: Any) -> int:
    columns = None if source.suffix == ".npy" else "n"
    return encode_file(source, out, **{"columns": columns, "basis": BASIS, **options})


def require_codes(codes: NDArray[Any], numbers: Sequence[int], dtype: str = "float32") -> None:
    """Compare codes with those of the library, bit for bit, and with residues of Python's ints."""
    wanted = pf.encode(list(numbers), BASIS, dtype).reshape(-1, *BASIS.shape)
    assert (codes.dtype, codes.shape) == (np.dtype(dtype), wanted.shape)
    assert codes.tobytes() == wanted.tobytes()
    for number, code in zip(numbers, codes.astype(float), strict=True):
        for (prime, depth), (cos, sin) in zip(BASIS.channels, code.reshape(-1, 2), strict=True):
            period = prime ** (depth + 1)
            assert round(math.atan2(sin, cos) / math.tau * period) % period == number % period


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("after", OUTPUTS)
@pytest.mark.parametrize("before", [*TABLES, "decimal", "int64", "uint64"])
@settings(max_examples=6)
@given(data=st.data())
def test_integers_of_any_size_are_encoded_exactly(before: str, after: str, data: Any) -> None:
    limits = {"int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1), "decimal": (0, 10**76 - 1)}
    every = st.integers(*limits[before]) if before in limits else NUMBERS
    numbers = data.draw(st.lists(every, max_size=5))
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_ROWS", data.draw(st.integers(1, 3)))
        if before == "decimal":
            column: Any = pa.array(map(Decimal, numbers), pa.decimal256(76, 0))
            source = write(Path(place, "in.parquet"), column)
        elif before in limits:
            source = write(Path(place, "in.npy"), np.array(numbers, dtype=before))
        else:
            column = pa.array(map(str, numbers), pa.string())
            texts = pa.array(TEXTS[: len(numbers)], pa.string())
            source = write(Path(place, f"in.{before}"), {"n": column, "t": texts})
        out, dtype = Path(place, f"out.{after}"), data.draw(st.sampled_from(["<f2", "<f4", "<f8"]))
        assert run(source, out, dtype=dtype) == len(numbers)
        require_codes(read_codes(out), numbers, dtype)
        if after != "npy":
            assert [int(str(number)) for number in read(out)["n"]] == numbers
        assert names(Path(place)) == sorted([source.name, out.name])


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("end", ["parquet", "arrow"])
def test_every_type_of_integer_and_text_is_read(tmp_path: Path, kind: str, end: str) -> None:
    limits = [int(np.iinfo(kind).min), int(np.iinfo(kind).max)]
    plain, texts = pa.array(limits, getattr(pa, kind)()), list(map(str, limits))
    columns = [plain, plain.dictionary_encode(), pa.array(texts).dictionary_encode()]
    columns += [pa.array(texts, pa.large_string()), pa.array(texts, pa.string_view())]
    for column in columns:
        assert run(write(tmp_path / f"in.{end}", column), tmp_path / "out.npy") == 2
        require_codes(read_codes(tmp_path / "out.npy"), limits)


@pytest.mark.parametrize("dtype", ["i1", "<u2", ">u2", ">i4", "<i8", ">i8", ">u8"])
def test_every_layout_of_an_array_is_read(small_batches: None, tmp_path: Path, dtype: str) -> None:
    numbers = np.array([100, 0, 1, 0, 7], dtype=dtype)[::2]  # not side by side in memory
    usual = write(tmp_path / "in.npy", numbers).read_bytes()
    about = f"{{'descr': {numbers.dtype.str!r}, 'fortran_order': True, 'shape': (3,)}}"
    header = b"\x93NUMPY\x01\x00" + (502).to_bytes(2, "little") + about.encode().ljust(501) + b"\n"
    for content in (usual, header + numbers.tobytes() + b"what follows is no number"):
        (tmp_path / "in.npy").write_bytes(content)
        assert run(tmp_path / "in.npy", tmp_path / "out.arrow") == 3
        require_codes(read_codes(tmp_path / "out.arrow"), [100, 1, 7])
        assert read(tmp_path / "out.arrow")["n"].to_pylist() == [100, 1, 7]


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("code of the file was run",))


@pytest.mark.parametrize(
    ("content", "dtype"),
    [
        *(([1.0], "f8"), ([True], "?"), ([[1]], "i8"), (1, "i8"), (["1"], "U1"), ([1], "M8[s]")),
        *(([(1,)], [("a", "i4")]), ([Bomb()], "O")),
    ],
)
def test_other_arrays_are_refused_and_objects_never_loaded(
    tmp_path: Path, content: Any, dtype: Any
) -> None:
    source = write(tmp_path / "in.npy", np.array(content, dtype=dtype))
    with pytest.raises(FileError, match=r"integers in one dimension are|Python objects in dtype"):
        run(source, tmp_path / "out.npy")


@pytest.mark.parametrize("before", ["parquet", "arrow"])
@pytest.mark.parametrize("group", [1, 3, 100])
def test_several_columns_are_encoded_and_the_others_kept(
    small_batches: None, tmp_path: Path, before: str, group: int
) -> None:
    big = [10**30 + k for k in range(5)]
    table = pa.table(
        {
            "t": pa.chunked_array(
                [pa.array([*part]).dictionary_encode() for part in ("ab", "cab")]
            ),
            "n": range(5),
            "s": [{"a": [k]} for k in range(5)],
            "m": map(str, big),
        },
        metadata={"about": "the table"},
    )
    # in Parquet, groups of rows have dictionaries of their own; an Arrow file has one
    kept = table if before == "parquet" else table.unify_dictionaries()
    source = write(tmp_path / f"in.{before}", kept, group)
    for after in ("parquet", "arrow"):
        out, steps = tmp_path / f"out.{after}", [0]
        run(source, out, columns=["m", "n"], name="vector", on_progress=steps.append)
        assert steps[-1] == 5
        assert max(np.diff(steps)) <= 2
        found = read(out)
        assert found.schema.names == [*table.schema.names, "m_vector", "n_vector"]
        assert found.select(table.schema.names).to_pylist() == table.to_pylist()
        assert found.schema.field("s").type == table.schema.field("s").type
        assert found.schema.metadata[b"about"] == b"the table"
        about = json.loads(found.schema.field("n_vector").metadata[b"primefourier"])
        assert pf.PrimeBasis.from_dict(about) == BASIS
        require_codes(read_codes(out, "n_vector"), range(5))
        require_codes(read_codes(out, "m_vector"), big)
    run(source, tmp_path / "out.npy", columns=["m", "n"])
    codes = np.load(tmp_path / "out.npy")
    assert codes.shape == (5, 2, *BASIS.shape)
    require_codes(codes[:, 0].copy(), big)
    require_codes(codes[:, 1].copy(), range(5))


def test_fields_of_csv_stay_the_texts_they_are(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.parquet"
    long = b"-" + b"98" * 5000
    source.write_bytes(
        b'\xef\xbb\xbfn,a\r\n007,"x, ""y""\r\nz"\r\n\r\n" +8\t",=1\r\n-0,\x00\n' + long + b",1e5"
    )
    assert run(source, out) == 4
    texts = read(out).drop_columns(["code"]).to_pydict()
    assert texts["a"] == ['x, "y"\r\nz', "=1", "\x00", "1e5"]
    assert texts["n"] == ["007", " +8\t", "-0", long.decode()]
    require_codes(read_codes(out), [7, 8, 0, -98 * (100**5000 - 1) // 99])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it has no columns"),
        (b"\nn\n1\n", "it has no columns"),
        (b"n,m\n1,2\n3\n", "line 3: 2 fields are required, got 1"),
        (b"n,m\n1,2\n\n3,4,5\n", "line 4: 2 fields are required, got 3"),
        (b'n,m\n"1"2,3\n', "line 2: ',' expected after '\"'"),
        (b'n,m\n1,"u\n2,3\n4,5\n', "line 4: unexpected end of data"),
        (b"n\n" + b"9" * 200_000, "line 2: field larger than field limit"),
        (b"n\n1\n\xff\n", "'utf-8' codec can't decode byte 0xff"),
        ("n\n1".encode("utf-16"), "'utf-8' codec can't decode byte 0xff"),
        (b"id;n\n1;2\n", r"columns must name columns of .*, which has \['id;n'\], got \['n'\]"),
        (b"n\n1\n\n3\n", "row 2 of .*an integer .* is required, got ''"),
        (b"n,n\n1,2\n", r"names of columns must differ, got \['n', 'n', 'code'\]"),
    ],
)
def test_csv_that_is_not_well_formed_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    with pytest.raises(FileError, match=words):
        run(tmp_path / "in.csv", tmp_path / "out.npy")
    assert names(tmp_path) == ["in.csv"]


NOT_INTEGERS = (
    *("", " ", "+", "--1", "- 1", "1 2", "3.0", "1e3", "0x10", "1_000", "1,000", "nan", "١٢", "½"),
    *("\u00a01", "1" * 10_001, None, 5.0, math.nan, True, b"5", Decimal("5.0"), [5], {"a": 5}),
    *(pa.scalar(5, kind) for kind in (pa.timestamp("s"), pa.duration("s"), pa.date32())),
    pa.scalar(2**62, pa.timestamp("s")),  # a year that Python does not have
)


@pytest.mark.parametrize("value", NOT_INTEGERS, ids=lambda value: repr(value)[:20])
def test_nothing_else_is_an_integer(tmp_path: Path, value: Any) -> None:
    source = write(tmp_path / "in.arrow", pa.array([value]))
    with pytest.raises(FileError, match=r"row 1 of .*'n' \(.*: an integer of at m|too large to"):
        run(source, tmp_path / "out.npy")


@pytest.mark.parametrize("kind", TABLES)
def test_the_first_bad_row_is_named_with_its_column_and_value(
    small_batches: None, tmp_path: Path, kind: str
) -> None:
    table = {"a": ["1", "2", "3", "x"], "n": ["1", "2", "1.5", "y"]}
    source, out = write(tmp_path / f"in.{kind}", table), tmp_path / "out.parquet"
    for columns in ("n", ["a", "n"], ["n", "a"]):
        words = rf"row 3 of .*in\.{kind}, column 'n' \(string\): .* got '1.5'; correct or drop"
        with pytest.raises(FileError, match=words):
            run(source, out, columns=columns)
    if kind in ("parquet", "arrow"):
        write(source, pa.array([1, 2, None]))
        with pytest.raises(FileError, match=r"row 3 of .*, column 'n' \(int64\): .* got None"):
            run(source, out)
    assert names(tmp_path) == [source.name]


def test_mistakes_are_reported_before_anything_is_written(tmp_path: Path) -> None:
    table = write(tmp_path / "in.csv", {"n": ["1"], "code": ["a"]})
    array, out = write(tmp_path / "in.npy", [1]), tmp_path / "out.npy"
    (tmp_path / "link.npy").symlink_to(array)
    os.link(array, tmp_path / "hard.npy")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.npy").mkdir()
    before = names(tmp_path)
    cases: list[tuple[Path, Path, dict[str, Any], str]] = [
        (table, out, {"columns": None}, r"columns must name .* has \['n', 'code'\], got \[\]"),
        (table, out, {"columns": ["m"]}, r"columns must name .*got \['m'\]"),
        (table, out, {"columns": ["n", "n"]}, "names of columns must differ"),
        (table, out, {}, "names of columns must differ, .*; use name for the codes"),
        (array, out, {"columns": "m"}, r"columns must name .* has \['n'\], got \['m'\]"),
        (array, out, {"dtype": "int8"}, "dtype must be float16, float32 or float64"),
        (array, tmp_path / "out.csv", {}, r"out must be another file, ending in \.parquet, "),
        (array, array, {}, "out must be another file"),
        (array, tmp_path / "folder.npy", {}, "out must be another file"),
        (array, tmp_path / "link.npy", {}, "out must be another file"),
        (array, tmp_path / "hard.npy", {}, "out must be another file"),
        (array, tmp_path / "no" / "out.npy", {}, r"no/out\.npy cannot be written: No such file"),
        (tmp_path / "no.csv", out, {}, r"cannot read .*no\.csv: No such file or directory"),
        (tmp_path / "folder.csv", out, {}, r"cannot read .*folder\.csv: Is a directory"),
        (tmp_path, out, {}, r"cannot read .*: it must end in \.parquet, "),
    ]
    for path, place, options, words in cases:
        with pytest.raises((ValueError, TypeError, OSError), match=words):
            run(path, place, **options)
    assert names(tmp_path) == before


def test_columns_that_the_output_cannot_hold_are_reported(tmp_path: Path) -> None:
    interval = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    source = write(tmp_path / "in.arrow", {"n": [1], "i": interval})
    with pytest.raises(FileError, match=r"out\.parquet cannot hold the columns of the input: "):
        run(source, tmp_path / "out.parquet")
    assert names(tmp_path) == ["in.arrow"]
    run(source, tmp_path / "out.arrow")
    assert read(tmp_path / "out.arrow")["i"].to_pylist() == interval.to_pylist()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "npy"])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, kind: str) -> None:
    source = write(tmp_path / f"in.{kind}", range(50))
    whole = source.read_bytes()
    for size in {*range(0, len(whole), 61), len(whole) - 1}:
        source.write_bytes(whole[:size])
        with pytest.raises(FileError, match=rf"cannot read .*in\.{kind}: "):
            run(source, tmp_path / "out.npy")
    assert names(tmp_path) == [source.name]


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "out.parquet"
    run(write(tmp_path / "in.npy", range(40)), source)
    data = bytearray(source.read_bytes())
    data[len(data) // 4] ^= 1  # amid the codes
    source.write_bytes(data)
    with pytest.raises(FileError, match=r"cannot read .*out\.parquet: .*CRC checksum"):
        run(source, tmp_path / "again.npy", name="second")
    whole = write(tmp_path / "in.arrow", {"n": [1], "name": ["text"]}).read_bytes()
    for word, reason in ((b"name", "'utf-8' codec"), (b"text", "Invalid UTF8 sequence")):
        (tmp_path / "in.arrow").write_bytes(whole.replace(word, b"\xeb\xebxt"))
        with pytest.raises(FileError, match=rf"cannot read .*in\.arrow: .*{reason}"):
            run(tmp_path / "in.arrow", tmp_path / "again.npy")


@pytest.mark.parametrize(
    ("kind", "change"), [("csv", "append"), ("npy", "replace"), ("parquet", "remove")]
)
def test_an_input_that_changes_is_reported(
    small_batches: None, tmp_path: Path, kind: str, change: str
) -> None:
    source, other = (write(tmp_path / f"{name}.{kind}", range(9), 2) for name in ("in", "other"))
    os.utime(other, ns=(source.stat().st_mtime_ns,) * 2)

    def alter(rows: int) -> None:
        if rows == 4 and change == "append":
            source.write_bytes(source.read_bytes() + b"1\n")
            os.utime(source, ns=(0, 1))  # however coarse the clock of the file system is
        elif rows == 4:
            other.replace(source) if change == "replace" else source.unlink()

    with pytest.raises(FileError, match=r"it was changed meanwhile|No such file|cannot read"):
        run(source, tmp_path / "out.npy", on_progress=alter)
    assert not [name for name in names(tmp_path) if "out" in name]


@pytest.mark.parametrize("kind", OUTPUTS)
@pytest.mark.parametrize("error", [KeyError("mine"), KeyboardInterrupt()])
def test_an_interrupted_run_leaves_the_file_that_was_there(
    small_batches: None, tmp_path: Path, kind: str, error: BaseException
) -> None:
    source, out = write(tmp_path / "in.npy", range(9)), tmp_path / f"out.{kind}"
    out.write_text("of an earlier run")

    def stop(rows: int) -> None:
        assert f".{out.name}.unfinished" in names(tmp_path)
        if rows == 4:
            raise error

    with pytest.raises(type(error)):
        run(source, out, on_progress=stop)
    assert (out.read_text(), names(tmp_path)) == ("of an earlier run", ["in.npy", out.name])
    run(source, out)
    require_codes(read_codes(out), range(9))


KILLED = """
import os, signal, sys
from primefourier import PrimeBasis, files
files._ROWS = 2
stop = lambda rows: rows == 4 and os.kill(os.getpid(), signal.SIGKILL)
for out in sys.argv[2:]:
    if os.fork() == 0:
        files.encode_file(sys.argv[1], out, basis=PrimeBasis((3, 5), 2), on_progress=stop)
    assert os.wait()[1] == signal.SIGKILL
"""


@pytest.mark.process
def test_a_killed_run_leaves_no_output_and_the_next_replaces_its_rest(tmp_path: Path) -> None:
    source, outs = write(tmp_path / "in.npy", range(9)), [f"out.{kind}" for kind in OUTPUTS]
    words = [sys.executable, "-c", KILLED, str(source), *(f"{tmp_path}/{out}" for out in outs)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(words, check=True, env=environment)
    assert names(tmp_path) == sorted([*(f".{out}.unfinished" for out in outs), "in.npy"])
    for out in outs:
        run(source, tmp_path / out)
        require_codes(read_codes(tmp_path / out), range(9))
    assert names(tmp_path) == ["in.npy", *sorted(outs)]


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_full_disk_is_reported_and_nothing_is_left(small_disk: Path, kind: str) -> None:
    numbers = np.random.default_rng(0).permutation(20_000)
    source = write(small_disk.parent / "in.npy", numbers)
    with pytest.raises(OSError, match=r"out.* cannot be written: No space left on device; choose"):
        run(source, small_disk / f"out.{kind}", basis=pf.PAPER_BASIS)
    assert names(small_disk) == []


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv", "npy"])
def test_memory_does_not_grow_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(files, "_ROWS", 100)

    def peak(rows: int) -> int:
        numbers = np.arange(rows)
        source = write(tmp_path / f"{rows}.{kind}", {"n": numbers, "t": numbers + 10**9}, 200)
        start, held = pa.total_allocated_bytes(), [0]
        tracemalloc.start()  # of Python and numpy; Arrow counts its own
        note = lambda _: held.append(pa.total_allocated_bytes() - start)  # noqa: E731
        run(source, tmp_path / "out.arrow", on_progress=note)
        own = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return own + max(held)

    peak(200)  # what is loaded once
    assert peak(8_000) < 1.3 * peak(2_000)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_large_rows_make_small_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(files, "_BYTES", 1 << 16)
    table = {"n": range(1000), "t": [os.urandom(1000).hex() for _ in range(1000)]}
    source, steps = write(tmp_path / f"in.{kind}", table), [0]
    run(source, tmp_path / "out.npy", on_progress=steps.append)
    assert steps[-1] == 1000
    assert max(np.diff(steps)) < 50
