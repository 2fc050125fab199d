import json
from collections.abc import Callable
from pathlib import Path

from number_files import assert_codes, names, read_table, write_input

Pfe = Callable[..., tuple[int, str, str]]
BASIS = ("--primes", "3,5", "--depth", "2")


def test_a_column_becomes_codes_and_the_rest_is_kept(pfe: Pfe, tmp_path: Path) -> None:
    source, out = (
        write_input(tmp_path / "in.csv", [1, 10**30], text=["a", "b"]),
        tmp_path / "o.parquet",
    )
    code, said, err = pfe("encode-file", str(source), "--column", "n", "--out", str(out), *BASIS)
    assert (code, said, err) == (0, f"Wrote 2 rows to {out}.\n", "")
    assert_codes(out, [1, 10**30])
    assert read_table(out).schema.names == ["n", "text", "code"]


def test_several_files_and_columns_go_to_a_folder(pfe: Pfe, tmp_path: Path) -> None:
    sources = [str(write_input(tmp_path / f"{k}.csv", [k, 10**k], m=["1", "2"])) for k in range(12)]
    out = tmp_path / "codes"
    columns = ("--column", "n", "--column", "m")
    code, said, err = pfe(
        "encode-file", *columns, *sources, "--name", "vector", "--out", str(out), *BASIS
    )
    assert (code, said, err) == (0, f"Wrote 24 rows to {out} in 12 parts.\n", "")
    assert_codes(out / "part-000011-000000.parquet", [11, 10**11], name="n_vector")
    assert_codes(out / "part-000011-000000.parquet", [1, 2], name="m_vector")


def test_a_folder_says_what_was_done_before(pfe: Pfe, tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.npy", [1, 2]), f"{tmp_path}/codes.d/"
    words = ("encode-file", str(source), "--out", out, *BASIS, "--format", "arrow")
    assert pfe(*words) == (0, f"Wrote 2 rows to {tmp_path}/codes.d in 1 part.\n", "")
    assert_codes(tmp_path / "codes.d" / "part-000000-000000.arrow", [1, 2])
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
    }


def test_rejected_rows_are_listed_and_no_failure(pfe: Pfe, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("n\n1\ntwo\n")
    words = ("encode-file", str(source), "--column", "n", "--out", str(tmp_path / "o.npy"))
    code, said, err = pfe(*words)
    assert (code, said) == (2, "")
    assert err == (
        f"error: {source}, row 2 (line 3), column 'n': 'two' is not a decimal integer; correct "
        "it, or leave such rows out with on_bad 'reject'\n"
    )
    code, said, err = pfe(*words, "--on-bad", "reject", "--rejects", str(tmp_path / "bad.txt"))
    assert (code, err) == (0, "")
    assert f"Rejected 1 row; {tmp_path}/bad.txt lists them with reasons." in said
    assert names(tmp_path) == ["bad.txt", "in.csv", "o.npy"]


def test_mistakes_are_reported(pfe: Pfe, tmp_path: Path) -> None:
    source = str(write_input(tmp_path / "in.csv", [1]))
    out = ("--out", str(tmp_path / "o.npy"))
    for words, message in (
        (out, "source must name at least one file"),
        ([source], "--out"),
        ([source, *out], "column must say which column"),
        ([source, *out, "--column", "x"], "has no column 'x'; its columns are 'n'"),
        ([source, *out, "--column", "n", "--dtype", "int8"], "int8"),
        ([source, *out, "--column", "n", "--on-bad", "skip"], "skip"),
        ([source, *out, "--column", "n", "--primes", "4"], "distinct primes"),
        ([f"{tmp_path}/no.csv", *out, "--column", "n"], "there is no file"),
        ([source, "--out", source, "--column", "n"], "must end in .parquet"),
    ):
        code, said, err = pfe("encode-file", *words)
        assert (code, said) == (2, ""), words
        assert message in err
    assert names(tmp_path) == ["in.csv"]


def test_help_is_quick_and_names_every_option(pfe: Pfe) -> None:
    code, said, _ = pfe("encode-file", "--help")
    assert code == 0
    for option in ("column", "out", "name", "format", "on-bad", "rejects", "overwrite", "json"):
        assert f"--{option}" in said
    assert "--empty-column" not in said
