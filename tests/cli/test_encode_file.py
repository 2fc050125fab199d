import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bulk_files import assert_codes, names, write_input

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")
BASIS = ("--primes", "3,5", "--depth", "2")


def test_a_column_becomes_codes_and_the_rest_is_kept(pfe: Pfe, tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", [1, 10**30], text=["a", "b"]), tmp_path / "o.csv"
    code, said, err = pfe("encode-file", str(source), "--column", "n", "--out", str(out), *BASIS)
    assert (code, said, err) == (0, f"Wrote 2 rows to {out}.\n", "")
    assert_codes(out, [1, 10**30])
    assert out.read_text().startswith("n,text,code\n1,a,")


def test_a_folder_says_what_was_done_before(pfe: Pfe, tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.npy", [1, 2]), f"{tmp_path}/codes.d/"
    words = ("encode-file", str(source), "--out", out, *BASIS, "--format", "jsonl")
    assert pfe(*words) == (0, f"Wrote 2 rows to {tmp_path}/codes.d in 1 part.\n", "")
    assert_codes(tmp_path / "codes.d" / "part-000000.jsonl", [1, 2])
    said = f"{tmp_path}/codes.d was finished before: 2 rows in 1 part.\n"
    assert pfe(*words) == (0, said, "")


def test_the_summary_can_be_json(pfe: Pfe, tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.jsonl", [1, 2]), tmp_path / "o.npy"
    words = ("encode-file", str(source), "--column", "n", "--out", str(out), *BASIS, "--json")
    code, said, _ = pfe(*words)
    assert code == 0
    assert json.loads(said) == {
        "rows": 2,
        "rejected": 0,
        "out": str(out),
        "rejects": None,
        "parts": None,
        "parts_before": 0,
        "started_over": False,
    }


def test_rejected_rows_are_told_and_no_failure(pfe: Pfe, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("n\n1\ntwo\n")
    words = ("encode-file", str(source), "--column", "n", "--out", str(tmp_path / "o.npy"))
    code, said, err = pfe(*words)
    assert (code, said) == (2, "")
    assert err == (
        f"error: {source}, row 2 (line 3): 'two' is not a decimal integer; correct it, or leave "
        "such rows out with --on-bad reject\n"
    )
    code, said, err = pfe(*words, "--on-bad", "reject", "--rejects", str(tmp_path / "bad.txt"))
    assert (code, err) == (0, "")
    assert f"Rejected 1 row; {tmp_path}/bad.txt tells which and why." in said
    assert names(tmp_path) == ["bad.txt", "in.csv", "o.npy"]


def test_mistakes_are_told(pfe: Pfe, tmp_path: Path) -> None:
    source = str(write_input(tmp_path / "in.csv", [1]))
    out = ("--out", str(tmp_path / "o.csv"))
    for words, told in (
        ([], "requires an argument"),
        ([source], "--out"),
        ([source, *out], "--column must say which column"),
        ([source, *out, "--column", "x"], "has no column 'x'; its columns are 'n'"),
        ([source, *out, "--column", "n", "--dtype", "int8"], "int8"),
        ([source, *out, "--column", "n", "--on-bad", "skip"], "skip"),
        ([source, *out, "--column", "n", "--primes", "4"], "distinct primes"),
        ([f"{tmp_path}/no.csv", *out, "--column", "n"], "there is no file"),
        ([source, "--out", source, "--column", "n"], "must be another file than the input"),
    ):
        code, said, err = pfe("encode-file", *words)
        assert (code, said) == (2, ""), words
        assert told in err
    assert names(tmp_path) == ["in.csv"]


def test_a_terminal_sees_a_bar_that_goes_away(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.npy", list(range(1000))), tmp_path / "o.npy"
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [str(PFE), "encode-file", str(source), "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        check=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert done.stdout == f"Wrote 1000 rows to {out}.\n"
    assert "1000 rows" in shown
    assert "100 %" in shown


def test_help_is_quick_and_names_every_option(pfe: Pfe) -> None:
    code, said, _ = pfe("encode-file", "--help")
    assert code == 0
    for option in ("column", "out", "name", "format", "on-bad", "rejects", "overwrite", "json"):
        assert f"--{option}" in said
