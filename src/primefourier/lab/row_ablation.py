"""Ablate every row of a trained network in one pass of its encoder.

Zeroing a row's inputs replaces that row's code by the constant code of a zero row and leaves the
other codes alone. So the codes are computed once, and for each row the classifier's first layer is
corrected by the change of that one code. :func:`primefourier.analysis.ablate` does the same for any
network, one forward pass a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from primefourier.lab.model import RowClassifier


@dataclass(frozen=True)
class RowAblation:
    """Counts over the test pairs: correct answers of the whole network, and what each row costs.

    Args:
        correct: Correct answers before any ablation.
        lost: For each row, answers that were correct and are wrong without it.
        gained: For each row, answers that were wrong and are correct without it.
    """

    correct: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]


@torch.no_grad()
def ablate_rows(
    model: RowClassifier, features: Tensor, labels: Tensor, *, batch_size: int
) -> RowAblation:
    """Zero the inputs of each row in turn and compare the answers with those of the whole network.

    Args:
        model: The trained network.
        features: The test features.
        labels: Their labels.
        batch_size: How many pairs at a time.

    Shape:
        features (n, P, 4D), labels (n,).
    """
    first, relu, last = cast(tuple[nn.Linear, nn.ReLU, nn.Linear], tuple(model.classifier))
    rows = features.shape[1]
    zero_code = model.encoder(features.new_zeros(1, features.shape[2]))
    parts = first.weight.unflatten(1, (rows, -1)).unbind(1)
    counts = torch.zeros(3, rows, dtype=torch.int64, device=features.device)
    for x, y in zip(features.split(batch_size), labels.split(batch_size), strict=True):
        codes = model.encoder(x)
        before = first(codes.flatten(1))
        right = last(relu(before)).argmax(1) == y
        for row, part in enumerate(parts):
            hidden = torch.addmm(before, zero_code - codes[:, row], part.t())
            right_without = last(relu(hidden)).argmax(1) == y
            counts[0, row] += right.sum()
            counts[1, row] += (right & ~right_without).sum()
            counts[2, row] += (right_without & ~right).sum()
    correct, lost, gained = counts.tolist()
    return RowAblation(correct[0], tuple(lost), tuple(gained))
