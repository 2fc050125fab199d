"""What several test files need."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], Any]:
    folder = Path(__file__).parent / "vectors"
    return lambda name: json.loads((folder / f"{name}.json").read_text())
