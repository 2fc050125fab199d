import subprocess
import sys

import pytest

import primefourier


@pytest.mark.process
def test_python_m_primefourier_is_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "primefourier", "plan", "21"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == primefourier.plan(21, primefourier.PAPER_BASIS).explain() + "\n"
