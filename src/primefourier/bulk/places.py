"""Where a job may write: checked before any work is done for it."""

from __future__ import annotations

import os
from pathlib import Path

from primefourier.bulk.errors import BulkError
from primefourier.bulk.job import Job
from primefourier.bulk.job_files import REJECTS_NAME
from primefourier.bulk.part import JOB_NAME


def check_places(job: Job, *, overwrite: bool) -> None:
    """Refuse places to write to that are missing, in use for something else, or full already.

    Args:
        job: What is to be encoded, and where to.
        overwrite: Whether existing output is replaced.

    Raises:
        BulkError: If output or rejects cannot go where they should.
    """
    for place in filter(None, (job.out, job.rejects)):
        if _is_same(job.source, place):
            raise BulkError(f"the output must be another file than the input, got {place} for both")
        created = job.folder and place in (job.out, job.out / REJECTS_NAME)
        if not created and not place.parent.is_dir():
            raise BulkError(f"there is no folder {str(place.parent)!r}; create it first")
    if job.rejects is not None:
        _check_rejects(job, job.rejects)
    if overwrite or (job.folder and (job.out / JOB_NAME).exists()):
        return  # what is there may be of this job; the folder itself tells
    for place in filter(None, (None if job.folder else job.out, job.rejects)):
        if place.exists():
            raise BulkError(f"{place} exists already; --overwrite replaces it")


def _check_rejects(job: Job, rejects: Path) -> None:
    if _is_same(job.out, rejects):
        raise BulkError(f"--out and --rejects must be different files, got {job.out} for both")
    if job.folder and rejects.name != REJECTS_NAME and _is_same(job.out, rejects.parent):
        raise BulkError(
            f"--rejects must be a file outside the folder {job.out}, got {rejects}; without it, "
            f"rejected rows are listed in {REJECTS_NAME} there"
        )


def _is_same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.abspath(one) == os.path.abspath(other)  # noqa: PTH100
