"""The fast trainer of the paper's network: the numbers of ``train_plain`` without autograd.

The network is small, so a step of ``train_plain`` spends most of its time outside the matrix
products. Here all weights are one vector, so that Adam is one call; the forward and backward passes
use buffers that exist for the whole training; and a batch is one gather. It also runs on a GPU.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from primefourier.lab.config import ModelConfig, Training
from primefourier.lab.modules import RowNetwork
from primefourier.lab.networks import RowClassifier
from primefourier.lab.training import Data, Observe, Trained, epoch_orders, new_model

_relu_backward = torch.ops.aten.threshold_backward.grad_input
"""Writes the gradient where the activation exceeds a threshold and 0 elsewhere, in one pass."""


def applies_to(config: ModelConfig) -> bool:
    """Return whether this trainer can train a model, and is wanted: the paper's network, Adam."""
    training = config.training
    return (
        isinstance(training, Training)
        and training.trainer == "fast"
        and (training.optimizer_name, training.weight_decay) == ("adam", 0.0)
        and isinstance(config.network, RowClassifier)
        and hasattr(config.embedding, "rows")
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
        correct = []
        observe(model)
        for order in epoch_orders(config, len(data.train.labels)):
            for index in order.to(data.device).split(batch_size):
                network.differentiate(index)
                optimizer.step()
            correct.append(network.count_correct())
            observe(model)
    return Trained(model, tuple(correct), "fast")


@dataclass(frozen=True)
class _Layers:
    """The weight and the bias of each layer, as views of one vector in RowNetwork's order."""

    weight_1: Tensor
    bias_1: Tensor
    weight_2: Tensor
    bias_2: Tensor
    weight_3: Tensor
    bias_3: Tensor
    weight_4: Tensor
    bias_4: Tensor

    @classmethod
    def of(cls, vector: Tensor, model: RowNetwork) -> _Layers:
        shapes = [parameter.shape for parameter in model.parameters()]
        parts = vector.split([shape.numel() for shape in shapes])
        return cls(*(part.view(shape) for part, shape in zip(parts, shapes, strict=True)))


@dataclass(frozen=True)
class _Buffers:
    """The activations and their gradients for a batch of n pairs with P rows.

    Shape:
        features (n, P·4D), hidden_1 (n·P, 64), codes (n·P, 32), hidden_3 (n, 128), logits (n, N).
    """

    features: Tensor
    hidden_1: Tensor
    grad_1: Tensor
    codes: Tensor
    grad_codes: Tensor
    hidden_3: Tensor
    grad_3: Tensor
    logits: Tensor

    @classmethod
    def of(cls, layers: _Layers, batch_size: int) -> _Buffers:
        (first, width), second = layers.weight_1.shape, len(layers.weight_2)
        third, joined = layers.weight_3.shape
        n, rows = batch_size, joined // second
        shapes = [(n, rows * width)]
        shapes += [(n * rows, first)] * 2 + [(n * rows, second)] * 2 + [(n, third)] * 2
        shapes += [(n, len(layers.weight_4))]
        return cls(*(layers.weight_1.new_empty(shape) for shape in shapes))

    def first(self, n: int) -> _Buffers:
        """Return views for a smaller batch of n pairs."""
        size = len(self.features)
        return _Buffers(*(buffer[: n * (len(buffer) // size)] for buffer in vars(self).values()))


class _Network:
    """RowNetwork with explicit forward and backward passes."""

    def __init__(self, model: RowNetwork, data: Data, batch_size: int) -> None:
        self._train_features = data.train.values.flatten(1)
        self._train_labels = data.train.labels.unsqueeze(1)
        self._test_features = data.test.values.flatten(1)
        self._test_labels = data.test.labels
        self.weights = nn.utils.parameters_to_vector(model.parameters())
        self.grad = torch.zeros_like(self.weights)
        self._layers = _Layers.of(self.weights, model)
        self._grads = _Layers.of(self.grad, model)
        self._whole = _Buffers.of(self._layers, batch_size)
        self._grad_weight_1 = torch.empty_like(self._layers.weight_1.t().contiguous())
        self._minus_one = self.weights.new_full((batch_size, 1), -1.0)

    def differentiate(self, index: Tensor) -> None:
        """Compute the gradient of the mean cross-entropy over the pairs of one batch."""
        n = len(index)
        buffers = self._whole.first(n)
        torch.index_select(self._train_features, 0, index, out=buffers.features)
        self._forward(buffers.features, buffers)

        logits, layers, grads = buffers.logits, self._layers, self._grads
        grad = torch.softmax(logits, 1, out=logits)  # the gradient is softmax - one-hot
        grad.scatter_add_(1, self._train_labels.index_select(0, index), self._minus_one[:n]).mul_(
            1 / n
        )
        joined, grad_joined = (x.view(n, -1) for x in (buffers.codes, buffers.grad_codes))
        rows = buffers.features.view(len(buffers.codes), -1)
        _weigh(grads.weight_4, grads.bias_4, grad, buffers.hidden_3)
        grad_3 = _pull(grad, layers.weight_4, buffers.hidden_3, buffers.grad_3)
        _weigh(grads.weight_3, grads.bias_3, grad_3, joined)
        _pull(grad_3, layers.weight_3, joined, grad_joined)
        _weigh(grads.weight_2, grads.bias_2, buffers.grad_codes, buffers.hidden_1)
        grad_1 = _pull(buffers.grad_codes, layers.weight_2, buffers.hidden_1, buffers.grad_1)
        torch.mm(rows.t(), grad_1, out=self._grad_weight_1)  # faster than its transpose
        grads.weight_1.copy_(self._grad_weight_1.t())
        torch.sum(grad_1, 0, out=grads.bias_1)

    def count_correct(self) -> int:
        """Return the number of correct test answers."""
        size, count = len(self._whole.features), 0
        for features, labels in zip(
            self._test_features.split(size), self._test_labels.split(size), strict=True
        ):
            logits = self._forward(features, self._whole.first(len(features)))
            count += int((logits.argmax(1) == labels).sum())
        return count

    def _forward(self, features: Tensor, buffers: _Buffers) -> Tensor:
        layers = self._layers
        rows = features.view(len(buffers.codes), -1)
        torch.addmm(layers.bias_1, rows, layers.weight_1.t(), out=buffers.hidden_1).relu_()
        torch.addmm(layers.bias_2, buffers.hidden_1, layers.weight_2.t(), out=buffers.codes).relu_()
        joined = buffers.codes.view(len(features), -1)
        torch.addmm(layers.bias_3, joined, layers.weight_3.t(), out=buffers.hidden_3).relu_()
        return torch.addmm(layers.bias_4, buffers.hidden_3, layers.weight_4.t(), out=buffers.logits)


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
