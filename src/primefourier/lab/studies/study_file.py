"""Studies from a file: a Python file, here and on workers, or TOML settings.

A Python file is run because the user names it, or because it defines the parts of a sweep; nothing
that a store holds is ever imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from traceback import extract_tb
from typing import Any

from primefourier._checks import refuse_unknown
from primefourier.lab.config import ModelConfig
from primefourier.lab.parts import PARTS, source_of
from primefourier.lab.studies.experiment import Experiment
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.study import MOST_MODELS, Study

Sources = dict[str, str]
"""Files that define parts, with the digests of their content."""
_HOME = Path(__file__).resolve().parents[2]
_loaded: dict[tuple[str, str], Any] = {}
_loading: list[Path] = []


class SourceError(RuntimeError):
    """A file with parts of a model that cannot be used."""


def read_study_file(path: Path | str) -> list[Study]:
    """Run a Python file, and return its ``study``, or its list ``studies``.

    Args:
        path: The file; it also defines the parts that its models need.
    """
    place = Path(path).resolve()
    if not place.is_file():
        raise ValueError(f"file {str(path)!r} not found; name a Python file with a study")
    module = _load(place, _digest(place))
    found = getattr(module, "studies", None) or [getattr(module, "study", None)]
    studies = list(found) if isinstance(found, list | tuple) else [found]
    for study in studies:
        if not all(hasattr(study, name) for name in ("name", "configs", "axes", "threshold")):
            raise ValueError(
                f"{path} must define study = lab.Study(name, configs), or a list studies, got "
                f"{type(study).__name__}"
            )
    return studies


def find_sources(configs: Iterable[ModelConfig]) -> Sources:
    """Return the files outside this package that define parts of some models.

    Raises:
        SourceError: If a part is not defined in a file, as in a notebook.
    """
    found: Sources = {}
    for part in {type(getattr(config, kind)) for config in configs for kind in PARTS}:
        file = source_of(part)
        if file is None or not file.is_file():
            raise SourceError(
                f"{part.__qualname__} is not defined in a file, so workers cannot import it; put "
                "it into a file, or train in this process: workers=0"
            )
        if not file.is_relative_to(_HOME):
            found[str(file)] = _digest(file)
    return found


def load_sources(sources: Sources) -> None:
    """Run files that define parts, on a worker.

    Raises:
        SourceError: If a file is missing, differs, or cannot be run.
    """
    for name, digest in sources.items():
        place = Path(name)
        if not place.is_file():
            raise SourceError(f"this worker has no file {name}; all machines must share it")
        if _digest(place) != digest:
            raise SourceError(f"the file {name} of this worker differs; all machines must share it")
        _load(place, digest)


def refuse_while_loading() -> None:
    """Raise an error if a study file starts a sweep while it is loaded, which would never end."""
    if _loading:
        raise SourceError(
            f"{_loading[-1]} starts a sweep when it is imported; put that below "
            'if __name__ == "__main__":'
        )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _load(path: Path, digest: str) -> Any:
    """Run a file once, and return it as a module."""
    if (str(path), digest) in _loaded:
        return _loaded[str(path), digest]
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(path):  # imported by the user's program
            return module
    name = f"primefourier_study_{digest[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SourceError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _loading.append(path)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, SourceError | KeyboardInterrupt):
            raise
        lines = [f.lineno for f in extract_tb(error.__traceback__) if f.filename == str(path)]
        where = f"{path}, line {lines[-1]}," if lines else str(path)
        raise SourceError(f"{where} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        _loading.pop()
    _loaded[str(path), digest] = module
    return module


_MOST_BYTES, _MOST_TABLES = 20_000, 50


def read_settings(path: Path | str) -> list[Experiment]:
    """Read experiments of the paper from a TOML file; unknown tables and keys are refused.

    Each table is one study, with the keys that ``pfe run`` has as options:

    .. code-block:: toml

        [exp1]
        sizes = [4, 8]
        ranges = [100, 1000]

        [[exp2]]
        moduli = [15, 45]

    Args:
        path: The file. ``[exp1]`` is one study, ``[[exp1]]`` one of several of the same kind.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError(f"{path} must have at most {_MOST_BYTES} bytes, got more")
        text = content.decode()
        if re.search(r"[\da-fA-F_]{301}", text):  # slow to read
            raise ValueError(f"{path} must hold numbers of at most 300 digits, got a longer one")
        data = tomllib.loads(text)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{path} is nested too deeply; settings are lists of integers") from error
    refuse_unknown(data, list(EXPERIMENTS), str(path))
    count = sum(len(tables) if isinstance(tables, list) else 1 for tables in data.values())
    if count > _MOST_TABLES:
        raise ValueError(f"{path} must have at most {_MOST_TABLES} tables, got {count}")
    studies: list[Experiment] = []
    for name, tables in data.items():
        where = f"[{name}] of {path}"
        for table in tables if isinstance(tables, list) else [tables]:
            if not isinstance(table, dict):
                raise ValueError(f"{where} must be a table of settings, got {table!r}")
            try:
                studies.append(EXPERIMENTS[name].from_dict(table, where))
            except (TypeError, ValueError) as error:
                text = str(error)
                raise ValueError(text if where in text else f"{where}: {text}") from error
            if sum(len(study.configs) for study in studies) > MOST_MODELS:
                raise ValueError(f"{path} must name at most {MOST_MODELS} models, got more")
    if not studies:
        raise ValueError(f"{path} names no experiment; write a table such as [exp1]")
    return studies
