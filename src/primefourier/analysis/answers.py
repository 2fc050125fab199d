"""What counts as an answer: the class of the largest logit, and nothing where a logit is NaN.

To torch a NaN is the largest number, so the argmax of a network that has diverged is class 0, and
right wherever the label is 0. Everything that counts answers of a network counts them here.
"""

from __future__ import annotations

import math

from torch import Tensor


def right_answers(logits: Tensor, labels: Tensor) -> Tensor:
    """Return which answers are right: the largest logit is that of the label, and is a number.

    An answer with a NaN among its logits is wrong whatever its label, and so is one with nothing
    above -inf. Shape: logits (..., classes), labels (...) → booleans (...).

    >>> import torch
    >>> nan, inf = math.nan, math.inf
    >>> logits = torch.tensor([[1.0, -inf], [nan, nan], [0.0, nan], [-inf, -inf]])
    >>> right_answers(logits, torch.tensor([0, 0, 1, 0])).tolist()
    [True, False, False, False]
    """
    best = logits.argmax(-1, keepdim=True)  # the place of a NaN, if there is one
    number = logits.gather(-1, best) > -math.inf  # False for a NaN
    return ((best == labels.unsqueeze(-1)) & number).squeeze(-1)


def count_missing(logits: Tensor) -> int:
    """Return how many answers there are not: a logit is NaN, or none is above -inf.

    >>> import torch
    >>> count_missing(torch.tensor([[1.0, 0.0], [math.nan, 0.0], [-math.inf, -math.inf]]))
    2
    """
    return int((~(logits.amax(-1) > -math.inf)).sum())
