"""Who reaches a port of Dask runs programs as its user: which ports are open, and to whom."""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # which Dask brings
import pytest

from primefourier.lab.pool import train_models
from small_models import small_config

pytestmark = pytest.mark.process
PAGE = (Path(__file__).parents[1] / "docs" / "cluster.md").read_text()


def listening(pid: int) -> set[str]:
    """Return the addresses on which a process and those that it started listen."""
    root, found = psutil.Process(pid), set[str]()
    for process in [root, *root.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            ports = process.net_connections("inet")
            found |= {port.laddr.ip for port in ports if port.status == psutil.CONN_LISTEN}
    return found


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """What the page starts in the background."""
    lines = [line.removesuffix(" &") for line in re.findall(r"^\$ (dask .*)$", PAGE, re.M)]
    with (tmp_path / "log").open("ab") as log:
        programs = [
            subprocess.Popen(
                [sys.executable, "-m", *shlex.split(line)], cwd=tmp_path, stdout=log, stderr=log
            )
            for line in lines
        ]
    yield programs
    for program in reversed(programs):
        for child in psutil.Process(program.pid).children(recursive=True):
            child.kill()
        program.kill()
        program.wait()


def test_schedulers_and_workers_listen_where_the_page_says_and_nowhere_else(
    cluster: list[subprocess.Popen[bytes]],
) -> None:
    assert len(cluster) == 2
    deadline = time.monotonic() + 100
    while not all(listening(program.pid) for program in cluster):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert [listening(program.pid) for program in cluster] == [{"127.0.0.1"}, {"127.0.0.1"}]


def test_workers_of_this_machine_open_no_port() -> None:
    before = listening(psutil.Process().pid)
    training = train_models([small_config(seed=seed) for seed in range(3)], workers=2)
    next(training)
    assert listening(psutil.Process().pid) == before
    training.close()
