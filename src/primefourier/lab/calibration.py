"""How fast this machine trains the models of a sweep, found by trying a few for a few epochs.

It is enough to try the smallest size of network, the largest and one between, and a model that has
hardly any pairs; ``estimate`` says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from primefourier.cluster import local_client
from primefourier.lab.config import ModelConfig
from primefourier.lab.estimate import (
    LONG,
    SHORT,
    Curve,
    fit,
    pairs_of,
    schedule,
    size_of,
    tell_apart,
)
from primefourier.lab.run_model import run_model

Kind = tuple[str, int]
"""Trainer and batch size: models that differ in them are tried apart."""
Try = Callable[[Sequence[ModelConfig]], list[list[float]]]
"""Trains some models one after another on every worker, and returns the seconds of each worker."""

_TRIAL_FLOPS = 10**10
"""Operations in an epoch of a trial: a fraction of a second."""
_PATIENCE = 10.0
"""Seconds after which trials are not repeated; nor after a tenth of the sweep's own time."""


class CalibrationError(RuntimeError):
    """A model that could not be trained, so that its time cannot be told."""


@dataclass(frozen=True)
class Calibration:
    """How fast this machine trains the models of a sweep, each on one thread.

    Args:
        curves: What each kind of model costs.
        startup: Seconds to start the workers and to end them.
        seconds: How long it took to find out.
    """

    curves: Mapping[Kind, Curve]
    startup: float
    seconds: float

    def model_seconds(self, config: ModelConfig) -> float:
        """Return how long one model takes on one worker."""
        return self.curves[_kind(config)].seconds(config)


def calibrate(configs: Sequence[ModelConfig], *, workers: int, device: str = "cpu") -> Calibration:
    """Try models of a few sizes on all workers at once, as a sweep would, and time them.

    Trials are repeated, since on a shared machine one moment is not like another, until they took
    ten seconds or a tenth of the sweep's own time.

    Args:
        configs: The models of the sweep, at least one.
        workers: Worker processes; 0 tries in this process.
        device: The torch device of the workers.
    """
    if not configs:
        raise ValueError("at least one model is required to calibrate, got none")
    chosen = choose_trials(configs)
    trials = [
        replace(config, epochs=epochs)
        for some in chosen.values()
        for config in some
        for epochs in (SHORT, LONG)
    ]
    start = time.perf_counter()
    with _workers(workers, device) as attempt:
        attempt(trials[:1])  # a worker's first model also loads what it needs
        begun = time.perf_counter()
        rounds: list[list[float]] = []
        while True:
            rounds += attempt(trials)
            means = iter(np.mean(rounds, axis=0).tolist())
            curves = {
                kind: fit(some, [tell_apart(next(means), next(means)) for _ in some])
                for kind, some in chosen.items()
            }
            ended = time.perf_counter()
            found = Calibration(curves, begun - start, ended - begun)
            expected = schedule(map(found.model_seconds, configs), workers=workers)
            if found.seconds > min(_PATIENCE, expected / 10):
                break
    after = time.perf_counter()
    startup = begun - start + after - ended if workers else 0.0
    return replace(found, startup=startup, seconds=after - start)


def choose_trials(configs: Sequence[ModelConfig]) -> dict[Kind, list[ModelConfig]]:
    """Return models to try for each kind: one with hardly any pairs, then up to three sizes."""
    kinds: dict[Kind, list[ModelConfig]] = {}
    for config in configs:
        kinds.setdefault(_kind(config), []).append(config)
    return {kind: _representatives(some) for kind, some in kinds.items()}


def _representatives(configs: Sequence[ModelConfig]) -> list[ModelConfig]:
    by_size = {size_of(config): config for config in configs}
    smallest, largest = min(by_size), max(by_size)
    middle = min(by_size, key=lambda size: abs(2 * size - smallest - largest))
    # With few pairs what they add is lost in the noise, so all have as many as any model has.
    widest = max(configs, key=pairs_of)
    sizes = [
        replace(
            by_size[size],
            input_range=widest.input_range,
            pairs=min(pairs_of(widest), max(2 * widest.batch_size, int(_TRIAL_FLOPS / size))),
        )
        for size in sorted({smallest, middle, largest})
    ]
    return [replace(sizes[0], pairs=2), *sizes]


@contextmanager
def _workers(count: int, device: str) -> Iterator[Try]:
    """Offer a way to try models on all workers at the same time."""
    if not count:
        yield lambda configs: [try_models(configs, device)]
        return
    from distributed import as_completed

    with local_client(count) as client:
        addresses = list(client.nthreads())

        def attempt(configs: Sequence[ModelConfig]) -> list[list[float]]:
            futures = [
                client.submit(try_models, configs, device, workers=[address], pure=False)
                for address in addresses
            ]
            return [result for _, result in as_completed(futures, with_results=True)]

        yield attempt


def try_models(configs: Sequence[ModelConfig], device: str) -> list[float]:
    """Train some models one after another and return the seconds of each."""
    seconds = []
    for config in configs:
        start = time.perf_counter()
        record = run_model(config, device=device)
        seconds.append(time.perf_counter() - start)
        if record.error is not None:
            raise CalibrationError(f"{config.describe()} cannot be trained: {record.reason}")
    return seconds


def _kind(config: ModelConfig) -> Kind:
    return config.trainer, config.batch_size
