"""Ablate every row, or every (p, d) block, of a trained network without full forward passes.

Replacing the inputs of a row changes the encoding of this row only. So all encodings are computed
once, and for each row the first layer of the classifier is corrected by the change of one encoding;
for a block, so is the first layer of the encoder. :func:`primefourier.analysis.ablate` does the
same for any network with one forward pass per group.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from primefourier.analysis.ablation import Kind
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
    count = _Count(features.shape[1], features.device)
    classifier = _Classifier(model, features.shape[1])
    batches = zip(*(t.split(batch_size) for t in (features, others, labels)), strict=True)
    for x, other, y in batches:
        codes = model.encoder(x)
        without = model.encoder(other) if constant is None else constant.expand_as(codes)
        hidden = classifier.hidden(codes)
        right = classifier.answers(hidden) == y
        for row in range(codes.shape[1]):
            changed = classifier.corrected(hidden, without[:, row] - codes[:, row], row)
            count.add(row, right, classifier.answers(changed) == y)
    return count.result()


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
    rows, depth = features.shape[1], features.shape[2] // _BLOCK
    others = replacement(kind, features, size=len(features), seed=seed)
    first, relu, *rest = model.encoder
    second = nn.Sequential(*rest)
    parts = cast(nn.Linear, first).weight.split(_BLOCK, dim=1)
    count = _Count(rows * depth, features.device)
    classifier = _Classifier(model, rows)
    batches = zip(*(t.split(batch_size) for t in (features, others, labels)), strict=True)
    for x, other, y in batches:
        codes = model.encoder(x)
        hidden = classifier.hidden(codes)
        right = classifier.answers(hidden) == y
        for row in range(rows):
            before = first(x[:, row])
            changes = (other[:, row] - x[:, row]).split(_BLOCK, dim=1)
            for d, (change, part) in enumerate(zip(changes, parts, strict=True)):
                code = second(relu(torch.addmm(before, change, part.t())))
                changed = classifier.corrected(hidden, code - codes[:, row], row)
                count.add(row * depth + d, right, classifier.answers(changed) == y)
    return count.result()


class _Classifier:
    """The classifier over the encoded rows, with corrections for one changed row."""

    def __init__(self, model: RowNetwork, rows: int) -> None:
        parts = cast(tuple[nn.Linear, nn.ReLU, nn.Linear], tuple(model.classifier))
        self._first, self._relu, self._last = parts
        self._weights = self._first.weight.unflatten(1, (rows, -1)).unbind(1)

    def hidden(self, codes: Tensor) -> Tensor:
        hidden: Tensor = self._first(codes.flatten(1))
        return hidden

    def corrected(self, hidden: Tensor, change: Tensor, row: int) -> Tensor:
        return torch.addmm(hidden, change, self._weights[row].t())

    def answers(self, hidden: Tensor) -> Tensor:
        answers: Tensor = self._last(self._relu(hidden)).argmax(1)
        return answers


class _Count:
    """Correct, lost and gained answers of each part, summed on the device of the network."""

    def __init__(self, parts: int, device: torch.device) -> None:
        self._counts = torch.zeros(3, parts, dtype=torch.int64, device=device)

    def add(self, part: int, right: Tensor, right_without: Tensor) -> None:
        self._counts[0, part] += right.sum()
        self._counts[1, part] += (right & ~right_without).sum()
        self._counts[2, part] += (right_without & ~right).sum()

    def result(self) -> RowAblation:
        correct, lost, gained = self._counts.tolist()
        return RowAblation(correct[0], tuple(lost), tuple(gained))
