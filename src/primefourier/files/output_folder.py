"""Write codes into a folder, one file per part, and continue after an interruption.

A part appears when it is complete, so its presence means that it need not be written again, by this
process or any other.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from reprlib import repr as shortened

from primefourier._checks import usable_cores
from primefourier._files import (
    lock_file,
    new_file,
    open_in_place,
    refuse_link,
    write_file,
    writing,
)
from primefourier.files.job import Job, require_unchanged
from primefourier.files.reports import FileError, Progress, Summary, reject_lines
from primefourier.files.writers import open_writer

REJECTS_NAME = "_rejects.jsonl"
_JOB_NAME, _DONE_NAME, _LOCK_NAME = "_job.json", "_done.json", ".writer.lock"


def write_folder(
    job: Job,
    inputs: Sequence[Path],
    out: Path,
    *,
    overwrite: bool,
    on_progress: Callable[[Progress], None],
) -> Summary:
    """Encode files into a folder; existing parts of the same job are not written again.

    ``on_progress`` is called at the beginning, and after each part and each file.
    """
    total, done = Progress(), 0

    def report(more: Progress) -> Progress:
        now = total.plus(more, share=(done + more.share) / len(inputs))
        on_progress(now)
        return now

    with _own_folder(out, job, overwrite=overwrite):
        on_progress(total)
        tasks = [(job.to_json(), str(out.absolute()), i, str(p)) for i, p in enumerate(inputs)]
        for task in tasks:
            total = report(write_parts(*task, threads=usable_cores(), report=report))
            done += 1
        rejects = out / REJECTS_NAME if total.rejected else None
        if rejects is not None:
            with writing(rejects), new_file(rejects) as file:
                for part in sorted(out.glob("_rejects-*.jsonl")):
                    refuse_link(part)
                    with part.open("rb") as lines:
                        shutil.copyfileobj(lines, file)
        about = {"rows": total.rows, "rejected": total.rejected, "parts": total.parts}
        write_file(out / _DONE_NAME, json.dumps(about).encode() + b"\n")
    return Summary(total.rows, total.rejected, out, rejects, total.parts, total.parts_before)


def write_parts(
    settings: str,
    folder: str,
    number: int,
    path: str,
    *,
    threads: int = 1,
    report: Callable[[Progress], object] = lambda _: None,
) -> Progress:
    """Encode the input file of a number into its parts.

    ``settings`` is the content of the job file in the folder. ``report`` is called after each part
    with the counts of this file, which are returned at the end.
    """
    job, out, source = Job(**json.loads(settings)), Path(folder), Path(path)
    _require_job(out, settings)
    require_unchanged(source, job.inputs[number])
    (schema, batches), total = job.open(source), Progress()
    with closing(batches):
        for part, batch in enumerate(batches):
            target = out / f"part-{number:06d}-{part:06d}.{job.format}"
            rejects = out / f"_rejects-{number:06d}-{part:06d}.jsonl"
            count = batch.rows.num_rows
            if before := target.exists():
                rejected = rejects.read_bytes().count(b"\n") if rejects.exists() else 0
            else:
                rows, codes, bad = job.encode(source, batch, threads)
                rejected = len(bad)
                if bad:  # before the part, whose presence means that nothing is missing
                    write_file(rejects, reject_lines(source, bad))
                with writing(target), new_file(target) as file:
                    with open_writer(job, file, schema) as write:
                        write(rows, codes)
                    _require_job(out, settings)  # another job may have taken over the folder
            more = Progress(count - rejected, rejected, 0.0, count * before, 1, int(before))
            total = total.plus(more, share=batch.share)
            report(total)
    require_unchanged(source, job.inputs[number])
    return total


def _require_job(folder: Path, settings: str) -> None:
    """Refuse a folder of another job."""
    path = folder / _JOB_NAME
    if not path.exists() or path.read_text(encoding="utf-8") != settings:
        raise FileError(f"{folder} is not the folder of this job; choose another folder")


@contextmanager
def _own_folder(folder: Path, job: Job, *, overwrite: bool) -> Iterator[None]:
    """Make a folder that of this job, and let one process at a time write to it."""
    path = folder / _JOB_NAME
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        others = [found for found in folder.iterdir() if found.name != _LOCK_NAME]
        if others and not path.is_file():
            raise FileError(f"{folder} holds other files; choose a new or empty folder")
        lock = open_in_place(folder / _LOCK_NAME, "ab")
    with lock:
        if not lock_file(lock):
            raise FileError(
                f"another process is writing {folder}; wait for it, stop it, or choose another "
                "place"
            )
        results = [*folder.glob("part-[0-9]*"), *folder.glob("_rejects*.jsonl")]
        if results and not overwrite:
            _require_same(path, job)
        for old in [folder / _DONE_NAME, *folder.glob(".*.unfinished"), *results * overwrite]:
            old.unlink(missing_ok=True)
        write_file(path, job.to_json().encode())
        yield


def _require_same(path: Path, job: Job) -> None:
    """Refuse the job file of another job, and name the differences."""
    try:
        refuse_link(path)
        found = json.loads(path.read_text(encoding="utf-8"))
        differences = [
            f"{name} was {shortened(found.get(name))}, is {shortened(value)}"
            for name, value in asdict(job).items()
            if found.get(name) != value
        ]
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise FileError(
            f"{path} is damaged; overwrite the folder to start over, or choose another"
        ) from error
    if differences:
        raise FileError(
            f"{path.parent} holds another job: {'; '.join(differences)}. Choose another folder, or "
            "overwrite this one to start over"
        )
