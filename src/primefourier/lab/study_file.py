"""Studies from a Python file, and parts of models from files, here and on workers.

A file is run because the user names it, or because it defines the parts of a sweep; nothing that a
store holds is ever imported. A part is known by its file, so that two files may use one name.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from primefourier.lab import parts
from primefourier.lab.config import ModelConfig
from primefourier.lab.parts import PARTS, PartName, UnknownPart
from primefourier.lab.study import Study

Sources = dict[str, dict[str, str]]
"""Files that define parts; for each, the digests of its content and of the modules beside it."""
_PREFIX = "primefourier_study_"
_loading: list[Path] = []


class SourceError(RuntimeError):
    """A file with parts of a model that cannot be used."""


class SweepStartedError(SourceError):
    """A file that starts a sweep while it is loaded."""


@dataclass(frozen=True)
class _Loaded:
    """A file that was run: its module, what it imported from its folder, and the parts it made."""

    module: ModuleType
    digests: dict[str, str]
    beside: dict[str, ModuleType]
    parts: dict[PartName, type[Any]]


_loaded: dict[Path, _Loaded] = {}


def read_study_file(path: Path | str) -> list[Study]:
    """Run a Python file, and return its ``study``, or its list ``studies``.

    The file may import modules beside it. It is run once, and again when it or one of these was
    changed.

    Args:
        path: The file; it also defines the parts that its models need.
    """
    place = Path(path).resolve()
    if not place.is_file():
        raise ValueError(f"file {str(path)!r} not found; name a Python file with a study")
    module = next((m for m in list(sys.modules.values()) if _was_imported_from(m, place)), None)
    module = module or _load(place).module
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
        SourceError: If a part is not defined in a file, as in a notebook, or two have one name.
    """
    found: Sources = {}
    names: dict[PartName, type[Any]] = {}
    for kind, part in {(kind, type(getattr(c, kind))) for c in configs for kind in PARTS}:
        if part is UnknownPart:  # its model's error says so
            continue
        file = parts.sources.get(part)
        if names.setdefault((kind, part.name), part) is not part:
            raise SourceError(
                f"the models of a sweep must not use two classes with the name {part.name!r}, got "
                f"one more from {file}; give it another name, or run one study at a time"
            )
        if file is not None and not file.is_file():
            raise SourceError(f"there is no file {file} any more, which defines {part.__name__}")
        if file is None:
            raise SourceError(
                f"{part.__qualname__} is not defined in a file, or its file was changed and read "
                "again, so workers cannot import it; put it into a file, make the study again, or "
                "train in this process: workers=0"
            )
        if parts.own_file(part) is not None:
            known = _loaded.get(file)
            found[str(file)] = known.digests if known else {str(file): _digest(file)}
    return found


def require_sources(sources: Sources) -> None:
    """Raise SourceError if this machine cannot load what another process calls these files."""
    for path, digests in sources.items():
        if _is_loaded(Path(path), digests):
            continue
        for name, digest in digests.items():
            if not Path(name).is_file():
                raise SourceError(f"it has no file {name}; all machines must share it")
            if _digest(Path(name)) != digest:
                raise SourceError(
                    f"its file {name} is not the one that the sweep began with; all machines must "
                    "share it, and a file that was edited counts from the next run on"
                )


@contextmanager
def load_parts(files: Mapping[str, str], sources: Sources) -> Iterator[None]:
    """Run the files of a model's parts on a worker; inside, names of parts mean those of its files.

    Args:
        files: The file of each kind of part.
        sources: What these files must be, see :func:`require_sources`.
    """
    for kind, name in files.items():
        found = _load(Path(name), sources[name]).parts
        parts.registered.update({key: part for key, part in found.items() if key[0] == kind})
    with _at_home(map(Path, files.values())):
        yield


def at_home(config: ModelConfig) -> AbstractContextManager[None]:
    """Let the parts of a model import modules beside the files that define them."""
    return _at_home(config.files.values())


@contextmanager
def _at_home(files: Iterable[Path]) -> Iterator[None]:
    with ExitStack() as stack:
        for file in dict.fromkeys(files):
            if known := _loaded.get(file):
                stack.enter_context(_beside(file.parent, known.beside))
        yield


def refuse_while_loading() -> None:
    """Raise an error if a study file starts a sweep while it is loaded, which would never end."""
    if _loading:
        raise SweepStartedError(
            f"{_loading[-1]} starts a sweep when it is imported; put that below "
            'if __name__ == "__main__":'
        )


def _was_imported_from(module: object, path: Path) -> bool:
    """Return whether the user's program, rather than :func:`_load`, made a module of a file."""
    ours = str(getattr(module, "__name__", "")).startswith(_PREFIX)
    return getattr(module, "__file__", None) == str(path) and not ours


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _is_loaded(path: Path, digests: Mapping[str, str]) -> bool:
    """Return whether a file was loaded as it is, or as the digests say where these name a file."""
    known = _loaded.get(path)
    return known is not None and all(
        digest == (digests.get(name) or _digest(Path(name)))
        for name, digest in known.digests.items()
    )


def _load(path: Path, digests: Mapping[str, str] | None = None) -> _Loaded:
    """Run a file unless it was; on a worker, which has digests, only as far as it makes parts."""
    if _is_loaded(path, digests or {}):
        return _loaded[path]
    digest = _digest(path)
    # each version has a module of its own, whose classes stay what they are when the next is loaded
    name = f"{_PREFIX}{hashlib.sha256(f'{path} {digest}'.encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SourceError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before, beside = parts.registered.copy(), dict[str, ModuleType]()
    _loading.append(path)
    try:
        with _beside(path.parent, beside), chdir("."):
            spec.loader.exec_module(module)
    except SweepStartedError:
        if digests is None:  # a script may run its own study, once its parts are defined
            raise
    except BaseException as error:
        sys.modules.pop(name, None)
        if isinstance(error, SourceError | KeyboardInterrupt):
            raise
        lines = [f.lineno for f in extract_tb(error.__traceback__) if f.filename == str(path)]
        where = f"{path}, line {lines[-1]}," if lines else str(path)
        raise SourceError(f"{where} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        _loading.pop()
    made = {key: part for key, part in parts.registered.items() if before.get(key) is not part}
    if path in _loaded:  # classes of an earlier version are in no file any more
        parts.sources.update(dict.fromkeys(_loaded[path].parts.values()))
    # a class is known by the file that is loaded for it, which may import it from another
    parts.sources.update(dict.fromkeys(made.values(), path))
    parts.beside[path] = [Path(str(m.__file__)) for m in beside.values() if m.__file__]
    found = {str(path): digest} | {str(file): _digest(file) for file in parts.beside[path]}
    _loaded[path] = _Loaded(module, found, beside, made)
    return _loaded[path]


@contextmanager
def _beside(folder: Path, modules: dict[str, ModuleType]) -> Iterator[None]:
    """Let code import modules of a folder, which other code does not see; collect them."""
    # They stay out of sys.modules in between: another folder may have others of the same names,
    # and a changed one is to be read again.
    here = {p.stem for p in folder.glob("*.py")} | {
        p.parent.name for p in folder.glob("*/__init__.py")
    }
    here -= {*sys.stdlib_module_names, "__main__", "primefourier"}  # which a file must not hide
    # modules of these names that other folders gave: set aside, and put back at the end
    hidden = {
        name: sys.modules.pop(name)
        for name, module in list(sys.modules.items())
        if _top(name) in here and not _is_in(module, name, folder) and not _is_installed(module)
    }
    others = {_top(name) for name in sys.modules}
    sys.modules.update(modules)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # .pyc files know seconds only
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.dont_write_bytecode = writes
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        # what the code imported from the folder goes with it, what is installed stays
        for name, module in list(sys.modules.items()):
            if _top(name) not in others and _is_in(module, name, folder):
                modules[name] = sys.modules.pop(name)
        sys.modules.update(hidden)


def _top(name: str) -> str:
    return name.partition(".")[0]


def _is_in(module: ModuleType, name: str, folder: Path) -> bool:
    """Return whether a module is a file of a folder, or belongs to a package there."""
    file, package = getattr(module, "__file__", None), folder / _top(name)
    if file is None:  # a package without __init__.py
        return any(Path(place) == package for place in getattr(module, "__path__", ()))
    return Path(file) == package.with_suffix(".py") or Path(file).is_relative_to(package)


def _is_installed(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is None or "site-packages" in Path(file).parts
