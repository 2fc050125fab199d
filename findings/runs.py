"""Where published runs are, and what was measured of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from primefourier import lab

HOME = Path(__file__).parent
PAPER = HOME.parent / "paper" / "results"
"""The run of the paper, which is no finding of ours."""
FAR = "1000000"
"""The test set that stands for inputs far beyond the range."""


@cache
def run_of(name: str) -> lab.Run:
    """Return a published run, by its folder here or as ``paper``."""
    return lab.open(PAPER if name == "paper" else HOME / name)


@cache
def read_json(name: str) -> Any:
    """Return what a file holds, such as ``proofs/certificates.json``."""
    return json.loads((HOME / name).read_text())


def write_json(name: str, data: Any) -> None:
    """Write a file of a finding."""
    (HOME / name).write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
