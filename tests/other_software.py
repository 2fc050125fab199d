"""Environments in which a real process finds other software than this one."""

import os
from pathlib import Path


def pretend(folder: Path, package: str, version: str) -> dict[str, str]:
    """Let a process find another version of a package installed."""
    info = folder / "other" / f"{package}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    path = [str(folder / "other"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, path))}


def without_the_project(folder: Path) -> dict[str, str]:
    """Let a process find an empty package before the project."""
    (folder / "empty" / "primefourier").mkdir(parents=True)
    (folder / "empty" / "primefourier" / "__init__.py").touch()
    return {"PYTHONPATH": str(folder / "empty")}
