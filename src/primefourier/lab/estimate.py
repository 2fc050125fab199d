"""What a sweep has left to do, and how fast this machine is, from short trials.

Models of all sizes reach about the same rate, so one model of the sweep is enough for a trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from primefourier.lab.config import ModelConfig, Training
from primefourier.lab.cost import Kind, kind_of, longest_first, model_flops
from primefourier.lab.store import prepare_folder, read_store
from primefourier.lab.train_models import train_models

_TRIAL_FLOPS = 10**10
"""Floating-point operations of a trial: less than a second."""


class TrialError(RuntimeError):
    """A model of a sweep cannot be trained."""


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
    """Train a short version of one model on all workers at once, and return the rate of a worker.

    Args:
        configs: The models of the sweep, at least one.
        workers: Worker processes; 0 trains in this process.
        device: The torch device of the workers.

    Returns:
        Floating-point operations per second, by trainer and batch size.
    """
    kinds: dict[Kind, list[ModelConfig]] = {}
    for config in longest_first(configs):
        kinds.setdefault(kind_of(config), []).append(config)
    return {kind: _trial_rate(some, workers, device) for kind, some in kinds.items()}


def _trial_rate(configs: Sequence[ModelConfig], workers: int, device: str) -> float:
    """Train the median model twice on each worker, and return the rate of the fastest trial.

    The first model of a process is slower than the others.
    """
    config = configs[len(configs) // 2]
    planned = config.training.epochs
    epochs = min(max(2, planned * _TRIAL_FLOPS // model_flops(config)), planned)
    training: Any = config.training  # a part of one's own may lack the field: then all epochs
    if isinstance(training, Training):
        training = replace(training, epochs=epochs)
    trials = [replace(config, training=training, seed=seed) for seed in range(2 * max(workers, 1))]
    rates = []
    for record in train_models(trials, workers, None, device=device):
        if record.error is not None:
            raise TrialError(f"{record.config.describe()} cannot be trained: {record.reason}")
        rates.append(model_flops(record.config) / record.provenance.seconds)
    return max(rates)
