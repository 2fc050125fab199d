"""Which training pairs make which batch: the same for every trainer."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from primefourier.lab.config import ModelConfig


def epoch_orders(config: ModelConfig, size: int) -> Iterator[Tensor]:
    """Yield, for each epoch, a fresh order of the training pairs; it depends on the seed alone.

    >>> config = ModelConfig(experiment="e", modulus=7, input_range=9, primes=(7,), epochs=2)
    >>> [len(order) for order in epoch_orders(config, 64)]
    [64, 64]
    """
    generator = torch.Generator().manual_seed(config.seed)
    for _ in range(config.epochs):
        yield torch.randperm(size, generator=generator)
