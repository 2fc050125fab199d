"""Runs ``pfe`` with small batches and a pause after each, so that tests can interrupt it."""

import os
import subprocess
import sys
import time
from pathlib import Path

from primefourier.cli.app import run
from primefourier.cli.output import ProgressBar
from primefourier.files import Progress, file_encoding

ROWS = 10


def command(source: Path, out: Path, *more: str) -> list[str]:
    """Return the arguments that encode column n of a file with a small basis."""
    column = [] if source.suffix == ".npy" else ["--column", "n"]
    basis = ["--primes", "3,5", "--depth", "2"]
    return ["encode-file", str(source), *column, "--out", str(out), *basis, *more]


def start(*arguments: str, pause: float = 0.1) -> subprocess.Popen[str]:
    """Start ``pfe`` in a process of its own; it prints the rows done after each batch."""
    return subprocess.Popen(
        [sys.executable, __file__, str(pause), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def wait_for_rows(process: subprocess.Popen[str], rows: int) -> None:
    """Wait until so many rows are done."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == f"rows {rows}":
            return
    raise AssertionError("it ended before")


def main() -> None:
    """Run the command that the arguments name."""
    pause = float(sys.argv[1])

    def show(_: object, progress: Progress) -> None:
        sys.stdout.write(f"rows {progress.rows}\n")
        sys.stdout.flush()
        time.sleep(pause)

    file_encoding._BATCH_ROWS = ROWS
    ProgressBar.show_rows = show  # type: ignore[method-assign,assignment]
    sys.exit(run(sys.argv[2:]))


if __name__ == "__main__":
    main()
