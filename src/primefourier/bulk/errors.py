"""What goes wrong when a file is encoded, each told in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from primefourier.bulk.batch import BadRow


class BulkError(ValueError):
    """A file that cannot be encoded, or a place that cannot be written to."""


class BadRowError(BulkError):
    """A row that holds no integer to encode.

    Args:
        file: The input.
        bad: Which row it is, its value, and why it cannot be encoded.

    >>> print(BadRowError(Path("in.csv"), BadRow(row=3, line=4, value="x", reason="is no integer")))
    in.csv, row 3 (line 4): 'x' is no integer; correct it, or leave such rows out with
    --on-bad reject
    """

    def __init__(self, file: Path, bad: BadRow) -> None:
        self.file = file
        self.bad = bad
        super().__init__(
            f"{file}, {bad.describe()}; correct it, or leave such rows out with --on-bad reject"
        )

    def __reduce__(self) -> tuple[type[BadRowError], tuple[Path, BadRow]]:
        return (type(self), (self.file, self.bad))


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Tell what goes wrong while a file is read as an error that names the file.

    Args:
        path: The input.
        kind: What the file should be, such as "a Parquet file".

    Raises:
        BulkError: If the file is damaged or of another kind.
        OSError: If the system refuses to read it.

    >>> with reading(Path("in.parquet"), "a Parquet file"):
    ...     raise pa.ArrowInvalid("magic bytes not found")
    Traceback (most recent call last):
    primefourier.bulk.errors.BulkError: in.parquet cannot be read as a Parquet file: magic bytes not
    found
    """
    try:
        yield
    except BulkError:
        raise
    except (pa.ArrowException, ValueError, EOFError, MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's own words, such as "Permission denied", name the file
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise BulkError(f"{path} cannot be read as {kind}: {reason[0]}") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell what goes wrong while a file is written as an error that says what to do.

    Raises:
        BulkError: If the system refuses, for example because the disk is full.

    >>> import errno
    >>> with writing(Path("out.npy")):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    primefourier.bulk.errors.BulkError: out.npy cannot be written: No space left on device; make
    room or choose another --out, and run the command again
    """
    try:
        yield
    except BulkError:
        raise
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BulkError(
            f"{path} cannot be written: {reason}; make room or choose another --out, and run the "
            "command again"
        ) from error
