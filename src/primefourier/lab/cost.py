"""The arithmetic of models: what orders a sweep, and what its time left is estimated from."""

from __future__ import annotations

from collections.abc import Iterable

from primefourier.lab.config import ModelConfig
from primefourier.lab.networks import RowClassifier

_PER_EXAMPLE = 1000
"""Operations per feature of an example, of networks whose layers are unknown: a rough guess."""


def model_flops(config: ModelConfig) -> int:
    """Count the floating-point operations of one model, approximately for other networks.

    Of the paper's network, each layer takes one forward and two backward products in training (the
    first layer one, because its inputs need no gradient). Testing after each epoch takes the
    forward products, and so does counting answers that are NaN. Ablating a row takes the correction
    of one code and the last layer.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> task = ModularArithmetic(modulus=23, input_range=1000)
    >>> embedding = PrimeFourier(primes=(3, 5, 7, 11, 13, 17, 19, 23))
    >>> round(model_flops(ModelConfig(embedding=embedding, task=task)) / 1e9)
    636
    """
    try:
        return _count(config)
    except BaseException as error:  # a part that raises; its model's record will say so
        if isinstance(error, KeyboardInterrupt):
            raise
        return 1


def _count(config: ModelConfig) -> int:
    if not config.known:
        return 1
    train, test = map(int, config.task.sizes())
    rows, epochs, network = len(config.row_names), int(config.training.epochs), config.network
    depth = int(getattr(config.embedding, "depth", 6))
    width = 2 * int(config.task.operands) * depth
    if not isinstance(network, RowClassifier):
        return _PER_EXAMPLE * epochs * (train + test) * rows * width
    first, second = network.encoder
    input_layer = rows * width * first
    last_layer = network.classifier * int(config.task.classes)
    forward = input_layer + rows * first * second + rows * second * network.classifier + last_layer
    trained = epochs * train * (3 * forward - input_layer)
    tested = (epochs + 2) * test * forward
    ablated = test * rows * (second * network.classifier + last_layer)
    return 2 * (trained + tested + ablated)


def longest_first(configs: Iterable[ModelConfig]) -> list[ModelConfig]:
    """Sort models by decreasing arithmetic, so that no long model is left at the end of a sweep."""
    return sorted(configs, key=model_flops, reverse=True)


def seed_by_seed(configs: Iterable[ModelConfig]) -> list[ModelConfig]:
    """Sort models by seed, longest first, so that a stopped sweep has whole seeds."""
    return sorted(longest_first(configs), key=lambda config: config.seed)
