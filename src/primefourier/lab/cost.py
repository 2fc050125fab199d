"""How much arithmetic a model takes: for time estimates, and to compare with the machine."""

from __future__ import annotations

from collections.abc import Iterable

from primefourier.lab.config import ModelConfig
from primefourier.lab.features import row_width
from primefourier.lab.model import CLASSIFIER_WIDTH, ENCODER_WIDTHS


def model_flops(config: ModelConfig) -> int:
    """Count the floating-point operations of the matrix products of one model.

    Training takes one forward product a layer and two backward ones (one for the first layer, whose
    inputs need no gradient); testing after each epoch takes the forward products; ablating a row
    takes the correction of one code and the last layer.

    >>> config = ModelConfig(experiment="e", modulus=23, input_range=1000,
    ...     primes=(3, 5, 7, 11, 13, 17, 19, 23))
    >>> round(model_flops(config) / 1e9)
    634
    """
    train, test = config.split
    rows, (first, second) = len(config.primes), ENCODER_WIDTHS
    input_layer = rows * row_width(config) * first
    last_layer = CLASSIFIER_WIDTH * config.modulus
    forward = input_layer + rows * first * second + rows * second * CLASSIFIER_WIDTH + last_layer
    trained = config.epochs * train * (3 * forward - input_layer)
    tested = (config.epochs + 1) * test * forward
    ablated = test * rows * (second * CLASSIFIER_WIDTH + last_layer)
    return 2 * (trained + tested + ablated)


def longest_first(configs: Iterable[ModelConfig]) -> list[ModelConfig]:
    """Put the models with the most arithmetic first, so that none is waited for at the end."""
    return sorted(configs, key=model_flops, reverse=True)
