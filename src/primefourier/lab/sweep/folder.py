"""The output folder of a sweep: whose it is, and who is writing to it."""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: there two writers have to be avoided by the user
    fcntl = None

STORE_NAME = "records.sqlite"
JOURNAL_NAME = "records.journal"
_LOCK_NAME = "writer.lock"


class FolderError(ValueError):
    """An output folder that cannot be used."""


def prepare_folder(folder: Path) -> None:
    """Create an output folder, or make sure that an existing one is empty or holds a sweep."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    except OSError as error:
        raise FolderError(
            f"{folder} cannot be used as output folder: {error.strerror}; choose another with --out"
        ) from error
    if names - {_LOCK_NAME} and not names & {STORE_NAME, JOURNAL_NAME}:
        raise FolderError(
            f"{folder} holds other files, such as {min(names - {_LOCK_NAME})!r}, but no sweep; "
            "choose a new or empty folder with --out"
        )


def require_sweep(folder: Path) -> Path:
    """Return the path of a folder's store, or say what is missing."""
    path = folder / STORE_NAME
    if not folder.is_dir():
        raise FolderError(f"there is no folder {str(folder)!r}; pfe run creates one")
    if not path.is_file() and (folder / JOURNAL_NAME).is_file():
        raise FolderError(
            f"{folder} has lost its {STORE_NAME}; pfe repair {folder} restores it from "
            f"{JOURNAL_NAME}"
        )
    if not path.is_file():
        raise FolderError(
            f"{folder} holds no sweep: there is no {STORE_NAME} in it; give the folder that was "
            "--out of pfe run or pfe reproduce"
        )
    return path


class WriterLock:
    """Makes sure that one process at a time writes to a folder; it ends with the process.

    Use it as a context manager. The system releases the lock even if the process is killed.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _LOCK_NAME
        self._file: IO[str] | None = None

    def __enter__(self) -> WriterLock:
        try:
            self._file = self._path.open("a+")
        except OSError as error:
            raise FolderError(
                f"{self._path.parent} cannot be written to: {error.strerror}; choose another "
                "folder with --out, or change its permissions"
            ) from error
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._file.close()
                folder = self._path.parent
                raise FolderError(
                    f"{folder} is being written to by {_tell(current_writer(folder))}; wait for "
                    "it, stop it, or choose another folder with --out"
                ) from None
        writer = {
            "process": os.getpid(),
            "host": platform.node(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        try:
            self._file.truncate(0)
            self._file.write(json.dumps(writer))
            self._file.flush()
        except OSError as error:
            with suppress(OSError):
                self._file.close()
            raise FolderError(
                f"{self._path.parent} cannot be written to: {error.strerror}; make room, or choose "
                "another folder with --out"
            ) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._file is not None
        self._file.close()


def current_writer(folder: Path) -> dict[str, Any] | None:
    """Return process, host and starting time of whoever is writing to a folder now, or None."""
    if fcntl is None:
        return None
    try:
        with (folder / _LOCK_NAME).open("r") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read()
                return dict(json.loads(text)) if text else {}
    except OSError:
        pass
    return None


def _tell(writer: dict[str, Any] | None) -> str:
    if not writer:
        return "another process"
    return f"process {writer['process']} on {writer['host']} since {writer['since']}"
