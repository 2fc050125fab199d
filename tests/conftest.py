"""What several test files need."""

import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import disk
from doomed_starts import DoomedStarts

# Tests send Ctrl-C to programs they start; in a shell's background they would inherit it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Commands of the documentation open pages; a program that does nothing replaces the browser.
os.environ["BROWSER"] = "true"
# A busy machine is no reason to fail.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
# One thread for each process, since the tests run on all cores: set before torch is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")


MARKS = {
    "browser": pytest.mark.browser,
    "doomed_starts": pytest.mark.process,
    "small_disk": pytest.mark.process,
    "smoke": pytest.mark.process,
}
"""Fixtures, and the mark of each test that uses one."""
SLOW = (
    *(
        "tests/figures/",
        "tests/test_documentation.py",
        "tests/test_security.py",
    ),
    *("tests/analysis/test_certification.py", "tests/analysis/test_channel_certification.py"),
    *("tests/findings/", "tests/lab/test_characters.py", "tests/lab/test_circle_networks.py"),
    *("tests/lab/test_figures.py", "tests/paper/test_experiments.py"),
    *("tests/lab/test_parts.py", "tests/paper/test_figures.py"),
    *("tests/paper/test_published", "tests/lab/test_row_ablation.py"),
)
"""Files whose tests draw, train, prove or read a lot."""
_quick: list[pytest.Item] = []
"""The test that is running, if it must not start a process."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their fixtures; with several workers, begin with the slowest files."""
    for item in items:
        if item.path.relative_to(config.rootpath).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        for name in MARKS.keys() & getattr(item, "fixturenames", ()):
            item.add_marker(MARKS[name])
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


def pytest_configure(config: pytest.Config) -> None:
    """Make sure that the quick tests start no processes."""
    if "not process" in config.option.markexpr:
        sys.addaudithook(_refuse_processes)


def _refuse_processes(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen" and _quick:
        program = Path(os.fsdecode(arguments[0] or arguments[1][0])).name
        if program not in ("git", "uname"):  # which say where and how a record was made
            pytest.fail(f"the test starts {program}; mark it with @pytest.mark.process")


def pytest_runtest_call(item: pytest.Item) -> None:
    _quick[:] = [item]


def pytest_runtest_teardown() -> None:
    _quick.clear()


def pytest_runtest_setup() -> None:
    """Restore Python's limit of digits, which the command line raises for its process."""
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)


@pytest.fixture(autouse=True)
def forget_parts() -> Iterator[None]:
    """Forget the parts of models that a test registers."""
    yield
    if parts := sys.modules.get("primefourier.lab.parts"):
        for key, part in list(parts.registered.items()):
            if not part.__module__.startswith("primefourier."):
                del parts.registered[key]


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], Any]:
    folder = Path(__file__).parent / "vectors"
    return lambda name: json.loads((folder / f"{name}.json").read_text())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 400 kB, where the system lets us mount one."""
    try:
        with disk.small_disk(tmp_path / "disk") as place:
            yield place
    except PermissionError as error:
        pytest.skip(str(error))


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Return what this package has logged so far."""
    caplog.set_level(logging.INFO, "primefourier")
    return lambda: [r.getMessage() for r in caplog.records if r.name.startswith("primefourier")]


@pytest.fixture
def doomed_starts(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> DoomedStarts:
    """Worker processes of this one can be killed while they start."""
    folder = tmp_path_factory.mktemp("doomed")
    monkeypatch.syspath_prepend(str(folder))
    return DoomedStarts(folder)
