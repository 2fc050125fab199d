"""A task as tensors: features and labels, for training and for testing."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from primefourier.lab.config import ModelConfig
from primefourier.lab.features import row_features
from primefourier.lab.task import make_task


@dataclass(frozen=True)
class Examples:
    """Features and labels of a task.

    Shape:
        features (n, P, 4D), labels (n,).
    """

    train_features: Tensor
    train_labels: Tensor
    test_features: Tensor
    test_labels: Tensor

    @property
    def device(self) -> torch.device:
        """Where the tensors live."""
        return self.train_features.device


def make_examples(
    config: ModelConfig,
    *,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> Examples:
    """Draw the task of a config and encode it.

    >>> config = ModelConfig(experiment="e", modulus=7, input_range=9, primes=(3, 7))
    >>> make_examples(config).train_features.shape
    torch.Size([64, 2, 24])
    """
    task = make_task(config)
    return Examples(
        row_features(task.train_pairs, config, dtype=dtype).to(device),
        torch.from_numpy(task.train_labels).to(device),
        row_features(task.test_pairs, config, dtype=dtype).to(device),
        torch.from_numpy(task.test_labels).to(device),
    )
