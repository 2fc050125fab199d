"""What the project requires, directly and through others: read from pyproject.toml and metadata."""

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOR_DEVELOPERS = ("dev", "interop")
"""Extras that only development needs."""


def pins(file: str = "constraints.txt") -> dict[str, str]:
    """Return the pinned version of each package in constraints or a lock."""
    found = re.findall(r"^([\w.-]+)==([\w.+]+)", (ROOT / file).read_text(), re.MULTILINE)
    return {str(canonicalize_name(name)): version for name, version in found}


def markers() -> dict[str, str]:
    """Return the condition of every package that the project requires on some platforms only."""
    wanted = [Requirement(text) for texts in extras().values() for text in texts]
    return {str(canonicalize_name(r.name)): str(r.marker) for r in wanted if r.marker}


def extras() -> dict[str, list[str]]:
    """Return the requirements of every extra of the project, and those of the core as ``""``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {"": project["dependencies"], **project["optional-dependencies"]}


def needed(*chosen: str) -> set[str]:
    """Return all packages that the core and some extras bring on this Python, also indirectly."""
    wanted = [Requirement(text) for extra in ("", *chosen) for text in extras()[extra]]
    names, seen = set[str](), set[str]()
    while wanted:
        requirement = wanted.pop()
        if str(requirement) not in seen:
            seen.add(str(requirement))
            names.add(name := str(canonicalize_name(requirement.name)))
            wanted += _next(name, requirement.extras)
    return names - {"primefourier"}


def _next(name: str, options: Iterable[str]) -> list[Requirement]:
    """Return what a package requires, with some of its extras."""
    if name == "primefourier":
        return [Requirement(text) for extra in options for text in extras()[extra]]
    try:
        found = [Requirement(text) for text in requires(name) or ()]
    except PackageNotFoundError:  # of another platform
        return []
    return [
        one
        for one in found
        if one.marker is None or any(one.marker.evaluate({"extra": e}) for e in ("", *options))
    ]
