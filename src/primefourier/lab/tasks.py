"""Tasks: integers drawn below an input range, their classes, and test sets beyond that range."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from primefourier._checks import require_choice
from primefourier.arithmetic.integers import as_integer
from primefourier.lab.parts import bound_integers, is_number, register, require_integer

Operation = Literal["add", "subtract", "multiply"]
Integers = NDArray[Any]
"""An array of int64, or of Python ints where they exceed 64 bits."""

BOUNDS = {
    "modulus": (2, 10**6),  # a network has one logit per residue
    "input_range": (2, 2**31),  # pairs are drawn by their index a·r + b, which must fit an int64
    "operands": (1, 16),
    "samples": (2, 10**7),  # features are kept in memory
    "beyond_samples": (1, 10**6),
}
"""The smallest and the largest value of each number of a task."""
_MOST_DIGITS = 300
_INDEXABLE = 2**62
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
}


def require_bounds(value: object, field_name: str, name: str) -> int:
    """Return a number of a task as an int, or raise an error if it is out of bounds.

    Args:
        value: The number.
        field_name: The field of the task.
        name: The name in the error message.

    >>> require_bounds(1, "input_range", "ranges")
    Traceback (most recent call last):
    ValueError: ranges must be an integer of at least 2, got 1
    """
    return require_integer(value, name, *BOUNDS[field_name])


@dataclass(frozen=True)
class Examples:
    """Integers and their labels.

    Shape:
        inputs (n, operands), int64 or Python ints; labels (n,), int64.
    """

    inputs: Integers
    labels: NDArray[np.int64]


@dataclass(frozen=True)
class Samples:
    """The examples of a task: for training, for testing, and test sets beyond the input range."""

    train: Examples
    test: Examples
    beyond: Mapping[str, Examples]


@dataclass(frozen=True, kw_only=True)
class SampledTask(ABC):
    """The base of tasks whose integers are drawn from 0 … r - 1.

    A subclass has the class attributes ``name`` and ``version``, the attributes ``operands`` and
    ``classes``, and the method ``label``.

    Args:
        input_range: r; the integers are 0 … r - 1.
        samples: The number of distinct examples to draw, at most all there are.
        test_share: The share of them that are test examples.
        beyond: Ends of further test sets; the set of ``b`` has integers from b/2 to b - 1, all at
            or above r.
        beyond_samples: The number of examples in each of them.
    """

    input_range: int
    samples: int = 80_000
    test_share: float = 0.2
    beyond: tuple[int, ...] = ()
    beyond_samples: int = 2_000

    def __post_init__(self) -> None:
        bound_integers(self, {name: BOUNDS[name] for name in BOUNDS if name in vars(self)})
        share = self.test_share
        if not is_number(share) or not 0 < share < 1:
            raise ValueError(f"test_share must be between 0 and 1, got {share!r}")
        if not isinstance(self.beyond, tuple | list):
            raise ValueError(f"beyond must be a tuple of integers, got {self.beyond!r}")
        ends = tuple(as_integer(end, "beyond", at_least=2) for end in self.beyond)
        for end in ends:
            if end < 2 * self.input_range or end >= 10**_MOST_DIGITS:
                raise ValueError(
                    f"beyond must be integers of at least 2 · input_range = {2 * self.input_range} "
                    f"and at most {_MOST_DIGITS} digits, got {end}"
                )
        if len(set(ends)) < len(ends):
            raise ValueError(f"beyond must be distinct, got {ends}")
        object.__setattr__(self, "beyond", ends)
        if 0 in self.sizes():
            raise ValueError(
                f"training and test examples are required, but {sum(self.sizes())} examples and "
                f"test_share {share} give {self.sizes()}; use more samples or a larger input_range"
            )

    def sizes(self) -> tuple[int, int]:
        """Return the number of training and of test examples."""
        # NOTE[PAPER]: the paper trains on 64 000 pairs; of r = 100 there are 8 000, each used once
        # per epoch.
        drawn = min(self.samples, self.input_range**self.operands)
        train = int(drawn * (1 - Fraction(str(self.test_share))))
        return train, drawn - train

    def beyond_sizes(self) -> dict[str, int]:
        """Return the number of examples of each test set beyond the range."""
        return {str(end): self.beyond_samples for end in self.beyond}

    operands: ClassVar[int]
    classes: ClassVar[int]

    @abstractmethod
    def label(self, inputs: Integers) -> Any:
        """Return the class of each example, from inputs (n, operands) to n classes."""

    def draw(self, seed: int) -> Samples:
        """Draw distinct examples below r, split them, and draw the test sets beyond r.

        The inputs depend only on r, the number of samples and operands, and the seed, so tasks that
        differ in their labels see the same inputs.

        NOTE[PAPER]: the paper splits all distinct pairs and then samples; here distinct pairs are
        drawn and then split, which gives the same two random sets unless it samples with
        replacement.
        """
        drawn = self._draw_inputs(np.random.default_rng(seed))
        cut = self.sizes()[0]
        return Samples(
            self._labelled(drawn[:cut]),
            self._labelled(drawn[cut:]),
            {str(end): self._labelled(self._draw_beyond(end, seed)) for end in self.beyond},
        )

    def _draw_inputs(self, generator: np.random.Generator) -> NDArray[np.int64]:
        r, count = self.input_range, sum(self.sizes())
        if r**self.operands <= _INDEXABLE:
            drawn = generator.choice(r**self.operands, count, replace=False)
            return np.stack(np.unravel_index(drawn, (r,) * self.operands), axis=1)
        found = np.empty((0, self.operands), dtype=np.int64)
        while len(found) < count:  # repetitions are rare among so many
            more = generator.integers(r, size=(count, self.operands))
            found = np.concatenate([found, more])
            found = found[np.sort(np.unique(found, axis=0, return_index=True)[1])]
        return found[:count]

    def _draw_beyond(self, end: int, seed: int) -> Integers:
        # Python's generator has integers of any size; its seed is a text, so each set has its own
        generator = random.Random(f"{seed} {end}")
        count = self.beyond_samples * self.operands
        drawn = [generator.randrange(end // 2, end) for _ in range(count)]
        dtype = np.int64 if end <= 2**63 else object
        return np.array(drawn, dtype=dtype).reshape(-1, self.operands)

    def _labelled(self, inputs: Integers) -> Examples:
        labels, title = np.asarray(self.label(inputs)), type(self).__name__
        if labels.shape != (len(inputs),) or labels.dtype.kind not in "iuO":
            raise ValueError(
                f"label of {title} must return one class for each of {len(inputs)} examples, an "
                f"integer, got shape {labels.shape} of {labels.dtype}"
            )
        low, high = int(labels.min()), int(labels.max())
        if low < 0 or high >= self.classes:
            raise ValueError(
                f"labels of {title} must be 0 … {self.classes - 1}, as it has {self.classes} "
                f"classes, got {low if low < 0 else high}"
            )
        return Examples(inputs, labels.astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class IntegerClassification(SampledTask):
    """One integer in, any class out: the base of tasks of your own.

    A subclass has the class attributes ``name``, ``version`` and ``classes``, and a method
    ``label``, from inputs (n, 1) to n classes.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Parity(IntegerClassification):
    ...     name, version, classes = "parity", 1, 2
    ...     def label(self, inputs):
    ...         return inputs[:, 0] % 2
    >>> examples = Parity(input_range=10).draw(seed=0).test
    >>> (examples.labels == examples.inputs[:, 0] % 2).all()
    np.True_
    """

    operands: ClassVar[int] = 1


@register
@dataclass(frozen=True)
class ModularArithmetic(SampledTask):
    """Add, subtract or multiply integers modulo N.

    Args:
        operation: What is done with the operands, from left to right.
        modulus: N; the answer is one of the classes 0 … N - 1.
        operands: The number of operands, 2 in the paper.

    >>> task = ModularArithmetic("add", modulus=7, input_range=100, beyond=(10**20,))
    >>> samples = task.draw(seed=42)
    >>> samples.train.inputs.shape, samples.test.inputs.shape
    ((8000, 2), (2000, 2))
    >>> bool(samples.beyond[str(10**20)].inputs.min() >= 5 * 10**19)
    True
    """

    name: ClassVar[str] = "modular-arithmetic"
    version: ClassVar[int] = 1

    operation: Operation = "add"
    modulus: int = field(kw_only=True)
    operands: int = field(default=2, kw_only=True)  # type: ignore[misc]  # a field, not a constant

    def __post_init__(self) -> None:
        require_choice(self.operation, get_args(Operation), "operation")
        super().__post_init__()

    @property
    def classes(self) -> int:  # type: ignore[override]
        """N, the number of residues."""
        return self.modulus

    @property
    def period(self) -> int:
        """N: adding a multiple of it to an operand changes no label."""
        return self.modulus

    @property
    def degenerate(self) -> bool:
        """Whether no answer wraps around, so that the task is not modular."""
        top = self.input_range - 1
        largest: dict[str, int] = {"add": self.operands * top, "multiply": top**self.operands}
        return largest.get(self.operation, self.modulus) < self.modulus  # differences wrap

    def label(self, inputs: Integers) -> Integers:
        """Return the answers modulo N, in 0 … N - 1 even if a difference is negative."""
        apply = _OPERATIONS[self.operation]
        # reduced first and after each step: N is at most 10^6, so that products fit into 64 bits
        columns = (inputs % self.modulus).astype(np.int64).T
        return reduce(lambda a, b: apply(a, b) % self.modulus, columns)

    def describe(self) -> str:
        """Describe the task in a few words."""
        sign = {"add": "+", "subtract": "-", "multiply": "·"}[self.operation]
        letters = sign.join("abcdefghijklmnop"[: self.operands])
        return f"{letters} mod {self.modulus} r={self.input_range}"
