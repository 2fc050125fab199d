"""Atomic writes and file locks that never write through a link.

A folder of results may come from an untrusted archive, where any name can be a link to a file
elsewhere. New content is therefore written to a new file that is then renamed; this replaces a link
and does not touch its target. A file that is changed in place must not be a link.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, Literal

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: users have to avoid two writers themselves
    fcntl = None

ENDING = ".unfinished"


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name, and is synced to disk, if the block ends without an error.

    An existing file is replaced. Several processes may write the same file; the last one wins.
    """
    hidden = path.with_name(f".{token_hex(8)}{ENDING}")
    try:
        with hidden.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        hidden.replace(path)
        sync_folder(path.parent)
    finally:
        with suppress(OSError):
            hidden.unlink(missing_ok=True)


@contextmanager
def locked_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file like :func:`new_file`, for one process at a time.

    Errors of opening and completing it are those of :func:`writing`. A killed process leaves the
    file of :func:`unfinished` behind; the next process that writes the same file replaces it.
    """
    hidden = unfinished(path)
    with writing(path):
        file = open_in_place(hidden, "r+b")
        # The previous holder of the lock may have renamed the file, which then is complete.
        if not lock_file(file) or not _is_open(hidden, file):
            file.close()
            raise OSError("another process is writing it; wait for it, stop it")
        file.truncate(0)
    try:
        yield file
        with writing(path):
            file.flush()
            os.fsync(file.fileno())
            if os.name == "nt":
                file.close()  # Windows cannot rename open files
            hidden.replace(path)
            sync_folder(path.parent)
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise
    finally:
        with suppress(OSError):  # from buffered data on a full disk
            file.close()


def unfinished(path: Path) -> Path:
    """Return the path that :func:`locked_file` writes to until the file is complete."""
    return path.with_name(f".{path.name}{ENDING}")


def _is_open(path: Path, file: BinaryIO) -> bool:
    return path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())


def write_file(path: Path, content: bytes | Callable[[BinaryIO], object]) -> None:
    """Write a file atomically: completely, or not at all.

    Args:
        path: The path; an existing file is replaced.
        content: The content, or a function that writes it to an open file.

    Raises:
        OSError: If the file cannot be written; the message names it.
    """
    with writing(path), new_file(path) as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            content(file)


class _WriteError(OSError):
    pass


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert system errors into an OSError that names the file or folder and what to do."""
    try:
        yield
    except _WriteError:
        raise  # it already names the file
    except OSError as error:
        raise _WriteError(
            f"{path} cannot be written: {error.strerror or error}; choose another place"
        ) from error


def open_in_place(path: Path, mode: Literal["ab", "r+b"]) -> BinaryIO:
    """Open a file to change it; create it if it does not exist.

    Raises:
        OSError: If the file is a link or cannot be opened.
    """
    refuse_link(path)
    flags = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return open(path, mode, opener=lambda name, given: os.open(name, given | flags, 0o666))


def refuse_link(path: Path) -> None:
    """Raise OSError if a path is a symbolic link, a hard link, or not a regular file."""
    with suppress(FileNotFoundError):
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise OSError(
                f"{path} is a link or not a regular file and is not changed; replace it by a copy, "
                "or remove it"
            )


def lock_file(file: BinaryIO, *, shared: bool = False) -> bool:
    """Lock an open file for this process; return False if another process holds the lock.

    The lock ends when the file is closed or the process ends.
    """
    if fcntl is not None:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk, where the system supports it, so that new names survive a crash."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
