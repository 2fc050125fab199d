"""Ablate every row, or every (p, d) block, of a trained network without full forward passes.

Replacing the inputs of a row changes the encoding of this row only. So all encodings are computed
once, and for each row the first layer of the classifier is corrected by the change of one encoding;
for a block, so is the first layer of the encoder. :func:`primefourier.analysis.ablate` does the
same for any network with one forward pass per group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

import torch
from torch import Tensor, nn

from primefourier.analysis.ablation import Kind
from primefourier.analysis.answers import right_answers
from primefourier.analysis.torch_ablation import replacement
from primefourier.lab.modules import RowNetwork
from primefourier.lab.probe import RowAblation

_BLOCK = 4
"""The number of features of a row per depth: (cos, sin) of both operands."""


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

    def ablated(x: Tensor, other: Tensor) -> Iterator[tuple[int, Tensor]]:
        codes = constant
        if codes is None:
            codes = model.encoder(other)
        return enumerate(codes.expand(*x.shape[:2], -1).unbind(1))

    batches = zip(*(t.split(batch_size) for t in (features, others, labels)), strict=True)
    return _count(model, batches, ablated, features.shape[1])


@torch.no_grad()
def ablate_blocks(
    model: RowNetwork,
    features: Tensor,
    labels: Tensor,
    *,
    batch_size: int,
    kind: Kind = "zero",
    seed: int = 0,
) -> RowAblation:
    """Replace the inputs of each (p, d) block in turn; arguments as for :func:`ablate_rows`.

    Returns:
        The counts of each block, by prime and then by depth.
    """
    others = replacement(kind, features, size=len(features), seed=seed)
    first, relu, *rest = model.encoder
    second = nn.Sequential(*rest)
    weights = cast(nn.Linear, first).weight.split(_BLOCK, dim=1)

    def ablated(x: Tensor, other: Tensor) -> Iterator[tuple[int, Tensor]]:
        for row in range(x.shape[1]):
            before = first(x[:, row])
            changes = (other[:, row] - x[:, row]).split(_BLOCK, dim=1)
            for change, weight in zip(changes, weights, strict=True):
                yield row, second(relu(torch.addmm(before, change, weight.t())))

    batches = zip(*(t.split(batch_size) for t in (features, others, labels)), strict=True)
    return _count(model, batches, ablated, features.shape[1] * len(weights))


def _count(
    model: RowNetwork,
    batches: Iterable[tuple[Tensor, ...]],
    ablated: Callable[[Tensor, Tensor], Iterator[tuple[int, Tensor]]],
    ablations: int,
) -> RowAblation:
    """Count the answers that change.

    Args:
        model: The trained network.
        batches: Features, their replacements and labels.
        ablated: For each ablation, the row that changes and its new encoding.
        ablations: The number of ablations.
    """
    first, relu, last = cast(tuple[nn.Linear, nn.ReLU, nn.Linear], tuple(model.classifier))
    counts = torch.zeros(3, ablations, dtype=torch.int64, device=first.weight.device)
    for x, other, labels in batches:
        codes = model.encoder(x)
        weights = first.weight.unflatten(1, (codes.shape[1], -1)).unbind(1)
        hidden = first(codes.flatten(1))
        right = right_answers(last(relu(hidden)), labels)
        counts[0] += right.sum()
        for i, (row, code) in enumerate(ablated(x, other)):
            changed = torch.addmm(hidden, code - codes[:, row], weights[row].t())
            still_right = right_answers(last(relu(changed)), labels)
            counts[1, i] += (right & ~still_right).sum()
            counts[2, i] += (still_right & ~right).sum()
    correct, lost, gained = counts.tolist()
    return RowAblation(correct[0], tuple(lost), tuple(gained))
