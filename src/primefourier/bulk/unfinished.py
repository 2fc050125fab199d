"""Files that appear under their names only when they are whole, and on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from primefourier.bulk.errors import BulkError, writing

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: there two writers have to be avoided by the user
    fcntl = None

ENDING = ".unfinished"


class Unfinished:
    """A file on its way: written under a hidden name beside its own, one process at a time.

    Use it as a context manager and call ``finish`` when all is written. Without that nothing is
    left behind; a killed process leaves the hidden file, which the next one throws away.

    Args:
        path: What the file will be called.

    Raises:
        BulkError: If another process is writing it, or the place cannot be written to.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with Unfinished(Path(folder, "a.txt")) as unfinished:
    ...         _ = unfinished.file.write(b"whole")
    ...         unfinished.finish()
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('a.txt', 'whole')]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hidden = path.with_name(f".{path.name}{ENDING}")
        self._finished = False
        self.earlier = False
        """Whether an earlier run left its unfinished file here."""

    def __enter__(self) -> Unfinished:
        with writing(self.path):
            self.earlier = self._hidden.exists()
            self._hidden.touch()
            self.file: BinaryIO = self._hidden.open("r+b")
            try:
                require_alone(self.file, self.path)
                # Whoever had the lock a moment ago may have given the file its name by now.
                if not _is_same(self.file, self._hidden):
                    raise BulkError(f"{self.path} was written by another process just now")
                self.file.truncate(0)
            except BaseException:
                self.file.close()
                raise
        return self

    def finish(self) -> None:
        """Make sure that the file is on disk, and give it its name."""
        with writing(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())
            if fcntl is None:
                self.file.close()  # Windows renames no open files
            self._hidden.replace(self.path)
            _sync_folder(self.path.parent)
        self._finished = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._finished:
            self._hidden.unlink(missing_ok=True)
        with suppress(OSError):  # what was left to write, on a full disk
            self.file.close()


def write_whole(path: Path, fill: Callable[[BinaryIO], None]) -> None:
    """Write a file, whole or not at all; several processes may write the same one.

    Args:
        path: What the file is called; an existing one is replaced.
        fill: Writes the content to an open file.

    Raises:
        BulkError: If it cannot be written.
    """
    hidden = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}{ENDING}")
    try:
        with writing(path):
            with hidden.open("wb") as file:
                fill(file)
                file.flush()
                os.fsync(file.fileno())
            hidden.replace(path)
            _sync_folder(path.parent)
    finally:
        hidden.unlink(missing_ok=True)


def require_alone(file: BinaryIO, path: Path) -> None:
    """Lock a file for this process until it is closed; the system ends the lock with the process.

    Raises:
        BulkError: If another process has it.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BulkError(
            f"another process is writing {path}; wait for it, stop it, or choose another --out"
        ) from None


def _is_same(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sync_folder(folder: Path) -> None:
    """Make a new name survive a loss of power, where the system lets folders be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
