"""Compare the speed of both trainers with each other, and with large matrix products."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import torch

from primefourier.cluster import local_client
from primefourier.lab.config import ModelConfig, Trainer, Training
from primefourier.lab.cost import model_flops
from primefourier.lab.measurement import measure
from primefourier.lab.train_models import train_on

if TYPE_CHECKING:
    from distributed import Client

_LOG = logging.getLogger(__name__)
_SIDE = 1024
_GEMM_SECONDS = 1.0


@dataclass(frozen=True)
class Speed:
    """Times of the same models with both trainers.

    Args:
        models: The number of models.
        workers: Worker processes of the fast trainer.
        plain_seconds: Time of the plain trainer, one model at a time, torch's default threads.
        fast_seconds: Time of the fast trainer on the workers.
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
    """Train and ablate the same models with both trainers, and compare their times.

    The trainers take turns, so that other work on the machine slows both. The rate of matrix
    products is measured at each turn; the best one counts.

    Args:
        configs: The models.
        workers: Worker processes of the fast trainer.
    """
    plain, fast, rates = 0.0, 0.0, []
    turn = 2 * workers
    with local_client(workers) as client:
        for first in range(0, len(configs), turn):
            some = configs[first : first + turn]
            models = f"models {first + 1} to {first + len(some)} of {len(configs)}"
            _LOG.info("measuring large matrix products on %d workers", workers)
            rates.append(_gemm_rate(client))
            _LOG.info("measuring fast, %s", models)
            fast += _seconds(_train_fast, client, some)
            _LOG.info("measuring plain, %s", models)
            plain += _seconds(_train_plain, some)
    return Speed(len(configs), workers, plain, fast, sum(map(model_flops, configs)), max(rates))


def _train_fast(client: Client, configs: Sequence[ModelConfig]) -> None:
    for record in train_on(client, [_with_trainer(c, "fast") for c in configs], device="cpu"):
        if record.error is not None:
            raise RuntimeError(record.error)


def _with_trainer(config: ModelConfig, trainer: Trainer) -> ModelConfig:
    return replace(config, training=replace(cast(Training, config.training), trainer=trainer))


def _train_plain(configs: Sequence[ModelConfig]) -> None:
    for config in configs:
        _ = measure(_with_trainer(config, "plain"), threads=None).measured


def _seconds(work: Callable[..., None], *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _gemm_rate(client: Client) -> float:
    """Return the total rate of all workers, which multiply matrices at the same time."""
    return float(sum(client.run(time_gemm).values()))


def time_gemm() -> float:
    """Return the floating-point operations per second of large matrix products on one thread."""
    torch.set_num_threads(1)
    a, b, out = (torch.ones(_SIDE, _SIDE) for _ in range(3))
    torch.mm(a, b, out=out)
    count, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < _GEMM_SECONDS:
        torch.mm(a, b, out=out)
        count += 1
    return 2 * _SIDE**3 * count / seconds
