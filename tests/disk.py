"""A real file system that is small enough to be filled."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def small_disk(place: Path, size: str = "400k") -> Iterator[Path]:
    """Mount a small disk at a folder.

    Raises:
        PermissionError: Where the system does not let us mount.
    """
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        raise PermissionError("mounting a small disk needs rights")
    try:
        yield place
    finally:
        # lazily, since something else may be looking at it
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte; return the file that does so."""
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1024))
    return filler
