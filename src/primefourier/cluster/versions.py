"""Do this process and the workers run the same software? Else results would differ unnoticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from platform import python_version_tuple
from typing import TYPE_CHECKING, Any

from primefourier.cluster.error import ClusterError

if TYPE_CHECKING:
    from distributed import Client

_ALWAYS = ("primefourier", "dask", "distributed")


def versions_here(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions, in this process, of Python and of what a piece of work needs.

    >>> sorted(versions_here(["numpy"]))
    ['dask', 'distributed', 'numpy', 'primefourier', 'python']
    """
    found = {"python": ".".join(python_version_tuple()[:2])}
    for package in dict.fromkeys([*_ALWAYS, *packages]):
        if package == "python":
            continue
        try:
            found[package] = _public(version(package))
        except PackageNotFoundError:
            found[package] = "none"
    return found


def require_same_cluster(client: Client, packages: Sequence[str]) -> None:
    """Refuse a cluster where a worker runs other versions than this process.

    The scheduler needs the same Python and Dask only. Dask asks by messages of its own, which works
    whatever software is there.
    """
    here = versions_here(packages)
    answers = client.get_versions(packages=list(here)[1:])
    assert isinstance(answers, dict)  # and no coroutine: the client is synchronous
    scheduler = {name: here[name] for name in ("python", "dask", "distributed")}
    _require_same(scheduler, _told(answers["scheduler"]), "the scheduler")
    for address, answer in sorted(answers["workers"].items()):
        _require_same(here, _told(answer), f"the worker at {address}")


def checked(function: Callable[..., Any], packages: Sequence[str]) -> Callable[..., Any]:
    """Return what runs a function of this project on a worker, once versions were compared there.

    Workers may join a cluster after the others were checked. What is returned travels by value and
    names the function, so that a worker without the project raises an ordinary error; a function
    that it cannot read would end the worker. For the same reason its arguments should be plain.

    Args:
        function: What to run, a function of a module.
        packages: What it needs, beside Python, primefourier and Dask.
    """
    module, name, wanted = function.__module__, function.__name__, versions_here(packages)

    def run(*arguments: Any, **options: Any) -> Any:
        from importlib import import_module

        try:
            versions = import_module("primefourier.cluster.versions")
            work = getattr(import_module(module), name)
        except ImportError as error:
            from distributed import get_worker

            raise ImportError(f"the worker at {get_worker().address}: {error}") from error
        versions.require_same_here(wanted)
        return work(*arguments, **options)

    return run


def require_same_here(wanted: Mapping[str, str]) -> None:
    """Refuse to work in this process if its versions are not those of the sender."""
    _require_same(wanted, versions_here(list(wanted)), f"the worker {_where()}that joined")


def _where() -> str:
    from distributed import get_worker

    try:
        return f"at {get_worker().address} "
    except ValueError:  # in no worker
        return ""


def _require_same(wanted: Mapping[str, str], found: Mapping[str, str], who: str) -> None:
    differences = [
        f"{name} {found[name]} instead of {wanted[name]}"
        for name in wanted
        if found[name] != wanted[name]
    ]
    if differences:
        raise ClusterError(
            f"{who} runs {', '.join(differences)}; install the same versions on every machine "
            "(pip install --constraint constraints.txt), start the workers anew, and run the same "
            "command again"
        )


def _told(answer: Mapping[str, Any]) -> dict[str, str]:
    found = {name: _public(known or "none") for name, known in answer["packages"].items()}
    return found | {"python": ".".join(found["python"].split(".")[:2])}


def _public(version: str) -> str:
    """Leave the build away: 2.13.0+cpu and 2.13.0+cu130 are one version."""
    return version.partition("+")[0]
