"""A study: a named list of models, and the axes of its results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any

from primefourier._checks import printable, refuse_unknown
from primefourier.encoding import Plan, plan
from primefourier.lab.config import ModelConfig
from primefourier.lab.embeddings import PrimeFourier
from primefourier.lab.parts import (
    PARTS,
    UnknownPart,
    describe_part,
    is_number,
    plain,
    require_utf8,
    tuples,
)

MOST_MODELS = 100_000
THRESHOLD = 0.85
_MOST_AXES = 8
_NAME = re.compile(r"[\w|][^\x00-\x1f\x7f-\x9f]{0,199}")

AxisValue = int | float | str | None


@dataclass(frozen=True)
class Axis:
    """What varies in a study, along the rows or the columns of its heatmaps.

    Args:
        path: Where its values are in a model's recipe, such as "task.modulus"; a whole part, such
            as "embedding", gives a description of it.
        name: Its short name; by default the last word of the path.
        label: Its name on an axis of a figure; by default the name.
        length: Whether the value is the length of a list, such as that of "embedding.primes".
    """

    path: str
    name: str = ""
    label: str = ""
    length: bool = False

    def __post_init__(self) -> None:
        texts = (self.path, self.name, self.label)
        if not self.path or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"an axis needs a path such as 'task.modulus', got {self.path!r}")
        name = self.name or self.path.rpartition(".")[2].replace("_", " ")
        object.__setattr__(self, "name", printable(name))
        object.__setattr__(self, "label", printable(self.label or name))

    def names_field_of(self, configs: Iterable[ModelConfig]) -> bool:
        """Return whether some model has the field."""
        return any(self._find(config) is not MISSING for config in configs)

    def _find(self, config: ModelConfig) -> Any:
        """Return what is at the path in a recipe, also a default that it leaves out."""
        found: Any = config.to_dict()
        for word in self.path.split("."):
            found = found.get(word, MISSING) if isinstance(found, dict) else MISSING
        kind, _, name = self.path.partition(".")
        if found is MISSING and kind in PARTS:
            part = getattr(config, kind)
            known = () if isinstance(part, UnknownPart) else fields(part)
            return next((field.default for field in known if field.name == name), MISSING)
        return found

    def value(self, config: ModelConfig) -> AxisValue:
        """Return the value of a model; None if its parts have no such field.

        >>> from primefourier.lab import ModularArithmetic, PrimeFourier
        >>> task = ModularArithmetic(modulus=7, input_range=100)
        >>> config = ModelConfig(embedding=PrimeFourier(primes=(3, 7)), task=task)
        >>> Axis("task.modulus").value(config), Axis("embedding.primes", length=True).value(config)
        (7, 2)
        """
        if self.path in PARTS:
            words = describe_part(getattr(config, self.path))
            return printable(words or str(config.to_dict()[self.path]["name"]))
        found = self._find(config)
        if isinstance(found, list | tuple):
            return len(found) if self.length else printable(",".join(map(str, found)))
        if isinstance(found, str):
            return printable(found)
        return found if isinstance(found, int | float) else None


@dataclass(frozen=True)
class Study:
    """A named list of models.

    Args:
        name: Its name in a store.
        configs: The models; repeated ones count once.
        title: Its name on pages and figures; by default the name.
        axes: What its heatmaps show along rows and columns; by default the fields that vary. Other
            fields that vary are averaged, like seeds.
        threshold: A model has converged if its test accuracy exceeds this after any epoch.
        kind: What made the study, such as an experiment of the paper; nothing for one of your own.
        settings: The settings that it was made with, as plain data.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> tasks = [ModularArithmetic(modulus=n, input_range=50) for n in (6, 10)]
    >>> parts = PrimeFourier(primes=(2, 3, 5))
    >>> study = Study("mine", [ModelConfig(embedding=parts, task=task) for task in tasks])
    >>> len(study.configs), [axis.name for axis in find_axes(study.configs)]
    (2, ['modulus'])
    """

    name: str
    configs: Sequence[ModelConfig]
    title: str = ""
    axes: Sequence[Axis] | None = None
    threshold: float = THRESHOLD
    kind: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError(f"a study needs a name such as 'mine', got {self.name!r}")
        require_utf8(self.name, "the name of a study")
        for name in ("title", "kind"):
            if not isinstance(text := getattr(self, name), str):
                raise ValueError(f"the {name} of a study must be a text, got {text!r}")
        if not isinstance(self.configs, Iterable):
            raise TypeError(f"configs must be a list of ModelConfig, got {self.configs!r}")
        unique: dict[str, ModelConfig] = {}
        for config in self.configs:
            if not isinstance(config, ModelConfig):
                raise TypeError(f"configs must be a list of ModelConfig, got {config!r}")
            unique[config.key] = config
            if len(unique) > MOST_MODELS:
                raise ValueError(
                    f"a study must have at most {MOST_MODELS} models, got more; name fewer seeds"
                )
        if not unique:
            raise ValueError(f"the study {self.name!r} must have at least one model, got none")
        object.__setattr__(self, "configs", tuple(unique.values()))
        object.__setattr__(self, "title", printable(self.title or self.name))
        if not is_number(self.threshold) or not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be an accuracy from 0 to 1, got {self.threshold!r}")
        object.__setattr__(self, "threshold", float(self.threshold))
        settings = {
            name: plain(tuples(value), f"the setting {name!r}")
            for name, value in self.settings.items()
        }
        object.__setattr__(self, "settings", settings)
        if self.axes is not None:
            object.__setattr__(self, "axes", tuple(self.axes))
            for axis in self.axes:
                if not isinstance(axis, Axis):
                    raise TypeError(f"axes must be a list of lab.Axis, got {axis!r}")
                if not axis.names_field_of(self.configs):
                    recipe = self.configs[0].to_dict()
                    fields = [f"{kind}.{field}" for kind in PARTS for field in recipe[kind]]
                    refuse_unknown([axis.path], [*PARTS, *fields], f"the axes of {self.name!r}")


def find_axes(configs: Iterable[ModelConfig]) -> tuple[Axis, ...]:
    """Return the axes along which some models vary, the seed excepted.

    A part whose name varies is one axis; otherwise each of its fields that vary is one.
    """
    models = list(configs)
    found = []
    for kind in ("task", "embedding", "network", "training"):
        parts = [config.to_dict()[kind] for config in models]
        if len({part["name"] for part in parts}) > 1:
            found.append(Axis(kind))
            continue
        for name in dict.fromkeys(name for part in parts for name in part):
            axis = Axis(f"{kind}.{name}")
            values = [axis.value(config) for config in models]
            follows_seed = all(v == c.seed for v, c in zip(values, models, strict=True))
            if len(set(values)) > 1 and not follows_seed:
                found.append(axis)
    # the input range is a natural x axis, so it comes second if there are two or more
    ranges = [axis for axis in found if axis.path == "task.input_range"]
    others = [axis for axis in found if axis.path != "task.input_range"]
    return (*others[:1], *ranges, *others[1:])[:_MOST_AXES]


def find_invisible(configs: Iterable[ModelConfig]) -> list[Plan]:
    """Return the plan of each modulus with a prime factor that no row of its models carries.

    The paper calls such primes invisible: the answer does not follow from the features.
    """
    tasks = set()
    for config in configs:
        if config.known and type(config.fitted) is PrimeFourier:
            modulus = getattr(config.task, "modulus", None)
            if type(modulus) is int:
                tasks.add((modulus, config.fitted.basis))
    plans = (plan(modulus, basis) for modulus, basis in sorted(tasks, key=lambda t: t[0]))
    return [found for found in plans if not found.complete]


def study_as_data(study: Study) -> dict[str, Any]:
    """Return a study as plain data, without its name and its models."""
    axes = None if study.axes is None else [asdict(axis) for axis in study.axes]
    about = {"title": study.title, "axes": axes, "threshold": study.threshold}
    return {**about, "kind": study.kind, "settings": dict(study.settings)}


def read_study(name: str, data: Mapping[str, Any], configs: Sequence[ModelConfig]) -> Study:
    """Return a study from its plain data and its models; axes of no model are left out."""
    names = ("title", "threshold", "kind", "settings")
    refuse_unknown(data, ("axes", *names), f"the study {name!r}")
    axes = data["axes"]
    if axes is not None:
        axes = [axis for axis in map(_read_axis, axes) if axis.names_field_of(configs)]
    return Study(name, configs, axes=axes, **{name: data[name] for name in names})


def _read_axis(data: Mapping[str, Any]) -> Axis:
    refuse_unknown(data, [field.name for field in fields(Axis)], "an axis")
    return Axis(**data)
