"""A folder as output: stopped and continued, the result is the same."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from files_driver import ROWS, command, start, wait_for_rows
from number_files import BASIS, assert_codes, names, read_codes, write_input
from primefourier.encoding import PrimeBasis
from primefourier.files import BadRowError, FileError, Progress, Summary, encode_file

NUMBERS = list(range(55))
PARTS = [f"part-000000-{k:06d}.parquet" for k in range(6)]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.files.file_encoding._BATCH_ROWS", ROWS)


def again(source: Path, out: Path) -> Summary:
    return encode_file(source, out=out, column="n", basis=BASIS)


def assert_parts(out: Path, numbers: list[int]) -> None:
    for k, name in enumerate(PARTS):
        assert_codes(out / name, numbers[k * ROWS : (k + 1) * ROWS])


@pytest.mark.process
@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_stopped_is_continued(tmp_path: Path, name: signal.Signals) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    with start(*command(source, out)) as process:
        wait_for_rows(process, 30)
        os.killpg(process.pid, name)
        _, errors = process.communicate()
    if name != signal.SIGKILL:
        assert process.returncode == 1
        assert errors == "Stopped. Run the same command again to continue.\n"
    done = {path: path.stat().st_mtime_ns for path in out.glob("part-*")}
    assert 3 <= len(done) < 6
    summary = again(source, out)
    assert (summary.rows, summary.parts, summary.parts_before) == (55, 6, len(done))
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert names(out) == ["_done.json", "_job.json", *PARTS]
    assert_parts(out, NUMBERS)


def test_only_missing_parts_are_written_again(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    assert again(source, out).parts_before == 0
    before = {path: path.stat().st_mtime_ns for path in out.glob("part-*")}
    assert again(source, out).parts_before == 6
    assert {path: path.stat().st_mtime_ns for path in before} == before
    (out / PARTS[3]).unlink()
    summary = again(source, out)
    assert (summary.rows, summary.parts, summary.parts_before) == (55, 6, 5)
    assert_parts(out, NUMBERS)
    assert names(out) == ["_done.json", "_job.json", *PARTS]


def test_several_inputs_go_to_one_folder_in_order(tmp_path: Path) -> None:
    inputs = tmp_path / "in"
    inputs.mkdir()
    for k, kind in enumerate(("csv", "jsonl", "parquet", "arrow")):
        write_input(inputs / f"{k}.{kind}", range(k, k + 15))
    (inputs / "readme.txt").touch()
    (inputs / "_index.csv").touch()
    seen: list[Progress] = []
    out = tmp_path / "codes"
    summary = encode_file(inputs, out=out, column="n", basis=BASIS, on_progress=seen.append)
    assert (summary.rows, summary.parts) == (60, 8)
    parts = [f"part-{k:06d}-{i:06d}.parquet" for k in range(4) for i in range(2)]
    assert names(out) == ["_done.json", "_job.json", *parts]
    for k in range(4):
        assert_codes(out / parts[2 * k], range(k, k + 10))
        assert_codes(out / parts[2 * k + 1], range(k + 10, k + 15))
    shares = [progress.share for progress in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1], seen[-1].rows) == (0, 1, 60)
    by_pattern = encode_file(str(inputs / "[0-9].*"), out=out, column="n", basis=BASIS)
    assert by_pattern.parts_before == 8
    with pytest.raises(FileError, match="holds another job: inputs was "):
        encode_file([inputs / "0.csv", inputs / "1.jsonl"], out=out, column="n", basis=BASIS)


def test_the_input_of_a_bad_row_is_named(tmp_path: Path) -> None:
    for k in range(3):
        write_input(tmp_path / f"{k}.csv", [1, 2])
    (tmp_path / "1.csv").write_text("n\n1\nx\n")
    with pytest.raises(BadRowError, match=r"1\.csv, row 2 \(line 3\)"):
        encode_file(tmp_path / "*.csv", out=tmp_path / "codes", column="n", basis=BASIS)
    assert names(tmp_path / "codes") == ["_job.json", "part-000000-000000.parquet"]
    summary = encode_file(
        tmp_path / "*.csv", out=tmp_path / "c2", column="n", basis=BASIS, on_bad="reject"
    )
    assert summary.rejects is not None
    assert json.loads(summary.rejects.read_text())["file"] == str(tmp_path / "1.csv")


def test_another_job_in_the_folder_is_refused_with_the_difference(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    again(source, out)
    with pytest.raises(FileError, match=r"holds another job: depth was 2, is 6\. Choose"):
        encode_file(source, out=out, column="n", basis=PrimeBasis((3, 5), depth=6))
    write_input(source, [*NUMBERS, 56])
    with pytest.raises(FileError, match=r"another job: inputs was \[\{.*'in.csv'"):
        again(source, out)
    summary = encode_file(source, out=out, column="n", basis=BASIS, overwrite=True)
    assert (summary.rows, summary.parts_before) == (56, 0)
    assert_parts(out, [*NUMBERS, 56])


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    out.mkdir()
    (out / "part-000001.txt").write_text("precious")
    for overwrite in (False, True):
        with pytest.raises(FileError, match=r"codes holds other files"):
            encode_file(source, out=out, column="n", basis=BASIS, overwrite=overwrite)
    assert [path.read_text() for path in out.iterdir()] == ["precious"]  # and no lock file
    with pytest.raises(OSError, match=r"part-000001.txt cannot be written: File exists"):
        encode_file(source, out=f"{out}/part-000001.txt/", column="n", basis=BASIS)


def test_two_runs_do_not_write_one_folder(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"

    def second(_: Progress) -> None:
        with pytest.raises(FileError, match=r"another process is writing .*codes"):
            again(source, out)

    encode_file(source, out=out, column="n", basis=BASIS, on_progress=second)
    assert_parts(out, NUMBERS)


@pytest.mark.process
@pytest.mark.parametrize("killed", [False, True])
def test_rejects_are_complete_also_after_an_interruption(tmp_path: Path, killed: bool) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    source.write_text(source.read_text().replace("5\n", "5.0\n"))
    bad = [5, 15, 25, 35, 45]
    if killed:
        with start(*command(source, out, "--on-bad", "reject")) as process:
            wait_for_rows(process, 27)
            process.kill()
        assert "_rejects-000000-000001.jsonl" in names(out)
    summary = encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")
    assert (summary.rows, summary.rejected) == (50, 5)
    assert summary.rejects == out / "_rejects.jsonl"
    lines = [json.loads(line) for line in summary.rejects.read_text().splitlines()]
    assert [(line["row"], line["value"]) for line in lines] == [(k + 1, f"{k}.0") for k in bad]
    kept = [f"_rejects-000000-{k:06d}.jsonl" for k in range(5)]
    assert names(out) == ["_done.json", "_job.json", *kept, "_rejects.jsonl", *PARTS]
    assert sum(len(read_codes(out / part)) for part in PARTS) == 50
    (out / PARTS[3]).unlink()
    again = encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")
    assert [json.loads(line) for line in summary.rejects.read_text().splitlines()] == lines
    assert (again.rows, again.rejected, again.rejects) == (50, 5, summary.rejects)
    (out / kept[0]).rename(tmp_path / "elsewhere")
    (out / kept[0]).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=f"{kept[0]} is a link or not a regular file"):
        encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")


def test_a_run_continues_after_a_full_disk(small_disk: Path) -> None:
    source, out = write_input(small_disk.parent / "in.csv", NUMBERS), small_disk / "codes"
    filler = small_disk / "filler"

    def fill(progress: Progress) -> None:
        if progress.rows == 20:
            free = os.statvfs(small_disk)
            filler.write_bytes(bytes(free.f_bavail * free.f_frsize))

    with pytest.raises(OSError, match="cannot be written: No space left on device"):
        encode_file(source, out=out, column="n", basis=BASIS, on_progress=fill)
    assert names(out) == ["_job.json", *PARTS[:2]]
    filler.unlink()
    assert again(source, out).parts_before == 2
    assert_parts(out, NUMBERS)


def test_rejects_of_another_job_are_not_used(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    out.mkdir()
    (out / "_job.json").write_text("{}")
    (out / "_rejects-000000-000000.jsonl").write_text("{}\n")  # killed before its part
    with pytest.raises(FileError, match="holds another job: "):
        encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")
    summary = encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject", overwrite=True)
    assert (summary.rejected, summary.rejects) == (0, None)


def test_no_part_is_written_after_another_job_took_over_the_folder(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"

    def replace(progress: Progress) -> None:
        if progress.rows == 20:
            (out / "_job.json").write_text("{}")

    with pytest.raises(FileError, match="is not the folder of this job"):
        encode_file(source, out=out, column="n", basis=BASIS, on_progress=replace)
    assert names(out) == ["_job.json", *PARTS[:2]]


@pytest.mark.parametrize("kind", ["pipe", "link", "damaged"])
def test_a_job_file_that_cannot_be_used_is_refused(tmp_path: Path, kind: str) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(3))
    out = tmp_path / "codes"
    out.mkdir()
    (out / "part-000000-000000.parquet").touch()
    if kind == "pipe":
        os.mkfifo(out / "_job.json")
    elif kind == "link":
        (out / "_job.json").symlink_to("/dev/zero")
    else:
        (out / "_job.json").write_text("[")
    with pytest.raises(FileError, match=r"_job.json is damaged|codes holds other files"):
        encode_file(tmp_path / "numbers.npy", out=f"{out}/")
