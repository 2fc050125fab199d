"""Write codes into a folder, one file for each part, so that a run can be stopped and continued."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

from primefourier.bulk.batch import Batch
from primefourier.bulk.each import Each
from primefourier.bulk.errors import BadRowError, BulkError, writing
from primefourier.bulk.job import Job
from primefourier.bulk.job_files import (
    DONE_NAME,
    LOCK_NAME,
    join_rejects,
    prepare_folder,
    read_done,
    refuse_others,
    remove_rejects,
    require_same_job,
)
from primefourier.bulk.part import PartWriter, part_path, rejects_path
from primefourier.bulk.source import Source
from primefourier.bulk.summary import Progress, Summary
from primefourier.bulk.unfinished import require_alone, write_whole


def write_folder(
    job: Job,
    source: Source,
    *,
    each: Each,
    overwrite: bool,
    watch: Callable[[Progress], None],
) -> Summary:
    """Encode the input of a job into a folder; parts that are there already are left alone.

    Args:
        job: What to encode, and where to.
        source: The job's input, opened.
        each: Works on the batches, here or on a cluster.
        overwrite: Whether the files of another job in the folder are removed first.
        watch: Called at the beginning and after each part.

    Returns:
        How it ended.

    Raises:
        BadRowError: At the first bad row, unless they are to be left out; finished parts stay.
        BulkError: If input or output cannot be used.
    """
    with _locked(job.out):
        settings = prepare_folder(job, overwrite=overwrite)
        if (finished := finished_before(job)) is not None:
            remove_rejects(job.out)
            return finished
        with writing(job.out):
            (job.out / DONE_NAME).unlink(missing_ok=True)
        tally = _Tally(watch)
        write = PartWriter(job, job.out.absolute(), source.schema, settings)
        with closing(source.batches(job.rows)) as batches:
            for part in each(write, _missing(job, batches, tally)):
                if part.bad is not None:
                    raise BadRowError(job.source, part.bad)
                tally.count(part.rows, part.rejected, part.share)
        job.require_unchanged()
        return _finish(job, tally)


def finished_before(job: Job) -> Summary | None:
    """Return how the job ended if its folder says that it is done, else None.

    Raises:
        BulkError: If the folder is done, but with another job.
    """
    done = read_done(job.out)
    if done is None:
        return None
    require_same_job(job)
    if not all(part_path(job.out, number, job.format).exists() for number in range(done["parts"])):
        return None  # some parts were removed; they are made again
    return Summary(
        rows=done["rows"],
        rejected=done["rejected"],
        out=job.out,
        rejects=job.rejects if done["rejected"] else None,
        parts=done["parts"],
        parts_before=done["parts"],
    )


class _Tally:
    """Counts rows and parts, and tells how far it is."""

    def __init__(self, watch: Callable[[Progress], None]) -> None:
        self._watch = watch
        self.progress = Progress()
        self.parts = self.parts_before = 0
        watch(self.progress)

    def count(self, rows: int, rejected: int, share: float, *, before: bool = False) -> None:
        self.parts += 1
        self.parts_before += before
        share = max(share, self.progress.share)
        self.progress = self.progress.after(
            rows=rows, rejected=rejected, share=share, before=(rows + rejected) * before
        )
        self._watch(self.progress)


def _missing(job: Job, batches: Iterator[Batch], tally: _Tally) -> Iterator[Batch]:
    """Yield the batches whose parts are not there yet, and count the others."""
    for batch in batches:
        if part_path(job.out, batch.number, job.format).exists():
            path = rejects_path(job.out, batch.number)
            rejected = path.read_bytes().count(b"\n") if path.exists() else 0
            tally.count(batch.count - rejected, rejected, batch.share, before=True)
        else:
            yield batch


def _finish(job: Job, tally: _Tally) -> Summary:
    progress = tally.progress
    if job.rejects is not None and progress.rejected:
        join_rejects(job.out, job.rejects)
    about = {"rows": progress.rows, "rejected": progress.rejected, "parts": tally.parts}
    text = json.dumps(about).encode() + b"\n"

    def fill(file: BinaryIO) -> None:
        file.write(text)

    write_whole(job.out / DONE_NAME, fill)
    remove_rejects(job.out)
    return Summary(
        rows=progress.rows,
        rejected=progress.rejected,
        out=job.out,
        rejects=job.rejects if progress.rejected else None,
        parts=tally.parts,
        parts_before=tally.parts_before,
    )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Make the folder, and make sure that one process at a time writes to it."""
    with writing(folder):
        if folder.exists() and not folder.is_dir():
            raise BulkError(f"{folder} is a file; give --out another name, or remove it")
        refuse_others(folder)
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK_NAME).open("ab")
    with lock:
        require_alone(lock, folder)
        yield
