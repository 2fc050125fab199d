"""One file as output: whole or not there, whatever happens."""

import os
import signal
from pathlib import Path

import pytest

from bulk_driver import start, wait_for_rows
from bulk_files import BASIS, FORMATS, assert_codes, names, write_input
from primefourier.bulk import BulkError, Progress, encode_file
from primefourier.bulk.file_output import STARTS_OVER

NUMBERS = list(range(60))


def command(source: Path, out: Path, *more: str) -> list[str]:
    column = [] if source.suffix == ".npy" else ["--column", "n"]
    basis = ["--primes", "3,5", "--depth", "2"]
    return ["encode-file", str(source), *column, "--out", str(out), *basis, *more]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("parquet", signal.SIGINT), ("parquet", signal.SIGTERM), ("csv", signal.SIGTERM)],
)
def test_a_stopped_run_leaves_nothing(tmp_path: Path, kind: str, name: signal.Signals) -> None:
    source = write_input(tmp_path / f"in.{kind}", NUMBERS)
    with start(*command(source, tmp_path / f"out.{kind}", "--on-bad", "reject")) as process:
        wait_for_rows(process, 10)
        assert f".out.{kind}.unfinished" in names(tmp_path)
        os.killpg(process.pid, name)
        _, errors = process.communicate()
    assert process.returncode == 1
    assert errors == "Stopped. Nothing was written.\n"
    assert names(tmp_path) == [source.name]


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "npy"])
def test_a_killed_run_is_started_over_and_that_is_told(tmp_path: Path, kind: str) -> None:
    source, out = write_input(tmp_path / f"in.{kind}", NUMBERS), tmp_path / f"out.{kind}"
    with start(*command(source, out)) as process:
        wait_for_rows(process, 10)
        process.kill()
    assert names(tmp_path) == sorted([source.name, f".{out.name}.unfinished"])
    with start(*command(source, out), pause=0) as process:
        _, errors = process.communicate()
    assert process.returncode == 0
    assert errors == STARTS_OVER + "\n"
    assert_codes(out, NUMBERS)
    assert names(tmp_path) == sorted([source.name, out.name])


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "out.csv"

    def second(_: Progress) -> None:
        with pytest.raises(BulkError, match=r"another process is writing .*out\.csv; wait"):
            encode_file(source, out=out, column="n", basis=BASIS)

    encode_file(source, out=out, column="n", basis=BASIS, watch=second)
    assert_codes(out, NUMBERS)


def test_existing_output_is_replaced_only_when_asked(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.npy"
    source.write_text("n\n1\nx\n")
    encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")
    assert (tmp_path / "out.rejects.jsonl").exists()
    source.write_text("n\n1\n2\n")
    with pytest.raises(BulkError, match=r"out\.npy exists already; --overwrite replaces it"):
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
    with pytest.raises(BulkError, match="row 1"):
        encode_file(source, out=out, column="n", basis=BASIS, overwrite=True)
    assert_codes(out, [1])


@pytest.mark.parametrize("kind", FORMATS)
def test_a_full_disk_is_told_and_nothing_is_left(small_disk: Path, kind: str) -> None:
    numbers = range(20_000)
    source = write_input(small_disk.parent / f"in.{kind}", numbers)
    out = small_disk / f"out.{kind}"
    column = None if kind == "npy" else "n"
    with pytest.raises(BulkError, match=r"cannot be written: No space left on device; make room"):
        encode_file(source, out=out, column=column, basis=BASIS)
    assert names(small_disk) == []


def test_an_input_that_changes_is_told(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "out.csv"

    def change(progress: Progress) -> None:
        with source.open("a") as file:
            file.write("61\n")

    with pytest.raises(BulkError, match="was changed while it was read"):
        encode_file(source, out=out, column="n", basis=BASIS, watch=change)
    assert names(tmp_path) == ["in.csv"]
