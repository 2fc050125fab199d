import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import primefourier as pf


def test_the_table_shows_residue_cosine_and_sine(pfe: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = pfe("encode", "9", "17", "--primes", "3,5,7", "--depth", "2")
    assert (code, err) == (0, "")
    assert "4   +0.309017   -0.951057" in out
    assert "12 numbers for each integer; integers below 11025 are told apart." in out


def test_json_holds_basis_numbers_and_codes(pfe: Callable[..., tuple[int, str, str]]) -> None:
    big = 10**50 + 7
    _, out, _ = pfe("encode", str(big), "-26", "--json", "--dtype", "float64")
    document = json.loads(out)
    assert document["numbers"] == [big, -26]
    assert tuple(document["primes"]) == pf.PAPER_BASIS.primes
    assert (np.array(document["codes"]) == pf.encode([big, -26], pf.PAPER_BASIS, "float64")).all()


def test_codes_go_to_a_file(pfe: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    path = tmp_path / "codes.npy"
    assert pfe("encode", "5", "--out", str(path))[0] == 0
    assert np.load(path).shape == (1, 16, 6, 2)
    code, _, err = pfe("encode", "5", "--out", str(tmp_path / "codes.txt"))
    assert code == 2
    assert pfe("encode", "5", "--out", str(path), "--json")[0] == 2
    assert "--out must end in .npy" in err


def test_mistakes_are_told(pfe: Callable[..., tuple[int, str, str]]) -> None:
    for arguments, words in (
        (["encode"], "at least one integer"),
        (["encode", "3.5"], "an integer such as 9 or -17 is required, got '3.5'"),
        (["encode", "5", "--depth", "0"], "depth must be an integer of at least 1, got 0"),
        (["encode", "5", "--depth", "2.7"], "required, got '2.7'"),
        (["encode", "5", "--primes", "3,9"], "got 9 = 3²; use depth for prime powers"),
    ):
        code, out, err = pfe(*arguments)
        assert (code, out) == (2, "")
        assert words in err


def test_integers_beyond_4300_digits_are_no_exception(
    pfe: Callable[..., tuple[int, str, str]],
) -> None:
    number = 7**6000
    code, out, _ = pfe("encode", str(number), "--primes", "3", "--depth", "1", "--json")
    assert code == 0
    assert json.loads(out)["numbers"] == [number]
    assert pfe("encode", str(number), "--primes", "3", "--depth", "1")[0] == 0


def test_narrow_terminals_show_one_table_for_each_integer(
    pfe: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    out = pfe("encode", "9", "17", "--primes", "3,5", "--depth", "1")[1]
    assert out.count("prime") == 2
    monkeypatch.setenv("COLUMNS", "120")
    out = pfe("encode", "9", "17", "--primes", "3,5", "--depth", "1")[1]
    assert out.count("prime") == 1


def test_ctrl_c_ends_a_command_whose_threads_still_compute(tmp_path: Path) -> None:
    words = [str(Path(sys.executable).with_name("pfe")), "encode", "1", "2", "--depth", "100000"]
    words += ["--out", str(tmp_path / "x.npy")]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as pfe:
        time.sleep(4)
        pfe.send_signal(signal.SIGINT)
        _, errors = pfe.communicate(timeout=20)
    assert pfe.returncode == 1
    assert errors == b"Stopped.\n"
