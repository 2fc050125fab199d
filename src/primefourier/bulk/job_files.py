"""What a folder of codes says about itself: whose job it is, and whether it is done."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import BinaryIO

from primefourier.bulk.errors import BulkError, writing
from primefourier.bulk.job import Job
from primefourier.bulk.part import JOB_NAME
from primefourier.bulk.unfinished import ENDING, write_whole

DONE_NAME = "_done.json"
REJECTS_NAME = "_rejects.jsonl"
LOCK_NAME = ".writer.lock"

_SHOWN = 100
_OURS = re.compile(
    r"_job\.json|_done\.json|_rejects(-\d{6,})?\.jsonl|part-\d{6,}\.(parquet|csv|tsv|jsonl|npy)"
)


def prepare_folder(job: Job, *, overwrite: bool) -> str:
    """Make the folder that of this job, or make sure that it is already.

    Args:
        job: What is to be encoded.
        overwrite: Whether the files of another job are removed.

    Returns:
        What ``_job.json`` holds.

    Raises:
        BulkError: If the folder holds something else: another job, or other files.
    """
    folder = job.out
    wanted = json.dumps(job.settings(), indent=2) + "\n"
    names = refuse_others(folder)
    begun = [name for name in names if name not in (JOB_NAME, LOCK_NAME)]
    with writing(folder):
        for name in [name for name in names if _is_hidden(name)]:  # of runs that were killed
            (folder / name).unlink(missing_ok=True)
        if overwrite:
            _clear(folder, names)
        elif JOB_NAME in names and begun:
            require_same_job(job)
            return (folder / JOB_NAME).read_text(encoding="utf-8")
        elif begun:
            raise BulkError(
                f"{folder} holds parts of a job, but no {JOB_NAME}; --overwrite starts over, or "
                "choose another folder"
            )

    def fill(file: BinaryIO) -> None:
        file.write(wanted.encode())

    write_whole(folder / JOB_NAME, fill)
    return wanted


def refuse_others(folder: Path) -> list[str]:
    """Return the names in a folder, if all are those of a job of ours.

    Raises:
        BulkError: If it holds other files.
    """
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    known = [name for name in names if _OURS.fullmatch(name) or name == LOCK_NAME]
    others = [name for name in names if name not in known and not _is_hidden(name)]
    if others and JOB_NAME in names:
        raise BulkError(
            f"{folder} holds a file that is not of this job, {others[0]!r}; move it elsewhere"
        )
    if others:
        raise BulkError(
            f"{folder} holds other files, such as {others[0]!r}, but no job of pfe encode-file; "
            "choose a new or empty folder with --out"
        )
    return names


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name.endswith(ENDING)


def _clear(folder: Path, names: list[str]) -> None:
    """Remove a job: first that it is done, last whose it is, so that no part becomes another's."""
    order = {DONE_NAME: 0, JOB_NAME: 2}
    for name in sorted(names, key=lambda name: order.get(name, 1)):
        if _OURS.fullmatch(name):
            (folder / name).unlink(missing_ok=True)


def require_same_job(job: Job) -> None:
    """Refuse a folder that says it is another job's.

    Raises:
        BulkError: With what differs.
    """
    folder, wanted = job.out, job.settings()
    try:
        found = json.loads((folder / JOB_NAME).read_text(encoding="utf-8"))
        differences = [
            f"{name} was {_show(found.get(name))}, is {_show(value)}"
            for name, value in wanted.items()
            if found.get(name) != value
        ]
    except (OSError, ValueError, AttributeError) as error:
        raise BulkError(
            f"{folder / JOB_NAME} is missing or damaged; --overwrite starts over, or choose "
            "another folder"
        ) from error
    if differences:
        raise BulkError(
            f"{folder} holds another job: {'; '.join(differences)}. Choose another folder with "
            "--out, or start over with --overwrite"
        )


def read_done(folder: Path) -> dict[str, int] | None:
    """Return the counts of a job that is done, or None."""
    path = folder / DONE_NAME
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {name: int(found[name]) for name in ("rows", "rejected", "parts")}
    except (ValueError, KeyError, TypeError) as error:
        raise BulkError(f"{path} is damaged; --overwrite starts over") from error


def join_rejects(folder: Path, path: Path) -> None:
    """Join the bad rows of all parts, in order, into one file."""

    def fill(file: BinaryIO) -> None:
        for part in _part_rejects(folder):
            with part.open("rb") as lines:
                shutil.copyfileobj(lines, file)

    write_whole(path, fill)


def remove_rejects(folder: Path) -> None:
    """Remove the bad rows of single parts, once they are joined and the job is done."""
    for path in _part_rejects(folder):
        path.unlink(missing_ok=True)


def _part_rejects(folder: Path) -> list[Path]:
    found = folder.glob("_rejects-*.jsonl")
    return sorted(found, key=lambda path: int(path.stem.removeprefix("_rejects-")))


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}…{text[-1]}"
