"""Read the lines of a text file, however long somebody made them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

LONGEST = 16 << 20
"""The longest line, in bytes, that is read: memory must not depend on the input."""

TOO_LONG = f"is longer than {LONGEST >> 20} MiB"

_MARK = b"\xef\xbb\xbf"  # what some programs begin UTF-8 files with


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    r"""Yield the lines with their ends; one beyond LONGEST comes cut to one byte more than that.

    Only \n ends a line. A byte order mark at the beginning of the file is left out.

    Args:
        file: Opened for reading bytes.

    Returns:
        Every line in turn.

    >>> from io import BytesIO
    >>> list(read_lines(BytesIO(b"\xef\xbb\xbfa\r\nb")))
    [b'a\r\n', b'b']
    """
    first = True
    while line := file.readline(LONGEST + 1):
        if len(line) > LONGEST:
            _skip_rest(file, line)
        yield line.removeprefix(_MARK) if first else line
        first = False


def _skip_rest(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(1 << 20)
