"""The machine, the versions and the commit that made a record."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.parts import beside

_PACKAGES = ("primefourier", "numpy", "torch")
_MOST_SECONDS = 1e9


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where and how a record was made.

    Args:
        finished: When it was finished, in UTC.
        seconds: How long the model took, from pairs to ablation.
        machine: Operating system and processor.
        device: The torch device.
        commit: The commit of the source, with ``+`` if files were changed; None if unknown.
        versions: Versions of Python, primefourier, numpy and torch.
        parts: For each part that another file defines, the SHA-256 digests of that file and of the
            modules beside it that it imports.
    """

    finished: str
    seconds: float
    machine: str
    device: str
    commit: str | None
    versions: dict[str, str]
    parts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Provenance:
        """Read what ``asdict`` wrote; refuse impossible values."""
        for name, value in data.items():
            if name == "seconds":
                fits = type(value) in (int, float) and 0 <= value < _MOST_SECONDS
            elif name in ("versions", "parts"):
                fits = isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
            else:
                fits = isinstance(value, str) or (name == "commit" and value is None)
            if not fits:
                raise ValueError(f"{name} of a record must not be {value!r}")
        return cls(**data)


def provenance_now(config: ModelConfig, *, seconds: float, device: str) -> Provenance:
    """Return the provenance of a model that was just finished in this process."""
    return Provenance(
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        machine=machine(),
        device=device,
        commit=commit(),
        versions=versions().copy(),
        parts=part_digests(config),
    )


def part_digests(config: ModelConfig) -> dict[str, str]:
    """Return the digests of the files that define a model's own parts, and of modules beside."""
    files: dict[str, Path] = {}
    for kind, file in config.files.items():
        name = f"{kind} {getattr(config, kind).name}"
        files[name] = file
        for other in beside.get(file, ()):
            files[f"{name}, {other.relative_to(file.parent).as_posix()}"] = other
    return {
        name: hashlib.sha256(file.read_bytes()).hexdigest()
        for name, file in files.items()
        if file.is_file()
    }


@cache
def versions(packages: tuple[str, ...] = _PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of some packages in this process.

    >>> sorted(versions(("numpy",)))
    ['numpy', 'python']
    """
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def require_versions(expected: Mapping[str, str]) -> None:
    """Raise ValueError unless this process has the versions that decide which numbers come out."""
    pairs = {n: [_release(n, v) for v in (versions()[n], expected[n])] for n in expected}
    if differ := [f"{name} {a} instead of {b}" for name, (a, b) in pairs.items() if a != b]:
        raise ValueError(
            f"it has {', '.join(differ)}; install the same versions everywhere (pip install "
            "--constraint constraints.txt), start the workers anew, and run the command again"
        )


def _release(package: str, text: str) -> str:
    """Return a version without the kind of its build, as in 2.13.0+cpu; of Python, 3.11."""
    return text.rpartition(".")[0] if package == "python" else text.partition("+")[0]


@cache
def machine() -> str:
    """Return the operating system and the processor, as far as they are known."""
    processor = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        processor = names[0].partition(":")[2].strip() if names else processor
    return " ".join(filter(None, (platform.system(), platform.machine(), processor)))


@cache
def commit() -> str | None:
    """Return the commit of this source, with + if files were changed; None if unknown."""
    here = Path(__file__).parent
    try:
        head, root = _git(here, "rev-parse", "HEAD", "--show-toplevel").split()
        if here != Path(root) / "src" / "primefourier" / "lab":
            return None  # installed inside another repository
        # files outside src, such as this run's records, change no number
        changed = _git(here, "status", "--porcelain", "--", f"{root}/src")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return head + "+" if changed else head


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True, timeout=10
    ).stdout
