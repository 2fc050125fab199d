"""Groups of features: those of a prime, a depth, a channel or an operand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from primefourier._checks import require_choice
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis

Grouping = Literal["prime", "depth", "channel", "operand"]
Layout = Literal["flat", "rows"]


def feature_groups(
    basis: PrimeBasis, by: Grouping, *, operands: int = 1, layout: Layout = "flat"
) -> dict[Any, Tensor]:
    """Split the features of a basis into groups, each a mask for :func:`ablate`.

    Every feature is in exactly one group.

    Args:
        basis: The basis of the features.
        by: The property that the features of a group share: the "prime" p, the "depth" index d,
            the "channel" (p, d), or the index of the "operand".
        operands: k, the number of integers per input.
        layout: The order of the features of one input. "flat" is the output of
            :class:`primefourier.nn.PrimeFourierEmbedding`. "rows" has one row per prime; the order
            within a row is depth, operand, then (cos, sin), as the paper's row encoder reads it.

    Returns:
        For each label, which is p, d, (p, d) or the index of the operand, a mask of torch.bool on
        the CPU that is True at its features.

    Shape:
        "flat": (dim,) for one operand, (k, dim) for more. "rows": (P, D·k·2).

    >>> groups = feature_groups(PrimeBasis((3, 5), depth=2), "prime")
    >>> groups[5].tolist()
    [False, False, False, False, True, True, True, True]
    >>> groups = feature_groups(PrimeBasis((3, 5), 2), "operand", operands=2, layout="rows")
    >>> groups[1].int().tolist()
    [[0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]]
    """
    require_basis(basis)
    require_choice(by, get_args(Grouping), "by")
    require_choice(layout, get_args(Layout), "layout")
    k = as_integer(operands, "operands", at_least=1)
    p, d, j, _ = torch.meshgrid(
        torch.arange(len(basis.primes), device="cpu"),
        torch.arange(basis.depth, device="cpu"),
        torch.arange(k, device="cpu"),
        torch.arange(2, device="cpu"),  # cos and sin are always in the same group
        indexing="ij",
    )
    number, labels = {
        "prime": (p, basis.primes),
        "depth": (d, range(basis.depth)),
        "channel": (p * basis.depth + d, basis.channels),
        "operand": (j, range(k)),
    }[by]
    number = number.flatten(1) if layout == "rows" else number.movedim(2, 0).flatten(1)
    if layout == "flat" and k == 1:
        number = number[0]
    return {label: number == i for i, label in enumerate(labels)}


def feature_mask(groups: Mapping[Any, Tensor]) -> Tensor:
    """Return groups as one tensor of group numbers, as captum's ``feature_mask`` expects them.

    Args:
        groups: Masks of one shape, such as those of :func:`feature_groups`, that do not overlap and
            together have every feature.

    >>> feature_mask(feature_groups(PrimeBasis((3, 5), depth=1), "prime")).tolist()
    [0, 0, 1, 1]
    """
    masks = list(groups.values()) if isinstance(groups, Mapping) else []
    masks = masks if all(isinstance(mask, Tensor) for mask in masks) else []
    if len({m.shape for m in masks}) != 1 or not bool((torch.stack(masks).sum(0) == 1).all()):
        raise ValueError(
            "groups must be masks of one shape by their labels, with every feature in exactly one "
            f"group, got {groups!r:.80}"
        )
    return torch.stack(masks).int().argmax(0)
