"""What a record says of the machine, the versions and the commit that made it."""

from __future__ import annotations

import math
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import UnionType
from typing import Any

_PACKAGES = ("primefourier", "numpy", "torch")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where and how a record came to be.

    Args:
        finished: When, in UTC.
        seconds: How long the model took, from pairs to ablation.
        machine: Operating system and processor.
        device: The torch device.
        commit: The commit of the source, with ``+`` if files were changed; None if unknown.
        versions: Of Python and of the packages that matter.
    """

    finished: str
    seconds: float
    machine: str
    device: str
    commit: str | None
    versions: dict[str, str]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Provenance:
        """Read what ``asdict`` wrote; values of other types are refused."""
        kinds: dict[str, type | UnionType] = {
            "seconds": int | float,
            "commit": str | None,
            "versions": dict,
        }
        for name, value in data.items():
            endless = isinstance(value, float) and not math.isfinite(value)
            if endless or not isinstance(value, kinds.get(name, str)):
                raise ValueError(f"{name} of a record must not be {value!r}")
        return cls(**data)


def provenance_now(*, seconds: float, device: str) -> Provenance:
    """Describe a model that has just been finished in this process."""
    return Provenance(
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        machine=machine(),
        device=device,
        commit=commit(),
        versions=dict(versions()),
    )


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of Python and of the packages that matter."""
    found = [("python", platform.python_version())]
    for package in _PACKAGES:
        try:
            found.append((package, version(package)))
        except PackageNotFoundError:
            found.append((package, "unknown"))
    return tuple(found)


@cache
def machine() -> str:
    """Name the operating system and the processor, as far as they tell."""
    processor = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        processor = names[0].partition(":")[2].strip() if names else processor
    return " ".join(filter(None, (platform.system(), platform.machine(), processor)))


@cache
def commit() -> str | None:
    """Return the commit this source is at, with + if files were changed; None if unknown."""
    here = Path(__file__).parent
    try:
        head, root = _git(here, "rev-parse", "HEAD", "--show-toplevel").split()
        if here != Path(root) / "src" / "primefourier" / "lab":
            return None  # installed inside somebody else's repository
        changed = _git(here, "status", "--porcelain", "--", f"{root}/src")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return head + "+" if changed else head


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True, timeout=10
    ).stdout
