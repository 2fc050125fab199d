"""Run ``pfe`` in this process and catch what it prints; and one folder with a real sweep."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from primefourier.cli.app import run

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")


@pytest.fixture
def pfe(capsys: pytest.CaptureFixture[str]) -> Pfe:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def smoke(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The smoke profile, run as a user runs it: its folder and what it said."""
    folder = tmp_path_factory.mktemp("smoke") / "out"
    done = subprocess.run(
        [str(PFE), "reproduce", "--profile", "smoke", "--out", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return folder, done
