"""The arithmetic of a model, for time estimates and to compare with the machine's speed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from primefourier.lab.config import CLASSIFIER_WIDTH, ENCODER_WIDTHS, ModelConfig

Kind = tuple[str, int]
"""Trainer and batch size: models of one kind reach about the same rate."""


def model_flops(config: ModelConfig) -> int:
    """Count the floating-point operations of the matrix products of one model.

    Each layer takes one forward and two backward products in training (the first layer one, because
    its inputs need no gradient). Testing after each epoch takes the forward products. Ablating a
    row takes the correction of one code and the last layer.

    >>> config = ModelConfig(experiment="e", modulus=23, input_range=1000,
    ...     primes=(3, 5, 7, 11, 13, 17, 19, 23))
    >>> round(model_flops(config) / 1e9)
    634
    """
    train, test = config.split
    rows, (first, second) = len(config.primes), ENCODER_WIDTHS
    input_layer = rows * config.row_width * first
    last_layer = CLASSIFIER_WIDTH * config.modulus
    forward = input_layer + rows * first * second + rows * second * CLASSIFIER_WIDTH + last_layer
    trained = config.epochs * train * (3 * forward - input_layer)
    tested = (config.epochs + 1) * test * forward
    ablated = test * rows * (second * CLASSIFIER_WIDTH + last_layer)
    return 2 * (trained + tested + ablated)


def longest_first(configs: Iterable[ModelConfig]) -> list[ModelConfig]:
    """Sort models by decreasing arithmetic, so that no long model is left at the end of a sweep."""
    return sorted(configs, key=model_flops, reverse=True)


def kind_of(config: ModelConfig) -> Kind:
    """Return the kind of a model."""
    return config.trainer, config.batch_size


def sweep_seconds(
    configs: Sequence[ModelConfig], rates: Mapping[Kind, float], *, workers: int
) -> float:
    """Return how long a sweep takes; at least as long as its longest model.

    Args:
        configs: The models.
        rates: Floating-point operations per second of one worker.
        workers: Worker processes; 0 is this process.

    >>> config = ModelConfig(experiment="e", modulus=23, input_range=1000, primes=(3, 5, 7))
    >>> rates = {("fast", 1024): model_flops(config) / 8}
    >>> [sweep_seconds([config] * 3, rates, workers=n) for n in (0, 1, 2, 99)]
    [24.0, 24.0, 12.0, 8.0]
    """
    seconds = [model_flops(config) / rates[kind_of(config)] for config in configs]
    return max(sum(seconds) / max(workers, 1), *seconds)
