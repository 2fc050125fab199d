"""The readable trainer: an nn.Module, a DataLoader, Adam. ``fast`` computes the same, faster."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from primefourier.lab.config import ModelConfig
from primefourier.lab.model import new_model
from primefourier.lab.training.batches import epoch_orders
from primefourier.lab.training.examples import Examples
from primefourier.lab.training.trained import Look, Trained


def train_plain(config: ModelConfig, examples: Examples, *, look: Look = lambda _: None) -> Trained:
    """Train one model and count its correct test answers after each epoch."""
    model = new_model(config, dtype=examples.train_features.dtype).to(examples.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    loss_function = nn.CrossEntropyLoss()
    train = TensorDataset(examples.train_features, examples.train_labels)
    test = TensorDataset(examples.test_features, examples.test_labels)

    correct = []
    look(model)
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
        look(model)
    return Trained(model, tuple(correct))
