"""The arithmetic of models, time estimates of sweeps, and the speed of both trainers."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from primefourier.cluster import local_client
from primefourier.lab.config import ModelConfig, Trainer, Training
from primefourier.lab.networks import RowClassifier
from primefourier.lab.store import prepare_folder, read_store
from primefourier.lab.train_models import train_models, train_on

Kind = tuple[str, int]
"""Network, trainer and batch size: models of one kind reach about the same rate."""
_LOG = logging.getLogger(__name__)
_PER_EXAMPLE = 1000
"""Operations per feature of an example, of networks whose layers are unknown: a rough guess."""
_TRIAL_FLOPS = 10**10
"""Floating-point operations of a trial: less than a second."""
_SIDE = 1024
_GEMM_SECONDS = 1.0


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


def measured_in(folder: Path) -> set[str]:
    """Return the keys of the models that a folder has measured.

    Raises:
        FolderError: If the folder holds other files, so that a sweep would refuse it.
    """
    if not folder.exists():
        return set()
    prepare_folder(folder)  # creates nothing here, but refuses what a sweep would refuse
    if not any(folder.glob("records.*")):
        return set()
    return set(read_store(folder).measured)


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
    for record in train_models(trials, workers, None, device=device):
        if record.error is not None:
            raise TrialError(f"{record.config.describe()} cannot be trained: {record.reason}")
        rates.append(model_flops(record.config) / record.provenance.seconds)
    return max(rates)


@dataclass(frozen=True)
class Speed:
    """Times of the same models with both trainers.

    Args:
        models: The number of models.
        workers: Worker processes of both trainers, each with one thread.
        plain_seconds: Time of the plain trainer.
        fast_seconds: Time of the fast trainer.
        flops: Floating-point operations of the matrix products of all models.
        gemm_rate: Operations per second of large matrix products on all workers at once.
    """

    models: int
    workers: int
    plain_seconds: float
    fast_seconds: float
    flops: int
    gemm_rate: float

    @property
    def ratio(self) -> float:
        """The speed-up of the fast trainer."""
        return self.plain_seconds / self.fast_seconds

    @property
    def gemm_share(self) -> float:
        """The fraction of the rate of large matrix products that the fast trainer reaches."""
        return self.flops / self.fast_seconds / self.gemm_rate


def measure_speed(configs: Sequence[ModelConfig], *, workers: int) -> Speed:
    """Train and ablate the same models with both trainers on the same workers; compare their times.

    The trainers take turns, so that other work on the machine slows both. The rate of matrix
    products is measured at each turn; the best one counts.

    Args:
        configs: The models.
        workers: Worker processes, each with one thread.
    """
    seconds: dict[Trainer, float] = {"fast": 0.0, "plain": 0.0}
    rates = []
    turn = 2 * workers
    with local_client(workers) as client:
        for first in range(0, len(configs), turn):
            some = configs[first : first + turn]
            models = f"models {first + 1} to {first + len(some)} of {len(configs)}"
            _LOG.info("measuring large matrix products on %d workers", workers)
            rates.append(float(sum(client.run(time_gemm).values())))
            for trainer in seconds:
                _LOG.info("measuring %s, %s", trainer, models)
                start = time.perf_counter()
                for record in train_on(client, _with_trainer(some, trainer), device="cpu"):
                    if record.error is not None:
                        raise RuntimeError(record.error)
                seconds[trainer] += time.perf_counter() - start
    plain, fast = seconds["plain"], seconds["fast"]
    return Speed(len(configs), workers, plain, fast, sum(map(model_flops, configs)), max(rates))


def _with_trainer(configs: Sequence[ModelConfig], trainer: Trainer) -> list[ModelConfig]:
    return [replace(c, training=replace(c.training, trainer=trainer)) for c in configs]


def time_gemm() -> float:
    """Return the floating-point operations per second of large matrix products on one thread."""
    import torch

    torch.set_num_threads(1)
    a, b, out = (torch.ones(_SIDE, _SIDE) for _ in range(3))
    torch.mm(a, b, out=out)
    count, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < _GEMM_SECONDS:
        torch.mm(a, b, out=out)
        count += 1
    return 2 * _SIDE**3 * count / seconds
