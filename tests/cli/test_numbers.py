"""Commands about integers: ``pfe encode``, ``encode-file``, ``decode`` and ``plan``."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import primefourier as pf

Pfe = Callable[..., tuple[int, str, str]]
PICKLE = io.BytesIO()
np.save(PICKLE, np.array([{}], dtype=object), allow_pickle=True)
SMALL = ("--primes", "3,5", "--depth", "2")


def test_tables_that_do_not_fit_are_split_by_integer(
    pfe: Pfe, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = pfe("encode", "9", "17", "-26", *SMALL)[1]
    assert out.count("prime") == 3
    assert max(map(len, out.splitlines())) <= 80
    monkeypatch.setenv("COLUMNS", "120")
    assert pfe("encode", "9", "17", "-26", *SMALL)[1].count("prime") == 1


def test_encode_json_has_basis_numbers_and_codes(pfe: Pfe) -> None:
    big = 10**50 + 7
    document = json.loads(pfe("encode", str(big), "-26", "--json", "--dtype", "float64")[1])
    assert document["numbers"] == [big, -26]
    assert tuple(document["primes"]) == pf.PAPER_BASIS.primes
    assert (np.array(document["codes"]) == pf.encode([big, -26], pf.PAPER_BASIS, "float64")).all()


def test_encode_writes_an_array_and_takes_integers_beyond_4300_digits(
    pfe: Pfe, tmp_path: Path
) -> None:
    path = tmp_path / "codes.npy"
    assert pfe("encode", "5", "--out", str(path))[0] == 0
    assert np.load(path).shape == (1, 16, 6, 2)
    number = "7" * 5000
    code, out, _ = pfe("encode", number, "--primes", "3", "--depth", "1", "--json")
    assert (code, json.loads(out)["numbers"]) == (0, [int(number)])
    assert pfe("encode", number, "--primes", "3", "--depth", "1")[0] == 0


def test_decode_reads_what_encode_prints(
    pfe: Pfe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, numbers = tmp_path / "codes.json", [9, -26, 10**57 + 7]
    path.write_text(pfe("encode", *map(str, numbers), "--dtype", "float16", "--json")[1])
    document = json.loads(pfe("decode", str(path), "--signed", "--json")[1])
    assert document["value"] == numbers
    assert document["modulus"] == pf.PAPER_BASIS.range
    assert document["residues"][0][0] == 9
    assert min(document["margin"]) > 0.99
    table = pfe("decode", str(path))[1]
    assert str(10**57 + 7) in table
    assert str(pf.PAPER_BASIS.range - 26) in table, "numbers are not broken, even if too long"
    monkeypatch.setattr("sys.stdin", io.StringIO(path.read_text()))
    assert json.loads(pfe("decode", "-", "--signed", "--json")[1])["value"] == numbers


def test_decode_reads_arrays_and_refuses_unclear_vectors(pfe: Pfe, tmp_path: Path) -> None:
    path, codes = tmp_path / "codes.npy", pf.encode([7, 8, 9], pf.PrimeBasis((3, 5), 2))
    np.save(path, codes)
    assert json.loads(pfe("decode", str(path), *SMALL, "--json")[1])["value"] == [7, 8, 9]
    code, _, err = pfe("decode", str(path))
    assert (code, "pass the basis that encoded them" in err) == (2, True)
    assert "primes must be distinct primes" in pfe("decode", str(path), "--primes", "4")[2]
    codes[1] = np.nan
    np.save(path, codes)
    code, out, err = pfe("decode", str(path), *SMALL)
    assert (code, out) == (2, "")
    assert "vector [1] is not near any code" in err
    assert not re.search("errors=|min_margin", err)


@pytest.mark.parametrize("name", ["codes.json", "codes.npy"])
@pytest.mark.parametrize(
    "content",
    [b"", b"not json", b"[1, 2]", b'{"codes": [[1]]}', b'{"primes": "x", "depth": 1, "codes": []}',
     b'{"primes": [3], "depth": 1, "codes": ["a"]}', b"\xff\xfe", b"null",
     b'{"primes": [4], "depth": 1, "codes": [[[[1, 0]]]]}',
     b'{"primes": [3], "depth": "1", "codes": [[[[1, 0]]]]}', b"[" * 100_000,
     b'{"primes": [3], "depth": 1, "dtype": "float16", "codes": [[[[1e10, 0]]]]}',
     PICKLE.getvalue()],
)  # fmt: skip
def test_other_files_are_refused(pfe: Pfe, tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    code, out, err = pfe("decode", str(path))
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


def test_options_that_contradict_the_file_are_refused(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "codes.json"
    path.write_text(pfe("encode", "5", *SMALL, "--json")[1])
    assert pfe("decode", str(path), *SMALL)[0] == 0
    for options in (["--primes", "3,7"], ["--depth", "1"], ["--depth", "0"], ["--primes", ""]):
        code, out, err = pfe("decode", str(path), *options)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
    code, _, err = pfe("decode", str(tmp_path))
    assert (code, err) == (2, f"error: {tmp_path}: Is a directory\n")


@pytest.mark.parametrize("dtype", ["i4", "bool", "O", ["f4"], None])
def test_codes_are_read_as_floats_only(pfe: Pfe, tmp_path: Path, dtype: object) -> None:
    path = tmp_path / "codes.json"
    codes = [[[[1.0, 0.9]]]]  # as integers, 1 and 0, they would be a clear code
    path.write_text(json.dumps({"primes": [3], "depth": 1, "dtype": dtype, "codes": codes}))
    code, _, err = pfe("decode", str(path))
    assert (code, "dtype must be float16, float32 or float64" in err) == (2, True)


def test_plan_prints_the_explanation_in_80_columns(pfe: Pfe) -> None:
    code, out, _ = pfe("plan", "231", "--range", "100")
    assert code == 0
    assert out.split() == pf.plan(231, pf.PAPER_BASIS, input_range=100).explain().split()
    assert out.startswith("231 = 3 · 7 · 11\n")
    assert "\n  p = 7: period 7\n" in out
    assert max(map(len, out.splitlines())) <= 80


def test_plan_ends_with_the_published_risk(pfe: Pfe) -> None:
    out = pfe("plan", "231", "--range", "500")[1]
    assert out.splitlines()[-2:] == [
        "Risk: of 39 published networks whose nearest alias drifts by 0 to 0.1 turns, 34",
        "used a circle that N does not need.",
    ]
    assert json.loads(pfe("plan", "231", "--range", "500", "--json")[1])["risk"] == 34 / 39


def test_plan_json_has_the_whole_plan(pfe: Pfe) -> None:
    words = ("--primes", "3,5", "--depth", "1", "--range", "5", "--json")
    document = json.loads(pfe("plan", "12", *words)[1])
    assert document["relevant"] == [[3, 0]]
    assert document["missing"] == [[2, 0], [2, 1]]
    assert (document["visible"], document["invisible"]) == (3, 4)
    assert document["extended"] == {"primes": [2, 3, 5], "depth": 2}
    assert document["degenerate"] is True
    assert json.loads(pfe("plan", "12", "--json")[1])["degenerate"] is None
    found = json.loads(pfe("plan", str(3 * (2**89 - 1)), "--json")[1])
    assert (found["relevant"], found["unfactored"]) == ([[3, 0]], 2**89 - 1)
    assert found["extended"] is None, "the factors are not known"


# encode-file


def test_columns_become_codes_and_the_rest_is_kept(pfe: Pfe, tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "o.arrow"
    source.write_text(f"n,m\n1,-1\n{10**30},x\n")
    words = ("encode-file", "--column", "n", str(source), "--out", str(out), *SMALL)
    assert pfe(*words, "--name", "vector") == (0, f"Wrote 2 rows to {out}.\n", "")
    found = pa.ipc.open_file(out).read_all().to_pydict()
    codes = pf.encode([1, 10**30], pf.PrimeBasis((3, 5), 2), flat=True)
    assert found == {"n": ["1", str(10**30)], "m": ["-1", "x"], "vector": codes.tolist()}
    code, said, err = pfe(*words, "--column", "m")
    assert (code, said) == (2, "")
    assert err.startswith(f"error: row 2 of {source}, column 'm' (string): an integer of at most")
    source.write_text("m\n5\n")
    out = tmp_path / "o.npy"
    pfe("encode-file", str(source), "--out", str(out), *SMALL, "--dtype", "float16")
    assert np.array_equal(np.load(out), pf.encode([5], pf.PrimeBasis((3, 5), 2), "float16"))
