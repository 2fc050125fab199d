"""Examples, their order in each epoch, and the readable trainer.

``fast_training`` computes the same numbers up to rounding, but faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from primefourier.lab.config import ModelConfig
from primefourier.lab.network import RowClassifier, new_model, row_features
from primefourier.lab.task import make_task

Observe = Callable[[RowClassifier], None]
"""A function that sees the network before training and after each epoch, and does not change it."""


@dataclass(frozen=True)
class Examples:
    """Features and labels of a task, for training and for testing.

    Shape:
        features (n, P, 4D), labels (n,).
    """

    train_features: Tensor
    train_labels: Tensor
    test_features: Tensor
    test_labels: Tensor

    @property
    def device(self) -> torch.device:
        """The device of the tensors."""
        return self.train_features.device


def make_examples(
    config: ModelConfig,
    *,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> Examples:
    """Draw the pairs of a config and encode them.

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


def epoch_orders(config: ModelConfig, size: int) -> Iterator[Tensor]:
    """Yield a new order of the training pairs for each epoch; it depends on the seed only.

    >>> config = ModelConfig(experiment="e", modulus=7, input_range=9, primes=(7,), epochs=2)
    >>> [len(order) for order in epoch_orders(config, 64)]
    [64, 64]
    """
    generator = torch.Generator().manual_seed(config.seed)
    for _ in range(config.epochs):
        yield torch.randperm(size, generator=generator)


@dataclass(frozen=True)
class Trained:
    """A trained network and the number of its correct test answers after each epoch."""

    model: RowClassifier
    correct: tuple[int, ...]


def train_plain(
    config: ModelConfig, examples: Examples, *, observe: Observe = lambda _: None
) -> Trained:
    """Train one model and count its correct test answers after each epoch.

    Args:
        config: The model.
        examples: Its task.
        observe: A function that sees the network before training and after each epoch.

    Returns:
        The trained network and the counts.
    """
    model = new_model(config, dtype=examples.train_features.dtype).to(examples.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    loss_function = nn.CrossEntropyLoss()
    train = TensorDataset(examples.train_features, examples.train_labels)
    test = TensorDataset(examples.test_features, examples.test_labels)

    correct = []
    observe(model)
    for order in epoch_orders(config, len(train)):
        model.train()
        for features, labels in DataLoader(train, config.batch_size, sampler=order.tolist()):
            optimizer.zero_grad()
            loss = loss_function(model(features), labels)
            loss.backward()
            optimizer.step()

        model.eval()
        with torch.no_grad():
            answers = [
                (model(features).argmax(1) == labels).sum()
                for features, labels in DataLoader(test, config.batch_size)
            ]
        correct.append(int(sum(answers)))
        observe(model)
    return Trained(model, tuple(correct))
