"""What a release holds."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDED = (
    *("Makefile", "constraints.txt", "pyproject.toml", "ARCHITECTURE.md", "LICENSE"),
    *("src/primefourier/__main__.py", "tests/conftest.py", "docs/security.md", "chaos/fuzz.py"),
    *("benchmarks/__main__.py", "studies/two_blocks.py", "results/paper/records.sqlite"),
)


@pytest.mark.process
def test_a_source_release_can_be_installed_tested_and_reproduced(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (release,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(release) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert [name for name in NEEDED if name not in names] == []
    assert not any(name.startswith((".venv", ".git/", "results/quick")) for name in names)
