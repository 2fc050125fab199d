"""Write codes into a folder, one file per part, and continue after an interruption.

A part appears when it is complete, so its presence means that it need not be written again, by this
process or any other. On a Dask cluster each input file is one task.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

from primefourier._files import (
    lock_file,
    new_file,
    open_in_place,
    refuse_link,
    write_file,
    writing,
)
from primefourier.cluster import ClusterError, remote_client, usable_cores, with_version_check
from primefourier.files.job import Job, require_unchanged
from primefourier.files.reports import BadRowError, FileError, Progress, Summary, reject_lines
from primefourier.files.writers import open_writer

REJECTS_NAME = "_rejects.jsonl"
_JOB_NAME, _DONE_NAME, _LOCK_NAME = "_job.json", "_done.json", ".writer.lock"
_OURS = re.compile(
    r"_job\.json|_done\.json|_rejects(-\d{6,}-\d{6,})?\.jsonl|\.writer\.lock"
    r"|part-\d{6,}-\d{6,}\.(parquet|arrow|npy)|\.[0-9a-f]{16}\.unfinished"
)
_PACKAGES = ("numpy", "pyarrow")  # workers must have the same versions of these
_SHOWN = 100


def write_folder(
    job: Job,
    inputs: Sequence[Path],
    out: Path,
    *,
    overwrite: bool,
    scheduler: str | None,
    on_progress: Callable[[Progress], None],
) -> Summary:
    """Encode files into a folder; existing parts of the same job are not written again.

    ``on_progress`` is called at the beginning, and after each part and each file; on a cluster,
    after each file.
    """
    sizes = [one["size"] for one in job.inputs]
    total, done = Progress(), 0

    def report(more: Progress) -> Progress:
        share = (sum(sizes[:done]) + more.share * sizes[done]) / max(sum(sizes), 1)
        now = total.plus(more, share=share)
        on_progress(now)
        return now

    with _own_folder(out, job, overwrite=overwrite):
        on_progress(total)
        tasks = [(job.to_json(), str(out.absolute()), i, str(p)) for i, p in enumerate(inputs)]
        if scheduler is None:
            cores = usable_cores()
            found = (write_parts(*task, threads=cores, report=report) for task in tasks)
        else:
            found = _write_parts_on(scheduler, tasks)
        with closing(found):
            for one in found:
                total = report(one)
                done += 1
        rejects = out / REJECTS_NAME
        if total.rejected:
            with writing(rejects), new_file(rejects) as file:
                for part in sorted(out.glob("_rejects-*.jsonl")):
                    refuse_link(part)
                    with part.open("rb") as lines:
                        shutil.copyfileobj(lines, file)
        about = {"rows": total.rows, "rejected": total.rejected, "parts": total.parts}
        write_file(out / _DONE_NAME, json.dumps(about).encode() + b"\n")
    listed = rejects if total.rejected else None
    return Summary(total.rows, total.rejected, out, listed, total.parts, total.parts_before)


def write_parts(
    settings: str,
    folder: str,
    number: int,
    path: str,
    *,
    threads: int = 1,
    report: Callable[[Progress], object] = lambda _: None,
) -> Progress:
    """Encode one input file into its parts, here or on a Dask worker.

    Args:
        settings: The content of the job file in the folder.
        folder: The folder, as an absolute path.
        number: The number of the input, from 0.
        path: The input.
        threads: The number of threads that encode.
        report: Called after each part with the counts of this file, which are returned at the end.
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
                rows, codes, bad = job.encode(batch, threads)
                rejected = len(bad)
                if bad and job.on_bad == "error":
                    raise BadRowError(source, bad[0])
                if bad:  # before the part, whose presence means that nothing is missing
                    write_file(rejects, reject_lines(source, bad))
                with writing(target), new_file(target) as file:
                    with open_writer(job, target, file, schema) as write:
                        write(rows, codes)
                    _require_job(out, settings)  # another job may have taken over the folder
            more = Progress(count - rejected, rejected, 0.0, count * before, 1, int(before))
            total = total.plus(more, share=batch.share)
            report(total)
    require_unchanged(source, job.inputs[number])
    return total


def _write_parts_on(
    scheduler: str, tasks: Sequence[tuple[str, str, int, str]]
) -> Generator[Progress, None, None]:
    """Run :func:`write_parts` for each input on a Dask cluster, and yield the results in order.

    If a worker is lost, another one continues its input.
    """
    from distributed import CancelledError, KilledWorker, wait

    error, futures = None, []
    with remote_client(scheduler, packages=_PACKAGES) as client:
        run = with_version_check(write_parts, _PACKAGES)
        try:
            futures += [client.submit(run, *task, pure=False) for task in tasks]
            for future in futures:
                wait(future)
                if future.status != "finished":
                    error = future.exception() or CancelledError(future.key)
                    break
                yield future.result()
        except (CancelledError, OSError, TimeoutError, ValueError, KeyError) as lost:
            raise ClusterError(
                "the Dask scheduler went away; start it, and run the same command again, which "
                "continues the folder"
            ) from lost
        finally:
            if client.status == "running":
                client.cancel(futures, force=True)
    if isinstance(error, KilledWorker):
        raise ClusterError(
            "an input file was given up, since several workers were lost while they encoded it; "
            "give them more memory, start new ones, and run the same command again"
        )
    if isinstance(error, FileError | OSError | ClusterError | MemoryError):
        raise error
    if error is not None:
        raise ClusterError(
            f"a worker cannot encode: {type(error).__name__}: {error}; install primefourier and "
            "its extras lab and files on every machine, and run the same command again"
        )


def _require_job(folder: Path, settings: str) -> None:
    """Refuse a folder of another job, or one that exists on another machine only."""
    path = folder / _JOB_NAME
    if not path.exists() or path.read_text(encoding="utf-8") != settings:
        raise FileError(
            f"{folder} is not the folder of this job; on a cluster, choose a folder on a file "
            "system that all machines share"
        )


@contextmanager
def _own_folder(folder: Path, job: Job, *, overwrite: bool) -> Iterator[None]:
    """Make a folder that of this job, and let one process at a time write to it."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is a file; choose another name, or remove it")
    _names(folder)  # first, so that a folder with other files gets no lock file
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = open_in_place(folder / _LOCK_NAME, "ab")
    with lock:
        if not lock_file(lock):
            raise FileError(
                f"another process is writing {folder}; wait for it, stop it, or choose another "
                "place"
            )
        names = _names(folder)
        results = [name for name in names if name.startswith(("part-", "_rejects"))]
        if results and not overwrite:
            _require_same(folder, job)
        killed = [name for name in names if name.endswith(".unfinished")]
        for name in [_DONE_NAME, *killed, *(results if overwrite else ())]:
            (folder / name).unlink(missing_ok=True)
        write_file(folder / _JOB_NAME, job.to_json().encode())
        yield


def _names(folder: Path) -> list[str]:
    """Return the names in a folder, and refuse other files than those of a job."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if others := [name for name in names if not _OURS.fullmatch(name)]:
        raise FileError(
            f"{folder} holds other files, such as {others[0]!r}; choose a new or empty folder, or "
            "move them elsewhere"
        )
    return names


def _require_same(folder: Path, job: Job) -> None:
    """Refuse a folder that holds another job, and name the differences."""
    try:
        refuse_link(folder / _JOB_NAME)  # and pipes, which would never end
        found = json.loads((folder / _JOB_NAME).read_text(encoding="utf-8"))
        differences = [
            f"{name} was {_show(found.get(name))}, is {_show(value)}"
            for name, value in asdict(job).items()
            if found.get(name) != value
        ]
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise FileError(
            f"{folder / _JOB_NAME} is missing or damaged; overwrite the folder to start over, or "
            "choose another"
        ) from error
    if differences:
        raise FileError(
            f"{folder} holds another job: {'; '.join(differences)}. Choose another folder, or "
            "overwrite this one to start over"
        )


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}…{text[-1]}"
