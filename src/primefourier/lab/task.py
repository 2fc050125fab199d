"""The task: distinct pairs of operands, labels modulo N, and a split into training and test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primefourier.lab.config import ModelConfig

Pairs = NDArray[np.int64]

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
}


@dataclass(frozen=True)
class Task:
    """Pairs (a, b) and their labels, for training and for testing.

    Shape:
        pairs (n, 2), labels (n,), both int64.
    """

    train_pairs: Pairs
    train_labels: Pairs
    test_pairs: Pairs
    test_labels: Pairs


def make_task(config: ModelConfig) -> Task:
    """Draw min(pairs, r²) distinct pairs, split them 80/20, and label them.

    The pairs depend only on r, their number and the seed, so models that differ in their modulus
    see the same pairs.

    Args:
        config: The model.

    Returns:
        The split task. No pair is in both parts.

    >>> config = ModelConfig(experiment="exp1", modulus=7, input_range=100, primes=(3, 5, 7))
    >>> task = make_task(config)
    >>> task.train_pairs.shape, task.test_pairs.shape
    ((8000, 2), (2000, 2))
    """
    r, cut = config.input_range, config.split[0]
    drawn = np.random.default_rng(config.seed).choice(r * r, sum(config.split), replace=False)
    train, test = drawn[:cut], drawn[cut:]
    check_overlap(train, test, config)
    train_pairs, test_pairs = (np.stack(np.divmod(side, r), axis=1) for side in (train, test))
    return Task(
        train_pairs, make_labels(train_pairs, config), test_pairs, make_labels(test_pairs, config)
    )


def make_labels(pairs: Pairs, config: ModelConfig) -> Pairs:
    """Return (a ∘ b) mod N, in 0 … N - 1 even if a - b is negative."""
    a, b = pairs[:, 0], pairs[:, 1]
    labels: Pairs = _OPERATIONS[config.operation](a, b) % config.modulus
    return labels


def check_overlap(train: Pairs, test: Pairs, config: ModelConfig) -> None:
    """Raise RuntimeError if a pair, given by its index a·r + b, occurs twice."""
    every = np.concatenate([train, test])
    if np.unique(every).size != every.size:
        raise RuntimeError(
            f"training and test pairs must be distinct, but {config.describe()} has "
            f"{every.size - np.unique(every).size} repeated pairs; please report this"
        )
