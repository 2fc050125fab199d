"""Adam on one vector, in place: what ``torch.optim.Adam`` computes, without its start-up cost.

Loading torch's optimizers takes a second in every worker, and a step of theirs spends more time in
Python than on a vector of this size.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


class Adam:
    """Adam with its default betas and epsilon, as Kingma and Ba state it.

    Args:
        weights: The vector to change in place.
        grad: Where its gradient is found at each step.
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
