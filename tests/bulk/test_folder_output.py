"""A folder as output: stopped and continued, the result is the same."""

import json
import os
import signal
from pathlib import Path

import pytest

from bulk_driver import ROWS, start, wait_for_rows
from bulk_files import BASIS, assert_codes, names, read_codes, write_input
from primefourier.bulk import BadRowError, BulkError, Progress, Summary, encode_file
from primefourier.encoding import PrimeBasis

NUMBERS = list(range(55))
PARTS = [f"part-{k:06d}.parquet" for k in range(6)]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.bulk.job._PART_ROWS", ROWS)


def command(source: Path, out: Path, *more: str) -> list[str]:
    basis = ["--primes", "3,5", "--depth", "2"]
    return ["encode-file", str(source), "--column", "n", "--out", str(out), *basis, *more]


def again(source: Path, out: Path) -> Summary:
    return encode_file(source, out=out, column="n", basis=BASIS)


def assert_parts(out: Path, numbers: list[int]) -> None:
    for k, name in enumerate(PARTS):
        assert_codes(out / name, numbers[k * ROWS : (k + 1) * ROWS])


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
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


def test_a_finished_job_is_not_done_again(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    assert again(source, out).parts_before == 0
    seen: list[Progress] = []
    summary = encode_file(source, out=out, column="n", basis=BASIS, watch=seen.append)
    assert (summary.rows, summary.parts, summary.parts_before) == (55, 6, 6)
    assert seen == []


def test_a_finished_job_does_not_read_its_input_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = write_input(tmp_path / "in.jsonl", NUMBERS), tmp_path / "codes"
    again(source, out)
    monkeypatch.setattr("primefourier.bulk.job.Job.open", lambda _: pytest.fail("it was read"))
    assert again(source, out).parts_before == 6


def test_another_job_in_the_folder_is_refused_with_the_difference(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    again(source, out)
    with pytest.raises(BulkError, match=r"holds another job: depth was 2, is 6\. Choose"):
        encode_file(source, out=out, column="n", basis=PrimeBasis((3, 5), depth=6))
    with pytest.raises(BulkError, match=r'dtype was "float32", is "float64"'):
        encode_file(source, out=out, column="n", basis=BASIS, dtype="float64")
    write_input(source, [*NUMBERS, 56])
    with pytest.raises(BulkError, match=r'another job: input was \{"name": "in.csv", "size": '):
        again(source, out)
    summary = encode_file(source, out=out, column="n", basis=BASIS, overwrite=True)
    assert (summary.rows, summary.parts_before) == (56, 0)
    assert_parts(out, [*NUMBERS, 56])


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    out.mkdir()
    (out / "thesis.txt").write_text("precious")
    for overwrite in (False, True):
        with pytest.raises(BulkError, match=r"holds other files, such as 'thesis\.txt'"):
            encode_file(source, out=out, column="n", basis=BASIS, overwrite=overwrite)
    (tmp_path / "plain").write_text("")
    with pytest.raises(BulkError, match="is a file"):
        encode_file(source, out=tmp_path / "plain", column="n", basis=BASIS)
    assert (out / "thesis.txt").read_text() == "precious"


def test_two_runs_do_not_write_one_folder(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"

    def second(_: Progress) -> None:
        with pytest.raises(BulkError, match=r"another process is writing .*codes"):
            again(source, out)

    encode_file(source, out=out, column="n", basis=BASIS, watch=second)
    assert_parts(out, NUMBERS)


def test_a_bad_row_stops_it_and_finished_parts_stay(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    source.write_text(source.read_text().replace("25", "25.0"))
    with pytest.raises(BadRowError, match=r"row 26 \(line 27\): '25\.0'"):
        again(source, out)
    assert names(out) == ["_job.json", *PARTS[:2]]


@pytest.mark.parametrize("killed", [False, True])
def test_rejects_are_complete_also_after_an_interruption(tmp_path: Path, killed: bool) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    source.write_text(source.read_text().replace("5\n", "5.0\n"))
    bad = [5, 15, 25, 35, 45]
    if killed:
        with start(*command(source, out, "--on-bad", "reject")) as process:
            wait_for_rows(process, 27)
            process.kill()
        assert "_rejects-000001.jsonl" in names(out)
    summary = encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")
    assert (summary.rows, summary.rejected) == (50, 5)
    assert summary.rejects == out / "_rejects.jsonl"
    lines = [json.loads(line) for line in summary.rejects.read_text().splitlines()]
    assert [(line["row"], line["value"]) for line in lines] == [(k + 1, f"{k}.0") for k in bad]
    assert names(out) == ["_done.json", "_job.json", "_rejects.jsonl", *PARTS]
    assert sum(len(read_codes(out / part)) for part in PARTS) == 50
    again = encode_file(source, out=out, column="n", basis=BASIS, on_bad="reject")
    assert (again.rows, again.rejected, again.rejects) == (50, 5, summary.rejects)


def test_rejects_may_be_elsewhere_but_replace_nothing(tmp_path: Path) -> None:
    source, out, bad = tmp_path / "in.csv", tmp_path / "codes", tmp_path / "bad.jsonl"
    source.write_text("n\n1\nx\n")

    def encode(rejects: Path | None, *, overwrite: bool = False) -> Summary:
        return encode_file(
            source,
            out=out,
            column="n",
            basis=BASIS,
            on_bad="reject",
            rejects=rejects,
            overwrite=overwrite,
        )

    bad.write_text("precious")
    with pytest.raises(BulkError, match=r"bad\.jsonl exists already"):
        encode(bad)
    assert not out.exists()
    bad.unlink()
    for _ in range(2):
        assert encode(bad).rejects == bad
        assert json.loads(bad.read_text())["value"] == "x"
    assert names(out) == ["_done.json", "_job.json", "part-000000.parquet"]
    with pytest.raises(BulkError, match="another job: rejects was "):
        encode(None)
    with pytest.raises(BulkError, match="must be a file outside the folder"):
        encode(out / "bad.jsonl")
    assert encode(None, overwrite=True).rejects == out / "_rejects.jsonl"


def test_a_full_disk_is_told_and_the_run_continued_when_there_is_room(small_disk: Path) -> None:
    source, out = write_input(small_disk.parent / "in.csv", NUMBERS), small_disk / "codes"
    filler = small_disk / "filler"

    def fill(progress: Progress) -> None:
        if progress.rows == 20:
            free = os.statvfs(small_disk)
            filler.write_bytes(bytes(free.f_bavail * free.f_frsize))

    with pytest.raises(BulkError, match="No space left on device"):
        encode_file(source, out=out, column="n", basis=BASIS, watch=fill)
    assert names(out) == ["_job.json", *PARTS[:2]]
    filler.unlink()
    assert again(source, out).parts_before == 2
    assert_parts(out, NUMBERS)


def test_starting_over_after_starting_over_was_killed_takes_nothing_of_the_old_job(
    tmp_path: Path,
) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    encode_file(source, out=out, column="n", basis=PrimeBasis((7,), depth=1))
    (out / "_job.json").unlink()
    with pytest.raises(BulkError, match="--overwrite starts over"):
        again(source, out)
    encode_file(source, out=out, column="n", basis=BASIS, overwrite=True)
    assert_parts(out, NUMBERS)


def test_parts_that_were_removed_are_made_again(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "codes"
    again(source, out)
    (out / PARTS[3]).unlink()
    summary = again(source, out)
    assert (summary.rows, summary.parts, summary.parts_before) == (55, 6, 5)
    assert_parts(out, NUMBERS)
    assert names(out) == ["_done.json", "_job.json", *PARTS]


def test_a_refused_folder_is_left_as_it_was(tmp_path: Path) -> None:
    source, out = write_input(tmp_path / "in.csv", NUMBERS), tmp_path / "mine"
    out.mkdir()
    (out / "thesis.tex").touch()
    with pytest.raises(BulkError, match="holds other files"):
        again(source, out)
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]
