"""Whoever reaches a Dask port runs programs as its user: what docs/cluster.md starts is started."""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # which Dask brings
import pytest
import yaml  # type: ignore[import-untyped]
from chaos.dask_cluster import DaskCluster
from chaos.driver import Driver
from chaos.sweep import Sweep
from distributed import Client

from primefourier.cluster import remote_client, scheduler_address

pytestmark = pytest.mark.process

PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PROGRAMS = ("dask scheduler", "dask worker")


def listening(*pids: int) -> set[str]:
    """Return the addresses on which processes and their children listen."""
    roots = [psutil.Process(pid) for pid in pids]
    found = {c.laddr.ip for root in roots for c in _open_ports(root)}
    for child in (child for root in roots for child in root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # Dask starts short-lived children; roots must live
            found |= {c.laddr.ip for c in _open_ports(child)}
    return found


def _open_ports(process: psutil.Process) -> list[Any]:
    return [c for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]


@contextmanager
def started(command: str, folder: Path, **variables: str) -> Iterator[int]:
    """Run a command of a shell in a folder; it ends, with its children, when this does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with (folder / "dask.log").open("ab") as log:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=folder,
            stdout=log,
            stderr=log,
            env={**os.environ, **variables, "PATH": path},
        )
    try:
        yield process.pid
    finally:
        family = [*psutil.Process(process.pid).children(recursive=True), process]
        for member in family:
            with suppress(psutil.NoSuchProcess):  # it ended meanwhile
                member.kill()
        process.wait()


def words(language: str, program: str) -> str:
    """Return the one line of the page's blocks in a language that starts a program."""
    text = "\n".join(body for kind, body in BLOCKS if kind == language).replace("\\\n", "")
    (line,) = (line for line in text.splitlines() if program in line)
    return line[line.index(program) :].strip().removesuffix("&")


def in_pods(address: str) -> list[str]:
    """Return the commands of the pods, as if one machine were all of them."""
    (body,) = (body for kind, body in BLOCKS if kind == "yaml" and "kind: Deployment" in body)
    parts: list[Any] = [part for part in yaml.safe_load_all(body) if part["kind"] == "Deployment"]
    containers = [part["spec"]["template"]["spec"]["containers"][0] for part in parts]
    commands = [shlex.join(container["command"]) for container in containers]
    host, _, port = address.partition(":")
    return [
        command.replace("'$(POD_IP)'", host).replace("pfe-scheduler", host).replace("8786", port)
        for command in commands
    ]


@pytest.mark.parametrize("where", ["console", "bash", "pods"])
def test_schedulers_and_workers_listen_where_the_page_says_and_nowhere_else(
    where: str, tmp_path: Path
) -> None:
    address = f"127.0.0.1:{free_port()}"
    commands = in_pods(address) if where == "pods" else [words(where, name) for name in PROGRAMS]
    file = tmp_path / "scheduler.json"
    variables = {"network": "lo", "file": str(file)}
    with ExitStack() as stack:
        pids = [stack.enter_context(started(line, tmp_path, **variables)) for line in commands]
        where_it_is = address if where == "pods" else scheduler_address(str(file))
        client = stack.enter_context(Client(where_it_is, timeout=60))
        client.wait_for_workers(2 if where == "console" else 1, timeout=60)
        assert [listening(pid) for pid in pids] == [{"127.0.0.1"}, {"127.0.0.1"}]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_cluster_of_a_batch_system_listens_where_the_page_says_and_nowhere_else() -> None:
    first, last = (body for kind, body in BLOCKS if kind == "python")
    scope: dict[str, Any] = {}
    exec(first, scope)
    assert "--dashboard-address 127.0.0.1:0 --interface lo" in scope["cluster"].job_script()
    found = listening(os.getpid())
    exec(last, scope)
    assert found == {"127.0.0.1"}


def test_the_command_that_is_advised_for_want_of_workers_listens_on_loopback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._LOOK_SECONDS", 0.1)
    with DaskCluster(tmp_path) as cluster, remote_client(cluster.address) as c:
        while not logged():
            time.sleep(0.05)
        _, command = logged()[0].split("started with: ")
        with started(command, tmp_path) as pid:
            c.wait_for_workers(1, timeout=60)
            assert listening(pid) == {"127.0.0.1"}


def test_a_sweep_with_workers_of_its_own_listens_on_loopback(tmp_path: Path) -> None:
    with Driver(Sweep(25), tmp_path / "out", "--workers", "2") as driver:
        assert driver.wait_for_record(1)
        assert len(driver.workers()) == 2
        assert listening(driver.process.pid) == {"127.0.0.1"}
