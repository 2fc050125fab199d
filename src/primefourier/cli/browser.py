"""What ``pfe report`` and ``pfe explore`` share: a page's file, and the browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from secrets import token_hex

from primefourier.cli.output import visible

ENDINGS = (".html", ".htm")


def write_page(page: str, path: Path) -> int:
    """Write a page, whole or not at all, and return its size in bytes."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it, such as page.html")
    content = page.encode()
    path = path.resolve()  # a link stays one, to the new page
    unfinished = path.with_name(f".{path.name}.{token_hex(4)}.unfinished")  # two may write at once
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        raise OSError(
            f"{path} cannot be written: {error.strerror}; choose another place with --out"
        ) from error
    finally:
        _remove(unfinished)
    return len(content)


def show_page(path: Path) -> None:
    """Open a page in the user's browser; where there is none, say which file to open."""
    address = path.resolve().as_uri()
    try:
        opened = webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    if not opened:
        text = f"No browser could be opened here; open this file in one: {path.resolve()}"
        sys.stderr.write(visible(text) + "\n")


def write_size(size: int) -> str:
    """Write a number of bytes.

    >>> write_size(1_230_000), write_size(45_600)
    ('1.2 MB', '46 kB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _remove(unfinished: Path) -> None:
    """Leave no half file; where nothing can be written, nothing was."""
    try:
        unfinished.unlink(missing_ok=True)
    except OSError:
        return
