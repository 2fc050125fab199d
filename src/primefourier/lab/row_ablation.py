"""Ablate every row of a trained network without full forward passes.

Replacing the inputs of a row changes the encoding of this row only. So all encodings are computed
once, and for each row the first layer of the classifier is corrected by the change of one encoding.
:func:`primefourier.analysis.ablate` does the same for any network with one forward pass per group.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from primefourier.analysis.ablation import Kind
from primefourier.analysis.answers import right_answers
from primefourier.analysis.torch_ablation import replacement
from primefourier.lab.modules import RowNetwork
from primefourier.lab.record import RowAblation


@torch.no_grad()
def ablate_rows(
    model: RowNetwork,
    features: Tensor,
    labels: Tensor,
    *,
    batch_size: int,
    kind: Kind = "zero",
    seed: int = 0,
) -> RowAblation:
    """Replace the inputs of each row in turn and count the answers that change.

    Args:
        model: The trained network.
        features: The test features.
        labels: The labels.
        batch_size: The number of examples per forward pass.
        kind: The replacement: "zero", the "mean", or "permute", the features of another example.
        seed: The seed of the permutation.

    Returns:
        The counts of each row.

    Shape:
        features (n, rows, width), labels (n,).
    """
    others = replacement(kind, features, size=len(features), seed=seed)
    constant = None
    if kind != "permute":  # all pairs have the same replacement
        constant = model.encoder(others[:1, :1] if kind == "zero" else others[:1])
    first, relu, last = cast(tuple[nn.Linear, nn.ReLU, nn.Linear], tuple(model.classifier))
    weights = first.weight.unflatten(1, (features.shape[1], -1)).unbind(1)
    counts = torch.zeros(3, features.shape[1], dtype=torch.int64, device=first.weight.device)
    for x, other, y in zip(*(t.split(batch_size) for t in (features, others, labels)), strict=True):
        codes = model.encoder(x)
        hidden = first(codes.flatten(1))
        right = right_answers(last(relu(hidden)), y)
        counts[0] += right.sum()
        changed = model.encoder(other) if constant is None else constant
        for i, code in enumerate(changed.expand(*x.shape[:2], -1).unbind(1)):
            ablated = torch.addmm(hidden, code - codes[:, i], weights[i].t())
            still_right = right_answers(last(relu(ablated)), y)
            counts[1, i] += (right & ~still_right).sum()
            counts[2, i] += (still_right & ~right).sum()
    correct, lost, gained = counts.tolist()
    return RowAblation(correct[0], tuple(lost), tuple(gained))
