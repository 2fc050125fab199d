"""``pfe version``: the versions a bug report needs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

import primefourier
from primefourier.cli.options import Json
from primefourier.cli.output import print_json, print_text


def version(*, json: Json = False) -> None:
    """Print the versions of primefourier and of what it uses."""
    versions = {"primefourier": primefourier.__version__, "python": platform.python_version()}
    for package in ("numpy", "torch", "matplotlib"):
        try:
            versions[package] = installed(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    if json:
        print_json(versions)
    else:
        print_text("\n".join(f"{name:<13}{number}" for name, number in versions.items()))
