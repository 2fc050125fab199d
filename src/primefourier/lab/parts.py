"""The parts of a model: what an embedding, a task, a network and a training must offer.

A part is a frozen dataclass with a name and a version, made known by :func:`register`. Any class
with the right methods will do; no base class is needed. A record stores its parts as plain data,
and the hash of that data identifies the model, so a part whose numbers change needs a new version.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from primefourier._checks import refuse_unknown
from primefourier.arithmetic.integers import as_integer, format_integer

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from primefourier.encoding import PrimeBasis
    from primefourier.lab.tasks import Samples

_METHODS = {"embedding": "row_names", "task": "draw", "network": "build", "training": "optimizer"}
"""The method that shows which part of a model a class is."""
PARTS = tuple(_METHODS)


class Part(Protocol):
    """What all parts have: a registered name, and a version that changes with their numbers."""

    name: ClassVar[str]
    version: ClassVar[int]


class Embedding(Part, Protocol):
    """Integers as rows of features.

    A fixed embedding also has ``rows(integers)``, from n integers of any size (an int64 or object
    array) to a float tensor (n, rows, width). One with parameters has ``module()`` instead, which
    returns an ``nn.Module`` from an int64 tensor (n,) to (n, rows, width), trained with the
    network. ``mix(features, operands)`` is optional; it can rearrange the joined features. An
    embedding that depends on the task has ``for_task(task)`` alone, which returns the embedding to
    use, while the record keeps the name of the first.
    """

    def row_names(self) -> Sequence[str]:
        """Return one name per row."""

    def relevant(self, task: Any) -> Sequence[str] | None:
        """Return the names of the rows that a task needs, or None if nothing is predicted."""


class Task(Part, Protocol):
    """Integers and their classes; ``classes`` and ``operands`` may be fields or properties."""

    @property
    def operands(self) -> int:
        """The number of integers per example."""

    @property
    def classes(self) -> int:
        """The number of classes; labels are 0 … classes - 1."""

    def sizes(self) -> tuple[int, int]:
        """Return the number of training and of test examples."""

    def beyond_sizes(self) -> Mapping[str, int]:
        """Return the number of examples of each further test set, by its name."""

    def draw(self, seed: int) -> Samples:
        """Draw the training examples, the test examples and the further test sets."""


@dataclass(frozen=True)
class InputShape:
    """The features of one example: rows, integers, features of each; the basis of prime rows."""

    rows: int
    operands: int
    width: int
    basis: PrimeBasis | None = None


class Network(Part, Protocol):
    """A classifier of rows."""

    def build(self, shape: InputShape, classes: int) -> nn.Module:
        """Return an untrained network, from features (n, rows, operands · width) to logits."""


class TrainingPart(Part, Protocol):
    """How a network is trained; :class:`primefourier.lab.Training` is the usual one."""

    @property
    def epochs(self) -> int:
        """The number of passes over the training examples."""

    @property
    def batch_size(self) -> int | None:
        """Examples per step; None is all of them."""

    def optimizer(self, parameters: list[Tensor]) -> torch.optim.Optimizer:
        """Return an optimizer of the parameters."""


@dataclass(frozen=True)
class UnknownPart:
    """A stored part that this process has no class for.

    It can be listed, summarised and exported. It cannot be trained, and nothing of it is executed.

    Args:
        text: Its plain data, as JSON.
    """

    text: str

    @property
    def data(self) -> dict[str, Any]:
        """Its plain data."""
        return dict(json.loads(self.text))


_OURS = "primefourier."
PartName = tuple[str, str]
"""The kind and the name of a part."""
_registered: dict[PartName, type[Any]] = {}
_sources: dict[type[Any], Path | None] = {}
_registrations = 0
PartClass = TypeVar("PartClass", bound=type[Any])


def register(part: PartClass) -> PartClass:
    """Make a class known as a part of models; use it as a decorator above ``@dataclass``.

    Args:
        part: A frozen dataclass with the class attributes ``name`` and ``version``, and the
            methods of :class:`Embedding`, :class:`Task`, :class:`Network` or
            :class:`TrainingPart`. Its fields must be plain data. A field that is added later may
            have ``metadata={"left_out": True}``: where it has its default, it is neither stored
            nor hashed, so that the models from before keep their keys.

    Returns:
        The class itself.

    >>> @register
    ... class Digits: ...
    Traceback (most recent call last):
    TypeError: a part must be a frozen dataclass, but Digits is not; put @dataclass(frozen=True)...
    """
    title = getattr(part, "__name__", repr(part))
    settings = getattr(part, "__dataclass_params__", None)
    if not isinstance(part, type) or settings is None or not settings.frozen:
        raise TypeError(
            f"a part must be a frozen dataclass, but {title} is not; put @dataclass(frozen=True) "
            "below @register"
        )
    name, version = getattr(part, "name", None), getattr(part, "version", None)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][\w .-]{0,63}", name):
        raise TypeError(
            f"the name of {title} must be a text such as 'digits', got {name!r}; set the class "
            "attribute name: ClassVar[str]"
        )
    if type(version) is not int or version < 1:
        raise TypeError(
            f"the version of {title} must be an integer of at least 1, got {version!r}; set the "
            "class attribute version: ClassVar[int]"
        )

    for field in fields(part):
        if field.metadata.get("left_out") and field.default is MISSING:
            raise TypeError(f"{field.name} of {title} is left out, so it must have a default")

    def has(method: str) -> bool:
        return callable(getattr(part, method, None))

    fitted, kinds = has("for_task"), _kinds_of(part)
    if len(kinds) != 1:
        wanted = ", ".join(f"{method} ({kind})" for kind, method in _METHODS.items())
        raise TypeError(f"{title} must have exactly one of these methods: {wanted}")
    whole = has("relevant") and has("rows") != has("module")
    if kinds == ["embedding"] and not (whole or fitted):
        raise TypeError(
            f"the embedding {title} must have relevant(task), and either rows(integers), if it is "
            "fixed, or module(), if it is trained; or for_task(task), which returns such a part"
        )
    _refuse_taken(_registered.get((kinds[0], name), part), part, _METHODS[kinds[0]])
    _sources.setdefault(part, _file_of(part))
    activate({(kinds[0], name): part})
    return part


def _kinds_of(part: type[Any]) -> list[str]:
    """Return the kinds of part that a class is one of, by its methods."""
    methods = [*_METHODS.items(), ("embedding", "for_task")]
    return list(dict.fromkeys(k for k, name in methods if callable(getattr(part, name, None))))


def _refuse_taken(taken: type[Any], part: type[Any], method: str) -> None:
    """Raise ValueError if a class has the name of a part that is not an earlier version of it.

    A file that was changed is loaded as another module. Another file may use the same names: a part
    is known by its file on workers, and ``find_sources`` refuses a sweep that mixes them.
    """
    if taken is part:
        return
    files = source_of(taken), _file_of(part)
    same = files[0] == files[1] and taken.__module__ == part.__module__
    if None not in files and not same and not taken.__module__.startswith(_OURS):
        return
    if not same or taken.__qualname__ != part.__qualname__:
        raise ValueError(
            f"the name {part.name!r} is taken by {taken.__module__}.{taken.__qualname__}; choose "
            f"another name for {part.__name__}"
        )
    # a file that is loaded again is compiled again, but a function that is called again is not
    code, again = (getattr(vars(c).get(method), "__code__", None) for c in (taken, part))
    if code is not None and code is again:
        raise ValueError(
            f"the same lines define {part.__qualname__} twice with the name {part.name!r}; give "
            "each class that a function makes a different name"
        )


def activate(parts: Mapping[PartName, type[Any]]) -> None:
    """Let the names of some parts mean these classes from now on."""
    global _registrations
    _registrations += 1
    _registered.update(parts)


def active_parts() -> dict[PartName, type[Any]]:
    """Return which class each name means now."""
    return _registered.copy()


def registered() -> int:
    """Return a number that changes whenever a part is registered."""
    return _registrations


def source_of(part: type[Any]) -> Path | None:
    """Return the file that defines a registered class; None if there is none, as in a notebook."""
    return _sources.get(part)


def set_source(part: type[Any], file: Path | None) -> None:
    """Let a class be known by the file that is loaded for it, which may import it from another."""
    _sources[part] = file


def _file_of(part: type[Any]) -> Path | None:
    file = getattr(sys.modules.get(part.__module__), "__file__", None)
    return None if file is None else Path(file).resolve()


def is_registered(part: object, kind: str) -> bool:
    """Return whether an object is a registered part of one kind."""
    return type(part) in _sources and kind in _kinds_of(type(part))


def part_as_data(part: Any) -> dict[str, Any]:
    """Return name, version and fields of a part as plain data, without defaults left out."""
    if isinstance(part, UnknownPart):
        return part.data
    what = type(part).__name__
    values = {
        field.name: plain(getattr(part, field.name), f"{field.name} of {what}")
        for field in fields(part)
        if not (field.metadata.get("left_out") and getattr(part, field.name) == field.default)
    }
    return {"name": part.name, "version": part.version, **values}


def plain(value: Any, where: str) -> Any:
    """Return a value with lists instead of tuples; refuse what JSON cannot hold exactly."""
    if isinstance(value, tuple):
        return [plain(item, where) for item in value]
    if isinstance(value, str):
        return require_utf8(value, where)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and abs(value) < float("inf"):
        return value
    raise TypeError(
        f"{where} must be plain data, so that it can be stored and sent to workers: numbers, texts "
        f"and tuples of them; got {type(value).__name__} {str(value)[:80]}"
    )


def part_from_data(kind: str, data: Any) -> Any:
    """Return the part of plain data; an unknown name or version gives an :class:`UnknownPart`."""
    named = isinstance(data, Mapping) and isinstance(data.get("name"), str)
    if not named or type(data.get("version")) is not int:
        raise ValueError(
            f"the {kind} of a model must have a name and a version, got {str(data)[:80]}"
        )
    part: Any = _registered.get((kind, data["name"]))
    known = part is not None and part.version == data["version"]
    return _read_part(kind, json.dumps(data, sort_keys=True, allow_nan=False), part, known)


@lru_cache(maxsize=4096)  # the models of a store share most of their parts
def _read_part(kind: str, text: str, part: Any, known: bool) -> Any:
    if not known:
        return UnknownPart(text)
    values = {name: tuples(value) for name, value in json.loads(text).items()}
    name = values.pop("name")
    del values["version"]
    refuse_unknown(values, [field.name for field in fields(part)], f"the {kind} {name!r}")
    wanted = {field.name for field in fields(part) if not field.metadata.get("left_out")}
    if not wanted <= set(values):  # fields were added without a new version
        return UnknownPart(text)
    try:
        made = part(**values)
        same = json.dumps(part_as_data(made), sort_keys=True) == text
    except (TypeError, ValueError):
        same = False
    # a class that was changed without a new version may refuse its fields, or read them otherwise
    return made if same else UnknownPart(text)


def tuples(value: Any) -> Any:
    """Return a value with tuples instead of lists."""
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def require_utf8(text: str, where: str) -> str:
    """Return a text, or raise ValueError if it has half a surrogate pair, as odd file names do."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{where} must be a text that UTF-8 can hold, got {text!a:.80}") from None
    return text


def describe_part(part: Any, *, strict: bool = False) -> str:
    """Describe a part in a few words: by its ``describe()``, or by its name and fields.

    Args:
        part: The part.
        strict: Whether a ``describe()`` that raises an exception is one; otherwise it is not used.

    >>> describe_part(UnknownPart('{"base": 10, "name": "digits", "version": 1}'))
    'digits base=10'
    """
    if callable(own := getattr(part, "describe", None)):
        try:
            return require_utf8(str(own()), f"describe() of {type(part).__name__}")
        except BaseException as error:  # sys.exit too, so that a sweep can name the model
            if strict or isinstance(error, KeyboardInterrupt):
                raise
    data = part_as_data(part)
    settings = [f"{k}={_short(v)}" for k, v in data.items() if k not in ("name", "version")]
    return " ".join([str(data["name"]), *settings])


def _short(value: Any) -> str:
    return ",".join(map(_short, value)) if isinstance(value, list) else str(value)


def bound_integers(part: Any, bounds: Mapping[str, tuple[int, int]]) -> None:
    """Convert integer fields of a frozen dataclass to int; raise an error outside their bounds."""
    for name, (least, most) in bounds.items():
        object.__setattr__(part, name, require_integer(getattr(part, name), name, least, most))


def require_integer(value: object, name: str, least: int, most: int) -> int:
    """Return an integer as an int, or raise an error that names it.

    >>> require_integer(65, "depth", 1, 64)
    Traceback (most recent call last):
    ValueError: depth must be at most 64, got 65
    """
    number = as_integer(value, name, at_least=least)
    if number > most:
        raise ValueError(f"{name} must be at most {most}, got {format_integer(number)}")
    return number


def is_number(value: object) -> bool:
    """Return whether a value is an int or a float; bools are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
