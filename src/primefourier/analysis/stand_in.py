"""What stands in for features that are taken away: zeros, their mean, or another input's."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from primefourier.arithmetic.integers import as_integer

Kind = Literal["zero", "mean", "permute"]


def stand_in(kind: Kind, features: Tensor, *, size: int, seed: int) -> Tensor:
    """Return what replaces the features of each input.

    Args:
        kind: "zero"; the "mean" of the features over the inputs; or "permute", for each input the
            features of another, all from the same one.
        features: The features of all inputs. For zeros only shape, dtype and device count, and the
            first axis may be empty.
        size: n, how many inputs there are.
        seed: The seed of the permutation.

    Shape:
        (n, ...) → (n, ...)

    >>> stand_in("mean", torch.tensor([[1.0, 2.0], [3.0, 6.0]]), size=2, seed=0).tolist()
    [[2.0, 4.0], [2.0, 4.0]]
    """
    if kind == "permute":
        generator = torch.Generator(device="cpu")
        generator.manual_seed(as_integer(seed, "seed", at_least=0) % 2**63)
        order = torch.randperm(size, generator=generator, device="cpu")
        return features[order.to(features.device)]
    if not features.is_floating_point():
        raise TypeError(
            f"kind {kind!r} needs floating-point features, got {features.dtype}; pass the "
            "submodule that embeds the integers as at, or use kind='permute'"
        )
    one = features.new_zeros(features.shape[1:]) if kind == "zero" else features.mean(0)
    return one.expand(size, *one.shape)
