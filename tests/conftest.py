"""What several test files need."""

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from chaos import disk

# Tests send Ctrl-C to programs they start; in a shell's background they would inherit it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A busy machine is no reason to fail.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


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
