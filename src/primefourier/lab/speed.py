"""How fast models are trained here: both trainers side by side, and the machine's own rate."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from primefourier.cluster import local_client
from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import model_flops
from primefourier.lab.run_model import measure
from primefourier.lab.sweep.places import train_on

if TYPE_CHECKING:
    from distributed import Client

_SIDE = 1024
_GEMM_SECONDS = 1.0


@dataclass(frozen=True)
class Speed:
    """Times of one and the same set of models, taken in one run.

    Args:
        models: How many.
        workers: Worker processes of the fast trainer.
        plain_seconds: The plain trainer, one model after another, with torch's default threads.
        fast_seconds: The fast trainer on the workers.
        flops: Floating-point operations of the matrix products of all models.
        gemm_rate: Operations a second of large matrix products on all workers at once.
    """

    models: int
    workers: int
    plain_seconds: float
    fast_seconds: float
    flops: int
    gemm_rate: float

    @property
    def ratio(self) -> float:
        """How many times as fast the fast trainer is."""
        return self.plain_seconds / self.fast_seconds

    @property
    def gemm_share(self) -> float:
        """Which share of the machine's own rate the fast trainer reaches."""
        return self.flops / self.fast_seconds / self.gemm_rate


def measure_speed(
    configs: Sequence[ModelConfig], *, workers: int, tell: Callable[[str], None] = lambda _: None
) -> Speed:
    """Train the same models with both trainers and compare, with everything that a record needs.

    The trainers take turns, so that a slow moment of a shared machine hits both. The machine's own
    rate is taken at each turn, and the best counts.

    Args:
        configs: The models.
        workers: Worker processes of the fast trainer.
        tell: Called with what is being measured.
    """
    plain, fast, rates = 0.0, 0.0, []
    turn = 2 * workers
    with local_client(workers) as client:
        for first in range(0, len(configs), turn):
            some = configs[first : first + turn]
            models = f"models {first + 1} to {first + len(some)} of {len(configs)}"
            tell(f"the machine's own rate, {workers} workers at once")
            rates.append(_gemm_rate(client))
            tell(f"fast, {models}")
            fast += _seconds(_train_fast, client, some)
            tell(f"plain, {models}")
            plain += _seconds(_train_plain, some)
    return Speed(len(configs), workers, plain, fast, sum(map(model_flops, configs)), max(rates))


def _train_fast(client: Client, configs: Sequence[ModelConfig]) -> None:
    for record in train_on(client, [replace(c, trainer="fast") for c in configs], device="cpu"):
        if record.error is not None:
            raise RuntimeError(record.error)


def _train_plain(configs: Sequence[ModelConfig]) -> None:
    for config in configs:
        measure(replace(config, trainer="plain"), threads=None)


def _seconds(work: Callable[..., None], *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _gemm_rate(client: Client) -> float:
    """Return the summed rate of all workers, each multiplying matrices at the same time."""
    return float(sum(client.run(time_gemm).values()))


def time_gemm() -> float:
    """Return the floating-point operations a second of large matrix products on one thread."""
    torch.set_num_threads(1)
    a, b, out = (torch.ones(_SIDE, _SIDE) for _ in range(3))
    torch.mm(a, b, out=out)
    count, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < _GEMM_SECONDS:
        torch.mm(a, b, out=out)
        count += 1
    return 2 * _SIDE**3 * count / seconds
