"""The arithmetic of models, and time estimates of sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from primefourier.lab.config import ModelConfig, Training
from primefourier.lab.networks import RowClassifier
from primefourier.lab.pool import train_models
from primefourier.lab.store import prepare_folder, read_store

Kind = tuple[str, int]
"""Network, trainer and batch size: models of one kind reach about the same rate."""
_PER_EXAMPLE = 1000
"""Operations per feature of an example, of networks whose layers are unknown: a rough guess."""
_TRIAL_FLOPS = 10**10
"""Floating-point operations of a trial: less than a second."""


class TrialError(RuntimeError):
    """A model of a sweep cannot be trained."""


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
    """
    seconds = [model_flops(config) / rates[kind_of(config)] for config in configs]
    return max(sum(seconds) / max(workers, 1), *seconds)


def measured_in(folder: Path, *, probe: bool = False) -> set[str]:
    """Return the keys of the models that a folder has measured, and probed if ``probe``.

    Raises:
        FolderError: If the folder holds other files, so that a sweep would refuse it.
    """
    if not folder.exists():
        return set()
    prepare_folder(folder)  # creates nothing here, but refuses what a sweep would refuse
    if not any(folder.glob("records.*")):
        return set()
    with read_store(folder) as store:
        return store.done(probe=probe)


def trial_rates(
    configs: Sequence[ModelConfig], *, workers: int, device: str = "cpu"
) -> dict[Kind, float]:
    """Train a short version of one model of each kind, and return the rates of a worker.

    Models of all sizes reach about the same rate, so one model is enough.

    Args:
        configs: The models of the sweep, at least one.
        workers: Worker processes, which train at the same time; 0 trains in this process.
        device: The torch device of the workers.

    Returns:
        Floating-point operations per second, by kind of model.

    Raises:
        TrialError: If a model cannot be trained.
    """
    kinds: dict[Kind, list[ModelConfig]] = {}
    for config in longest_first(configs):
        kinds.setdefault(kind_of(config), []).append(config)
    return {
        kind: _trial_rate(some[len(some) // 2], workers, device) for kind, some in kinds.items()
    }


def _trial_rate(config: ModelConfig, workers: int, device: str) -> float:
    """Train a model twice on each worker, since the first one of a process is slower."""
    if isinstance(training := config.training, Training):  # other parts may lack the field
        epochs = max(2, training.epochs * _TRIAL_FLOPS // model_flops(config))
        config = replace(config, training=replace(training, epochs=min(epochs, training.epochs)))
    trials = [replace(config, seed=seed) for seed in range(2 * max(workers, 1))]
    rates = []
    for record in train_models(trials, workers=workers, device=device):
        if record.error is not None:
            raise TrialError(f"{record.config.describe()} cannot be trained: {record.reason}")
        rates.append(model_flops(record.config) / record.provenance.seconds)
    return max(rates)
