import json
from dataclasses import replace
from pathlib import Path

import pytest

from bulk_files import BASIS, names, write_input
from primefourier.bulk import BulkError
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.job import Job
from primefourier.bulk.job_files import (
    join_rejects,
    prepare_folder,
    read_done,
    remove_rejects,
)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    source = write_input(tmp_path / "in.csv", [1])
    (tmp_path / "out").mkdir()
    recipe = Recipe(BASIS, "float32")
    return Job(source, "n", tmp_path / "out", True, "csv", "code", recipe, "error", None, {})


def test_a_new_folder_becomes_that_of_the_job(job: Job) -> None:
    text = prepare_folder(job, overwrite=False)
    assert json.loads(text) == json.loads(json.dumps(job.settings()))
    assert (job.out / "_job.json").read_text() == text
    assert prepare_folder(job, overwrite=False) == text


def test_what_killed_runs_left_is_removed(job: Job) -> None:
    prepare_folder(job, overwrite=False)
    (job.out / ".part-000003.csv.77-abcd.unfinished").write_text("half")
    prepare_folder(job, overwrite=False)
    assert names(job.out) == ["_job.json"]


def test_starting_over_removes_the_job_s_own_files_only(job: Job) -> None:
    prepare_folder(job, overwrite=False)
    for name in ("part-000000.csv", "part-1234567.csv", "_done.json", "_rejects-000000.jsonl"):
        (job.out / name).write_text("")
    other = replace(job, name="vector")
    with pytest.raises(BulkError, match='name was "code", is "vector"'):
        prepare_folder(other, overwrite=False)
    prepare_folder(other, overwrite=True)
    assert names(job.out) == ["_job.json"]
    (job.out / "notes.txt").write_text("")
    for overwrite in (False, True):
        with pytest.raises(BulkError, match=r"notes\.txt"):
            prepare_folder(other, overwrite=overwrite)
    assert "notes.txt" in names(job.out)


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00", "1"])
def test_damaged_files_are_told(job: Job, text: str) -> None:
    (job.out / "_job.json").write_text(text)
    (job.out / "_done.json").write_text(text)
    with pytest.raises(BulkError, match=r"_job\.json is missing or damaged"):
        prepare_folder(job, overwrite=False)
    with pytest.raises(BulkError, match=r"_done\.json is damaged"):
        read_done(job.out)
    prepare_folder(job, overwrite=True)
    assert read_done(job.out) is None


def test_rejects_are_joined_in_the_order_of_their_parts(job: Job) -> None:
    for number in (1_000_000, 2, 10):
        (job.out / f"_rejects-{number:06d}.jsonl").write_text(f"{number}\n")
    join_rejects(job.out, job.out / "_rejects.jsonl")
    remove_rejects(job.out)
    assert (job.out / "_rejects.jsonl").read_text() == "2\n10\n1000000\n"
    assert names(job.out) == ["_rejects.jsonl"]


def test_other_files_are_found_before_anything_is_removed(job: Job) -> None:
    prepare_folder(job, overwrite=False)
    (job.out / "part-000000.csv").write_text("kept")
    (job.out / "notes.txt").write_text("")
    with pytest.raises(BulkError, match=r"notes\.txt"):
        prepare_folder(replace(job, name="vector"), overwrite=True)
    assert names(job.out) == ["_job.json", "notes.txt", "part-000000.csv"]


def test_parts_without_a_job_are_never_taken_over(job: Job) -> None:
    for name in ("part-000000.csv", "_done.json"):
        (job.out / name).write_text('{"rows": 1, "rejected": 0, "parts": 1}')
    with pytest.raises(BulkError, match=r"but no _job\.json; --overwrite starts over"):
        prepare_folder(job, overwrite=False)
    prepare_folder(job, overwrite=True)
    assert names(job.out) == ["_job.json"]


def test_a_job_that_has_written_nothing_yet_makes_room_for_another(job: Job) -> None:
    prepare_folder(job, overwrite=False)
    other = replace(job, on_bad="reject")
    assert json.loads(prepare_folder(other, overwrite=False))["on_bad"] == "reject"
