"""A disk so small that it fills up."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 400 kB, where the system lets us mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        words = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)]
        mounted = subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small disk needs rights")
    yield place
    subprocess.run(["umount", str(place)], check=True)
