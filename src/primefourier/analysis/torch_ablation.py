"""Ablate any torch classifier: replace groups of features and count the answers that change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from typing import get_args

import torch
from torch import Tensor, nn

from primefourier._checks import require_choice
from primefourier.analysis.ablation import Ablation, Kind, Label
from primefourier.analysis.groups import require_mask
from primefourier.analysis.site import FeatureSite, evaluating
from primefourier.arithmetic.integers import as_integer, require_integer_tensor
from primefourier.nn.embedding import require_tensor

_FITTED, _FIT_STEPS, _FIT_RATE = 4096, 100, 0.05
"""Inputs, steps and learning rate of the search for an optimal constant."""


def ablate(
    model: nn.Module,
    inputs: Tensor,
    labels: Tensor,
    groups: Mapping[Label, Tensor],
    *,
    at: nn.Module | None = None,
    kind: Kind = "zero",
    batch_size: int = 4096,
    seed: int = 0,
) -> list[Ablation[Label]]:
    """Replace each group of features in turn, and count the answers that change.

    Weights, hooks, training flags and the random state of the model stay unchanged.

    Args:
        model: Any classifier that maps inputs to logits.
        inputs: The inputs, on any device; batches are moved to the model.
        labels: The correct class of each input.
        groups: For each label a mask of torch.bool, True at the features of the group; see
            :func:`feature_groups`.
        at: The submodule whose output is the features, for example the PrimeFourierEmbedding of a
            model that reads integers. By default the features are the inputs.
        kind: The replacement: "zero", as in the paper; the "mean" of the features over the inputs;
            "permute", the features of another input, with one random permutation of the inputs
            for all features of all groups; or "optimal", for each group the constant with the
            smallest cross-entropy over the inputs, found from the mean by gradient descent.
        batch_size: The number of inputs per forward pass.
        seed: The seed of the permutation.

    Returns:
        One ablation per group, in the order of the groups.

    Shape:
        inputs (n, ...), labels (n,), logits (n, classes). Features are (n, ...) too, and each mask
        broadcasts to them without the first axis.

    >>> model = nn.Linear(2, 2, bias=False)
    >>> _ = nn.init.eye_(model.weight)  # the larger input wins
    >>> inputs = torch.tensor([[2.0, 1.0], [1.0, 2.0], [3.0, 1.0], [1.0, 3.0]])
    >>> groups = {"first": torch.tensor([True, False]), "second": torch.tensor([False, True])}
    >>> [a.drop for a in ablate(model, inputs, torch.tensor([0, 1, 0, 1]), groups)]
    [0.5, 0.5]
    """
    require_choice(kind, get_args(Kind), "kind")
    site = FeatureSite(model, at)
    size = _require_samples(inputs, labels)
    step = as_integer(batch_size, "batch_size", at_least=1)
    device = next(chain(model.parameters(), model.buffers()), inputs).device

    def correct(change: Callable[[slice, Tensor], Tensor]) -> Tensor:
        """Return which answers are correct if ``change`` is applied to the features."""
        answers = []
        for start in range(0, size, step):
            here = slice(start, start + step)
            batch = inputs[here].to(device, copy=True)  # a model may change its input in place
            logits = site.run(batch, partial(change, here))
            _require_classes(labels[here], logits.shape[1])
            answers.append(logits.argmax(1) == labels[here].to(logits.device))
        return torch.cat(answers)

    seen: list[Tensor] = []

    def remember(here: slice, features: Tensor) -> Tensor:  # noqa: ARG001
        # Zeros need only the shape. A copy, since the next layer may change the features in place.
        seen.append((features[:0] if kind == "zero" else features).clone())
        return features

    with torch.no_grad(), evaluating(model):
        before = correct(remember)
        start = "mean" if kind == "optimal" else kind
        others = replacement(start, torch.cat(seen), size=size, seed=seed)

        def replace(mask: Tensor, others: Tensor, here: slice, features: Tensor) -> Tensor:
            return torch.where(mask, others[here], features)

        masks = {label: require_mask(mask, label, others) for label, mask in groups.items()}
        ablations = []
        for label, mask in masks.items():
            values = others
            if kind == "optimal":
                few = inputs[:_FITTED].to(device)
                constant = _fit_constant(site, few, labels[:_FITTED].to(device), mask, others[0])
                values = constant.expand_as(others)
            after = correct(partial(replace, mask, values))
            lost, gained = int((before & ~after).sum()), int((after & ~before).sum())
            ablations.append(Ablation(label, kind, size, int(before.sum()), lost, gained))
    return ablations


def _fit_constant(
    site: FeatureSite, inputs: Tensor, labels: Tensor, mask: Tensor, start: Tensor
) -> Tensor:
    """Return the constant features, with the smallest loss, for the masked features of all inputs.

    Weights get no gradients; the best of all steps counts, the start included.
    """
    constant = start.clone().requires_grad_()
    optimizer = torch.optim.Adam([constant], lr=_FIT_RATE)
    best, least = start, float("inf")
    for _ in range(_FIT_STEPS):
        with torch.enable_grad():
            logits = site.run(inputs.clone(), lambda x: torch.where(mask, constant, x))
            loss = nn.functional.cross_entropy(logits, labels)
        if float(loss) < least:
            best, least = constant.detach().clone(), float(loss)
        (constant.grad,) = torch.autograd.grad(loss, constant)
        optimizer.step()
    return best


def _require_samples(inputs: Tensor, labels: Tensor) -> int:
    require_tensor(inputs, "inputs")
    require_tensor(labels, "labels")
    require_integer_tensor(labels)
    if inputs.ndim == 0 or len(inputs) == 0:
        raise ValueError(f"inputs must have at least one sample, got shape {tuple(inputs.shape)}")
    if labels.shape != inputs.shape[:1]:
        raise ValueError(
            f"labels must have one class for each of the {len(inputs)} inputs, got shape "
            f"{tuple(labels.shape)}"
        )
    return len(inputs)


def _require_classes(labels: Tensor, classes: int) -> None:
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= classes:
        raise ValueError(
            f"labels must be classes 0 … {classes - 1} of the model, got {low if low < 0 else high}"
        )


def replacement(kind: Kind, features: Tensor, *, size: int, seed: int) -> Tensor:
    """Return the features that replace those of each input.

    Args:
        kind: "zero"; the "mean" of the features over the inputs; or "permute", for each input all
            features of one other input.
        features: The features of all inputs. For "zero" only shape, dtype and device count, and
            the first axis may be empty.
        size: n, the number of inputs.
        seed: The seed of the permutation.

    Returns:
        The replacement of every feature.

    Shape:
        (n, ...) → (n, ...).

    >>> replacement("mean", torch.tensor([[1.0, 2.0], [3.0, 6.0]]), size=2, seed=0).tolist()
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
