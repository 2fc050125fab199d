"""A study from a Python file, here and on workers.

The file is run because the user names it, or because it defines the parts of a sweep; nothing that
a store holds is ever imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.parts import PARTS, source_of
from primefourier.lab.studies.study import StudyLike

Sources = dict[str, str]
"""Files that define parts, with the digests of their content."""
_HOME = Path(__file__).resolve().parents[2]
_loaded: dict[tuple[str, str], Any] = {}
_loading: list[Path] = []


class SourceError(RuntimeError):
    """A file with parts of a model that cannot be used."""


def read_study_file(path: Path | str) -> list[StudyLike]:
    """Run a Python file, and return its ``study``, or its list ``studies``.

    Args:
        path: The file; it also defines the parts that its models need.
    """
    place = Path(path).resolve()
    if not place.is_file():
        raise ValueError(f"there is no file {str(path)!r}; name a Python file with a study")
    try:
        module = _load(place, _digest(place))
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
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
        try:
            _load(place, digest)
        except Exception as error:
            raise SourceError(f"{name} cannot be run: {type(error).__name__}: {error}") from error


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
    if (str(path), digest) in _loaded:
        return _loaded[str(path), digest]
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(path):  # imported by the user's program
            return module
    name = f"primefourier_study_{digest[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _noted(path):
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    _loaded[str(path), digest] = module
    return module


@contextmanager
def _noted(path: Path) -> Iterator[None]:
    _loading.append(path)
    try:
        yield
    finally:
        _loading.pop()
