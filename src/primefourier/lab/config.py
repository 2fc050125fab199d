"""The recipe of one model: four parts and a seed, frozen and hashed."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

from primefourier._checks import refuse_unknown, require_choice
from primefourier.analysis.ablation import Kind
from primefourier.lab.embeddings import PrimeFourier
from primefourier.lab.networks import RowClassifier
from primefourier.lab.parts import (
    PARTS,
    UnknownPart,
    bound_integers,
    describe_part,
    is_number,
    is_registered,
    own_file,
    part_as_data,
    part_from_data,
    register,
    require_utf8,
)
from primefourier.lab.tasks import ModularArithmetic

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Optimizer = Literal["adam", "adamw", "sgd"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_LARGEST = 2**63 - 1  # the limit of torch


@register
@dataclass(frozen=True, kw_only=True)
class Training:
    """How a network is trained, with cross-entropy; the defaults are the paper's.

    Args:
        epochs: The number of passes over the training examples.
        batch_size: Examples per step; the last batch may be smaller. None is all of them.
        learning_rate: The learning rate.
        optimizer_name: "adam", "adamw" or "sgd".
        weight_decay: The weight decay.
        test_every: The network is tested after every so many epochs, and after the last one.
        shifts: Whether operands are shifted in each epoch by random multiples of the task's
            period, up to about 10^12. Labels stay, so the network learns not to read the circles
            that shifts turn, and is right beyond the input range.
    """

    name: ClassVar[str] = "training"
    version: ClassVar[int] = 1

    epochs: int = 25
    batch_size: int | None = 1024
    learning_rate: float = 3e-3
    optimizer_name: Optimizer = "adam"
    weight_decay: float = 0.0
    test_every: int = 1
    shifts: bool = field(default=False, metadata={"left_out": True})

    def __post_init__(self) -> None:
        bound_integers(self, {"epochs": (1, 10**6), "test_every": (1, 10**6)})
        if self.batch_size is not None:
            bound_integers(self, {"batch_size": (1, _LARGEST)})
        require_choice(self.optimizer_name, get_args(Optimizer), "optimizer_name")
        for name, least in (("learning_rate", sys.float_info.min), ("weight_decay", 0)):
            value = getattr(self, name)
            if not is_number(value) or not least <= value <= sys.float_info.max:
                sign = "a positive number" if least else "a number of at least 0"
                raise ValueError(f"{name} must be {sign}, got {value!r}")
            object.__setattr__(self, name, float(value))
        if not isinstance(self.shifts, bool):
            raise ValueError(f"shifts must be True or False, got {self.shifts!r}")

    def optimizer(self, parameters: list[Tensor]) -> torch.optim.Optimizer:
        """Return an optimizer of the parameters."""
        import torch

        kinds = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}
        kind: Any = kinds[self.optimizer_name]
        # fused=True saves at most 3 % of an epoch, and does not give the bits of the records
        options = {"lr": self.learning_rate, "weight_decay": self.weight_decay}
        made: torch.optim.Optimizer = kind(parameters, **options)
        return made

    def describe(self) -> str:
        """Describe what differs from the paper's training."""
        paper = Training()
        changed = (f for f in fields(self) if getattr(self, f.name) != getattr(paper, f.name))
        return " ".join(f"{field.name}={getattr(self, field.name)}" for field in changed)


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The complete recipe of one model; equal recipes give equal numbers.

    Args:
        embedding: Integers as rows, such as :class:`primefourier.lab.PrimeFourier`.
        task: Integers and their classes, such as :class:`primefourier.lab.ModularArithmetic`.
        network: The classifier; by default the paper's.
        training: How it is trained; by default as in the paper.
        seed: Determines examples, split, initial weights and batches.
        ablations: The kinds of ablation of every row: "zero", which is always measured, "mean" and
            "permute".

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> config = ModelConfig(
    ...     embedding=PrimeFourier(primes=(3, 5, 7)),
    ...     task=ModularArithmetic("add", modulus=7, input_range=100),
    ... )
    >>> config.describe(), config.relevant, len(config.key)
    ('a+b mod 7 r=100 |P|=3 seed=42', ('7',), 64)
    """

    # any class with the methods of Embedding, Task, Network or TrainingPart, and further fields
    embedding: Any
    task: Any
    network: Any = RowClassifier()  # noqa: RUF009
    training: Any = Training()
    seed: int = 42
    ablations: tuple[Kind, ...] = ("zero",)

    def __post_init__(self) -> None:
        for kind in PARTS:
            part = getattr(self, kind)
            if not isinstance(part, UnknownPart) and not is_registered(part, kind):
                what = f"the class {part.__name__}" if isinstance(part, type) else repr(part)
                raise TypeError(
                    f"{kind} must be an instance of a class with @lab.register above it and the "
                    f"methods of lab.{kind.capitalize()}, got {what:.80}"
                )
        bound_integers(self, {"seed": (0, _LARGEST)})
        if not isinstance(self.ablations, tuple | list):
            raise ValueError(f"ablations must be a tuple of kinds, got {self.ablations!r}")
        for kind in self.ablations:
            require_choice(kind, KINDS, "ablations")
        # in one order, so that one choice has one key
        chosen = tuple(kind for kind in KINDS if kind in self.ablations or kind == "zero")
        object.__setattr__(self, "ablations", chosen)
        _ = self._data  # raises for fields that are not plain data

    @cached_property
    def key(self) -> str:
        """The hash that identifies this model in a store."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def fitted(self) -> Any:
        """The embedding for this task: what its ``for_task(task)`` returns, or else itself."""
        make = getattr(self.embedding, "for_task", None)
        if make is None:
            return self.embedding
        found = make(self.task)
        if not is_registered(found, "embedding"):
            raise TypeError(
                f"for_task of {type(self.embedding).__name__} must return an embedding, an "
                f"instance of a class with @lab.register above it, got {found!r:.80}"
            )
        return found

    @property
    def files(self) -> dict[str, Path]:
        """The file of each part that is not this package's, by its kind."""
        found = {kind: own_file(type(getattr(self, kind))) for kind in PARTS}
        return {kind: file for kind, file in found.items() if file is not None}

    @property
    def known(self) -> bool:
        """Whether this process has classes for all parts, so that the model can be trained."""
        return not any(isinstance(getattr(self, kind), UnknownPart) for kind in PARTS)

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """The names of the rows."""
        where = f"row_names of {type(self.fitted).__name__}"
        names = tuple(require_utf8(str(name), where) for name in self.fitted.row_names())
        if not names or len(set(names)) < len(names):
            raise ValueError(
                f"row_names must return different names, one per row, got {names}; see row_names "
                f"of {type(self.fitted).__name__}"
            )
        return names

    @cached_property
    def relevant(self) -> tuple[str, ...] | None:
        """The names of the rows that the task needs; None if nothing is predicted."""
        found = self.fitted.relevant(self.task)
        if found is None:
            return None
        names = tuple(map(str, found))
        if not set(names) <= set(self.row_names):
            raise ValueError(
                f"relevant must return names of rows, {self.row_names}, got {names}; see "
                f"relevant of {type(self.fitted).__name__}"
            )
        return names

    @cached_property
    def tested_epochs(self) -> tuple[int, ...]:
        """The epochs after which the network is tested: every so many, and the last."""
        last, every = int(self.training.epochs), int(getattr(self.training, "test_every", 1))
        return (*range(every, last, every), last)

    @property
    def degenerate(self) -> bool:
        """Whether no answer wraps around, so that the task is not modular."""
        return bool(getattr(self.task, "degenerate", False))

    @cached_property
    def _data(self) -> dict[str, Any]:
        parts = {kind: part_as_data(getattr(self, kind)) for kind in PARTS}
        return {**parts, "seed": self.seed, "ablations": list(self.ablations)}

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data."""
        return self._data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the result of ``to_dict``; unknown keys raise an error, unknown parts do not.

        >>> ModelConfig.from_dict({"sed": 7})
        Traceback (most recent call last):
        ValueError: unknown key 'sed' in a model's config; did you mean 'seed'?
        """
        refuse_unknown(data, [field.name for field in fields(cls)], "a model's config")
        parts = {kind: part_from_data(kind, data[kind]) for kind in PARTS}
        return cls(**parts, seed=data["seed"], ablations=tuple(data["ablations"]))

    def describe(self) -> str:
        """Describe the model in one short line."""
        parts = (self.task, self.embedding, self.network, self.training)
        words = map(describe_part, parts)
        return " ".join([*filter(None, words), f"seed={self.seed}"])


def prime_parts(config: ModelConfig) -> tuple[PrimeFourier, ModularArithmetic]:
    """Return embedding and task of a model with rows of primes, shuffled or not, and a modulus."""
    embedding, task = config.fitted, config.task
    if not isinstance(embedding, PrimeFourier) or not isinstance(task, ModularArithmetic):
        raise TypeError(f"rows of primes and a modulus are required, got {config.describe()}")
    return embedding, task
