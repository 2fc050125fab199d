"""The arithmetic of a model, for time estimates and to compare with the machine's speed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from primefourier.lab.config import ModelConfig
from primefourier.lab.networks import RowClassifier

Kind = tuple[str, int]
"""Network, trainer and batch size: models of one kind reach about the same rate."""
_PER_EXAMPLE = 1000
"""Operations per feature of an example, of networks whose layers are unknown: a rough guess."""


def model_flops(config: ModelConfig) -> int:
    """Count the floating-point operations of one model, approximately for other networks.

    Of the paper's network, each layer takes one forward and two backward products in training (the
    first layer one, because its inputs need no gradient). Testing after each epoch takes the
    forward products. Ablating a row takes the correction of one code and the last layer.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> task = ModularArithmetic(modulus=23, input_range=1000)
    >>> embedding = PrimeFourier(primes=(3, 5, 7, 11, 13, 17, 19, 23))
    >>> round(model_flops(ModelConfig(embedding=embedding, task=task)) / 1e9)
    634
    """
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
    tested = (epochs + 1) * test * forward
    ablated = test * rows * (second * network.classifier + last_layer)
    return 2 * (trained + tested + ablated)


def longest_first(configs: Iterable[ModelConfig]) -> list[ModelConfig]:
    """Sort models by decreasing arithmetic, so that no long model is left at the end of a sweep."""
    return sorted(configs, key=model_flops, reverse=True)


def kind_of(config: ModelConfig) -> Kind:
    """Return the kind of a model."""
    trainer = getattr(config.training, "trainer", "plain")
    network = config.to_dict()["network"]["name"]
    return f"{network} {trainer}", config.training.batch_size or 0


def sweep_seconds(
    configs: Sequence[ModelConfig], rates: Mapping[Kind, float], *, workers: int
) -> float:
    """Return how long a sweep takes; at least as long as its longest model.

    Args:
        configs: The models.
        rates: Floating-point operations per second of one worker.
        workers: Worker processes; 0 is this process.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> task = ModularArithmetic(modulus=23, input_range=1000)
    >>> config = ModelConfig(embedding=PrimeFourier(primes=(3, 5, 7)), task=task)
    >>> rates = {kind_of(config): model_flops(config) / 8}
    >>> [sweep_seconds([config] * 3, rates, workers=n) for n in (0, 1, 2, 99)]
    [24.0, 24.0, 12.0, 8.0]
    """
    seconds = [model_flops(config) / rates[kind_of(config)] for config in configs]
    return max(sum(seconds) / max(workers, 1), *seconds)
