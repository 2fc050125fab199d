"""The fast trainer of the paper's network: the numbers of ``train_plain`` without autograd.

The network is small, so a step of ``train_plain`` spends part of its time outside the matrix
products; here an epoch takes about 0.85 times as long. All weights are one vector, so that Adam is
one call; the forward and backward passes use buffers that exist for the whole training; and a batch
is one gather. It also runs on a GPU.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from primefourier.analysis.answers import right_answers
from primefourier.lab.config import ModelConfig, Training
from primefourier.lab.modules import RowNetwork
from primefourier.lab.networks import RowClassifier
from primefourier.lab.training import (
    Data,
    Observe,
    Trained,
    epoch_orders,
    epoch_values,
    new_model,
)

_relu_backward = torch.ops.aten.threshold_backward.grad_input
"""Writes the gradient where the activation exceeds a threshold and 0 elsewhere, in one pass."""


def applies_to(config: ModelConfig) -> bool:
    """Return whether this trainer can train a model: the paper's network, fixed rows, Adam."""
    training = config.training
    return (
        isinstance(training, Training)
        and (training.optimizer_name, training.weight_decay) == ("adam", 0.0)
        and isinstance(config.network, RowClassifier)
        and hasattr(config.fitted, "rows")
    )


def train_fast(config: ModelConfig, data: Data, *, observe: Observe = lambda _: None) -> Trained:
    """Train one model that this trainer applies to; as :func:`training.train_plain`."""
    model, training = new_model(config, data), config.training
    assert isinstance(model, RowNetwork)
    assert isinstance(training, Training)
    batch_size = min(training.batch_size or len(data.train.labels), len(data.train.labels))
    with torch.no_grad():
        network = _Network(model, data, batch_size)
        optimizer = Adam(network.weights, network.grad, learning_rate=training.learning_rate)
        nn.utils.vector_to_parameters(network.weights, model.parameters())  # makes them views
        correct, train_correct, tested = [], [], set(config.tested_epochs)
        epochs = epoch_values(config, data)
        observe(model)
        for epoch, order in enumerate(epoch_orders(config, len(data.train.labels)), start=1):
            network.read(next(epochs))
            right = torch.zeros((), dtype=torch.int64, device=data.device)
            for index in order.to(data.device).split(batch_size):
                right += network.differentiate(index)
                optimizer.step()
            if epoch in tested:
                train_correct.append(int(right))
                correct.append(network.count_correct())
            observe(model)
    return Trained(model, tuple(correct), tuple(train_correct), "fast")


class _Network:
    """RowNetwork with explicit forward and backward passes, in buffers for one batch.

    Shape:
        features (n, P·4D), hidden_1 (n·P, 64), codes (n·P, 32), hidden_3 (n, 128), logits (n, N).
    """

    def __init__(self, model: RowNetwork, data: Data, batch_size: int) -> None:
        self._data, self._batch_size = data, batch_size
        self.weights = nn.utils.parameters_to_vector(model.parameters())
        self.grad = torch.zeros_like(self.weights)
        shapes = [parameter.shape for parameter in model.parameters()]
        self._layers, self._grads = (
            [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]
            for parts in (v.split([s.numel() for s in shapes]) for v in (self.weights, self.grad))
        )
        (first, width), _, (second, _), _, (third, joined), _, (classes, _), _ = shapes
        n, rows = batch_size, joined // second
        empty = self.weights.new_empty
        self._features = empty(n, rows * width)
        self._hidden_1, self._grad_1 = empty(n * rows, first), empty(n * rows, first)
        self._codes, self._grad_codes = empty(n * rows, second), empty(n * rows, second)
        self._hidden_3, self._grad_3 = empty(n, third), empty(n, third)
        self._logits = empty(n, classes)
        self._grad_weight_1 = empty(width, first)
        self._minus_one = self.weights.new_full((n, 1), -1.0)
        self._rows = rows

    def read(self, values: Tensor) -> None:
        """Take the features of all training examples for one epoch."""
        self._train = values.flatten(1)

    def differentiate(self, index: Tensor) -> Tensor:
        """Compute the gradient of the mean cross-entropy over one batch; count right answers."""
        n, m = len(index), len(index) * self._rows
        labels = self._data.train.labels
        features = torch.index_select(self._train, 0, index, out=self._features[:n])
        logits = self._forward(features)
        hidden_1, codes, hidden_3 = self._hidden_1[:m], self._codes[:m], self._hidden_3[:n]
        grad_codes = self._grad_codes[:m]
        _, _, weight_2, _, weight_3, _, weight_4, _ = self._layers
        into_1, into_2, into_3, into_4 = zip(self._grads[::2], self._grads[1::2], strict=True)

        wanted = labels.index_select(0, index)
        right = right_answers(logits, wanted).sum()
        grad = torch.softmax(logits, 1, out=logits)  # the gradient is softmax - one-hot
        grad.scatter_add_(1, wanted.unsqueeze(1), self._minus_one[:n]).mul_(1 / n)
        _weigh(*into_4, grad, hidden_3)
        grad_3 = _pull(grad, weight_4, hidden_3, self._grad_3[:n])
        _weigh(*into_3, grad_3, codes.view(n, -1))
        _pull(grad_3, weight_3, codes.view(n, -1), grad_codes.view(n, -1))
        _weigh(*into_2, grad_codes, hidden_1)
        grad_1 = _pull(grad_codes, weight_2, hidden_1, self._grad_1[:m])
        # faster than its transpose
        torch.mm(features.view(m, -1).t(), grad_1, out=self._grad_weight_1)
        into_1[0].copy_(self._grad_weight_1.t())
        torch.sum(grad_1, 0, out=into_1[1])
        return right

    def count_correct(self) -> int:
        """Return the number of correct test answers."""
        values, labels = (
            t.split(self._batch_size) for t in (self._data.test.values, self._data.test.labels)
        )
        logits = (self._forward(x.flatten(1)) for x in values)
        return sum(int(right_answers(z, y).sum()) for z, y in zip(logits, labels, strict=True))

    def _forward(self, features: Tensor) -> Tensor:
        weight_1, bias_1, weight_2, bias_2, weight_3, bias_3, weight_4, bias_4 = self._layers
        n, m = len(features), len(features) * self._rows
        hidden_1, codes = self._hidden_1[:m], self._codes[:m]
        hidden_3, logits = self._hidden_3[:n], self._logits[:n]
        torch.addmm(bias_1, features.view(m, -1), weight_1.t(), out=hidden_1).relu_()
        torch.addmm(bias_2, hidden_1, weight_2.t(), out=codes).relu_()
        torch.addmm(bias_3, codes.view(n, -1), weight_3.t(), out=hidden_3).relu_()
        return torch.addmm(bias_4, hidden_3, weight_4.t(), out=logits)


def _weigh(weight: Tensor, bias: Tensor, grad: Tensor, inputs: Tensor) -> None:
    """Compute the gradient of the weight and the bias of a linear layer."""
    torch.mm(grad.t(), inputs, out=weight)
    torch.sum(grad, 0, out=bias)


def _pull(grad: Tensor, weight: Tensor, activation: Tensor, out: Tensor) -> Tensor:
    """Compute the gradient of the input of a ReLU that is followed by a linear layer."""
    torch.mm(grad, weight, out=out)
    _relu_backward(out, activation, 0, grad_input=out)
    return out


class Adam:
    """Adam (Kingma and Ba, 2015) with default betas and epsilon, on one vector, in place.

    It equals ``torch.optim.Adam`` without its cost: importing torch's optimizers takes a second in
    every worker, and a step on a vector of this size is mostly Python overhead.

    Args:
        weights: The vector to change in place.
        grad: The vector that contains the gradient at each step.
        learning_rate: The step size.

    >>> weights, grad = torch.zeros(2), torch.tensor([1.0, -2.0])
    >>> Adam(weights, grad, learning_rate=0.1).step()
    >>> weights
    tensor([-0.1000,  0.1000])
    """

    _BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8

    def __init__(self, weights: Tensor, grad: Tensor, *, learning_rate: float) -> None:
        self._weights, self._grad, self._rate = weights, grad, learning_rate
        self._first, self._second = torch.zeros_like(weights), torch.zeros_like(weights)
        self._denominator = torch.empty_like(weights)
        self._steps = 0

    def step(self) -> None:
        """Move the weights against the gradient."""
        self._steps += 1
        self._first.lerp_(self._grad, 1 - self._BETA_1)
        self._second.mul_(self._BETA_2).addcmul_(self._grad, self._grad, value=1 - self._BETA_2)
        correction = math.sqrt(1 - self._BETA_2**self._steps)
        torch.sqrt(self._second, out=self._denominator).add_(self._EPSILON * correction)
        size = self._rate * correction / (1 - self._BETA_1**self._steps)
        self._weights.addcdiv_(self._first, self._denominator, value=-size)
