"""How long models take, and a sweep of them: what is known of a few tells the others.

A model costs a fixed part (drawing pairs, encoding, ablation) and a part for each epoch. Both grow
with the number of pairs in a straight line. What a pair adds grows almost in a straight line with
the size of the network, which is the arithmetic that a pair takes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from primefourier.arithmetic.integers import as_integer
from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import model_flops

SHORT, LONG = 1, 5
"""Epochs of the two trials of a model; their difference tells an epoch from the fixed part."""
_SOME = 10
"""Pairs by which sizes are compared; a number that splits evenly into training and test."""


@dataclass(frozen=True)
class Cost:
    """Seconds that come once, and seconds that come again in each epoch."""

    fixed: float
    epoch: float

    def seconds(self, epochs: int) -> float:
        """Return the seconds of so many epochs."""
        return self.fixed + epochs * self.epoch


@dataclass(frozen=True)
class Curve:
    """What models of one kind cost.

    Args:
        model: What every model costs, however few its pairs.
        sizes: Sizes that were tried, rising: floating-point operations a pair takes in an epoch.
        pair: What a pair adds at each of these sizes.
    """

    model: Cost
    sizes: Sequence[float]
    pair: Sequence[Cost]

    def seconds(self, config: ModelConfig) -> float:
        """Return how long one model takes on one worker."""
        costs = [cost.seconds(config.epochs) for cost in self.pair]
        each = float(np.interp(size_of(config), self.sizes, costs))
        return self.model.seconds(config.epochs) + pairs_of(config) * each


def tell_apart(short: float, long: float) -> Cost:
    """Tell the fixed part from an epoch's by the seconds of a short and a long trial.

    >>> tell_apart(3.0, 11.0)
    Cost(fixed=1.0, epoch=2.0)
    """
    epoch = (long - short) / (LONG - SHORT)
    fixed = short - SHORT * epoch
    if min(epoch, fixed) < 0:  # lost in the noise
        return Cost(0.0, (short + long) / (SHORT + LONG))
    return Cost(fixed, epoch)


def fit(configs: Sequence[ModelConfig], costs: Sequence[Cost]) -> Curve:
    """Return the curve through what the trials of one kind cost."""
    model = costs[0]
    pair = [
        Cost(
            max(0.0, cost.fixed - model.fixed) / pairs_of(config),
            max(0.0, cost.epoch - model.epoch) / pairs_of(config),
        )
        for config, cost in zip(configs[1:], costs[1:], strict=True)
    ]
    return Curve(model, [size_of(config) for config in configs[1:]], pair)


def schedule(seconds: Iterable[float], *, workers: int) -> float:
    """Return when the last task ends if each begins, in order, on the worker that is free first.

    That is how a sweep gives out its models. 0 workers are this process alone.

    >>> schedule([1, 1, 4], workers=2), schedule([4, 1, 1], workers=2)
    (5.0, 4.0)
    """
    free = [0.0] * max(1, as_integer(workers, "workers", at_least=0))
    for duration in seconds:
        heapq.heapreplace(free, free[0] + duration)
    return max(free)


def size_of(config: ModelConfig) -> float:
    """Return the floating-point operations that a pair takes in an epoch, tests included."""
    one, two = (
        model_flops(replace(config, epochs=epochs, pairs=_SOME, input_range=_SOME))
        for epochs in (1, 2)
    )
    return (two - one) / _SOME


def pairs_of(config: ModelConfig) -> int:
    """Return how many pairs a model has, for training and for testing."""
    return min(config.pairs, config.input_range**2)
