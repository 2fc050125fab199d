import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import primefourier as pf

Pfe = Callable[..., tuple[int, str, str]]


def test_what_encode_prints_decode_reads(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "codes.json"
    numbers = [9, -26, 10**57 + 7]
    path.write_text(pfe("encode", *map(str, numbers), "--dtype", "float16", "--json")[1])
    code, out, _ = pfe("decode", str(path), "--signed", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["value"] == numbers
    assert document["modulus"] == pf.PAPER_BASIS.range
    assert document["residues"][0][0] == 9
    assert min(document["margin"]) > 0.99
    _, table, _ = pfe("decode", str(path))
    assert str(10**57 + 7) in table
    assert str(pf.PAPER_BASIS.range - 26) in table


def test_standard_input_is_read(pfe: Pfe, monkeypatch: pytest.MonkeyPatch) -> None:
    text = pfe("encode", "41", "--primes", "3,5,7", "--depth", "1", "--json")[1]
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert json.loads(pfe("decode", "-", "--json")[1])["value"] == [41]


def test_arrays_are_read_with_the_basis_of_the_options(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "codes.npy"
    basis = pf.PrimeBasis((3, 5), 2)
    codes = pf.encode([7, 8, 9], basis)
    codes[1] = np.nan
    np.save(path, codes)
    options = ["--primes", "3,5", "--depth", "2"]
    code, out, err = pfe("decode", str(path), *options)
    assert (code, out) == (2, "")
    assert "vector [1] is not near any code" in err
    assert "pass --errors mask to mask such vectors" in err
    masked = json.loads(pfe("decode", str(path), *options, "--errors", "mask", "--json")[1])
    assert masked["value"] == [7, None, 9]
    assert masked["residues"][1] is masked["margin"][1] is None
    assert "unclear" in pfe("decode", str(path), *options, "--errors", "mask")[1]
    code, _, err = pfe("decode", str(path))
    assert code == 2
    assert "is it the basis they were encoded with?" in err


@pytest.mark.parametrize(
    "content",
    [b"", b"not json", b"[1, 2]", b'{"codes": [[1]]}', b'{"primes": "x", "depth": 1, "codes": []}',
     b'{"primes": [3], "depth": 1, "codes": ["a"]}', b"\xff\xfe", b"null",
     b'{"primes": [4], "depth": 1, "codes": [[[[1, 0]]]]}',
     b'{"primes": [3], "depth": "1", "codes": [[[[1, 0]]]]}', b"[" * 100_000,
     b'{"primes": [3], "depth": 1, "dtype": "float16", "codes": [[[[1e10, 0]]]]}'],
)  # fmt: skip
def test_other_files_are_refused_in_words(pfe: Pfe, tmp_path: Path, content: bytes) -> None:
    for name in ("codes.json", "codes.npy"):
        path = tmp_path / name
        path.write_bytes(content)
        code, out, err = pfe("decode", str(path))
        assert (code, out) == (2, "")
        assert err.startswith("error: ")


def test_pickles_are_never_loaded(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "codes.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    code, _, err = pfe("decode", str(path))
    assert code == 2
    assert "is not a .npy file with an array of floats" in err


def test_options_that_contradict_the_file_are_refused(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "codes.json"
    path.write_text(pfe("encode", "5", "--primes", "3,5", "--depth", "1", "--json")[1])
    assert pfe("decode", str(path), "--primes", "3,5", "--depth", "1")[0] == 0
    for options in (["--primes", "3,7"], ["--depth", "2"], ["--depth", "0"], ["--primes", ""]):
        code, out, err = pfe("decode", str(path), *options)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")


def test_a_missing_file_is_named(pfe: Pfe, tmp_path: Path) -> None:
    for name in ("none.json", "none.npy", ""):
        code, _, err = pfe("decode", str(tmp_path / name))
        assert code == 2
        assert f"there is no file '{tmp_path / name}'" in err
