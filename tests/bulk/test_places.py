from dataclasses import replace
from pathlib import Path

import pytest

from bulk_files import BASIS, write_input
from primefourier.bulk import BulkError
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.job import Job
from primefourier.bulk.places import check_places


@pytest.fixture
def job(tmp_path: Path) -> Job:
    source, recipe = write_input(tmp_path / "in.csv", [1]), Recipe(BASIS, "float32")
    rejects = tmp_path / "bad.jsonl"
    return Job(
        source, "n", tmp_path / "out.csv", False, "csv", "code", recipe, "reject", rejects, {}
    )


def test_new_names_in_folders_that_are_there_may_be_written(job: Job, tmp_path: Path) -> None:
    check_places(job, overwrite=False)
    folder = replace(job, out=tmp_path / "a" / "b", folder=True)
    check_places(folder, overwrite=False)
    check_places(replace(folder, rejects=folder.out / "_rejects.jsonl"), overwrite=False)


def test_the_input_is_never_written_over_by_whatever_name(job: Job, tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(job.source)
    (tmp_path / "hard.csv").hardlink_to(job.source)
    for name in ("in.csv", "link.csv", "hard.csv", "no/../in.csv"):
        for changed in (replace(job, out=tmp_path / name), replace(job, rejects=tmp_path / name)):
            with pytest.raises(BulkError, match="must be another file than the input"):
                check_places(changed, overwrite=True)


def test_existing_files_are_replaced_only_when_asked(job: Job, tmp_path: Path) -> None:
    for name in ("out.csv", "bad.jsonl"):
        (tmp_path / name).touch()
        with pytest.raises(BulkError, match=f"{name} exists already; --overwrite replaces it"):
            check_places(job, overwrite=False)
        check_places(job, overwrite=True)
        (tmp_path / name).unlink()


def test_a_folder_that_is_continued_may_have_its_rejects(job: Job, tmp_path: Path) -> None:
    folder = replace(job, out=tmp_path / "codes", folder=True)
    folder.out.mkdir()
    (tmp_path / "bad.jsonl").touch()
    with pytest.raises(BulkError, match="exists already"):
        check_places(folder, overwrite=False)
    (folder.out / "_job.json").touch()
    check_places(folder, overwrite=False)
    with pytest.raises(BulkError, match="must be a file outside the folder"):
        check_places(replace(folder, rejects=folder.out / "bad.jsonl"), overwrite=False)


def test_both_outputs_need_a_folder_and_names_of_their_own(job: Job, tmp_path: Path) -> None:
    with pytest.raises(BulkError, match="there is no folder"):
        check_places(replace(job, out=tmp_path / "no" / "out.csv"), overwrite=False)
    with pytest.raises(BulkError, match="there is no folder"):
        check_places(replace(job, rejects=tmp_path / "no" / "bad.jsonl"), overwrite=False)
    with pytest.raises(BulkError, match="must be different files"):
        check_places(replace(job, rejects=job.out), overwrite=False)
