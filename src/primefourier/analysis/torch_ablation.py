"""Ablate any torch classifier: replace groups of features and count the answers that change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any, get_args

import torch
from torch import Tensor, nn

from primefourier._checks import require_choice
from primefourier.analysis.ablation import Ablation, Kind, Label
from primefourier.analysis.answers import count_missing, right_answers
from primefourier.arithmetic.integers import (
    as_integer,
    require_dense,
    require_integer_tensor,
    require_values,
)
from primefourier.nn.embedding import require_tensor

Inputs = Tensor | Mapping[str, Any] | tuple[Any, ...]
Metric = Callable[[Tensor, Tensor], Tensor]
Change = Callable[[int, Tensor], Tensor]
"""Gets the number of the call of a submodule, and the features (n, ...) of this call."""
IGNORED = -100
"""The label of what is no answer, as in torch and transformers."""


def ablate(
    model: nn.Module,
    inputs: Inputs,
    labels: Tensor,
    groups: Mapping[Label, Tensor],
    *,
    at: nn.Module | None = None,
    kind: Kind = "zero",
    metric: Metric | None = None,
    batch_size: int = 4096,
    seed: int = 0,
) -> list[Ablation[Label]]:
    """Replace each group of features in turn, and count the answers that change.

    Weights, hooks, training flags and the random state of the model stay unchanged. An answer whose
    logits hold a NaN is wrong, whatever its label, and is counted in ``nan_before`` or
    ``nan_after``.

    Args:
        model: Any classifier that maps inputs to logits.
        inputs: The inputs, on any device; batches are moved to the model. A mapping is passed as
            keyword arguments, a tuple as positional arguments.
        labels: The correct class of each input; -100 where there is no answer to count.
        groups: For each label a mask of torch.bool, True at the features of the group; see
            :func:`feature_groups`.
        at: The submodule whose output is the features, for example the PrimeFourierEmbedding of a
            model that reads integers. If the model calls it once per operand, a group is replaced
            in every call. By default the features are the inputs.
        kind: The replacement: "zero", as in the paper; the "mean" of the features over the inputs;
            or "permute", the features of another input, with one random permutation of the inputs
            for all features of all groups.
        metric: A function of logits and labels with one value per answer, such as a loss or a logit
            difference; its means are reported beside the counts.
        batch_size: The number of inputs per forward pass.
        seed: The seed of the permutation.

    Returns:
        One ablation per group, in the order of the groups.

    Shape:
        inputs (n, ...), labels (n,), logits (n, classes); or labels (n, T), logits (n, T, classes).
        Features are (n, ...) too, and each mask broadcasts to them without the first axis.

    >>> model = nn.Linear(2, 2, bias=False)
    >>> _ = nn.init.eye_(model.weight)  # the larger input wins
    >>> inputs = torch.tensor([[2.0, 1.0], [1.0, 2.0], [3.0, 1.0], [1.0, 3.0]])
    >>> groups = {"first": torch.tensor([True, False]), "second": torch.tensor([False, True])}
    >>> [a.drop for a in ablate(model, inputs, torch.tensor([0, 1, 0, 1]), groups)]
    [0.5, 0.5]
    """
    require_choice(kind, get_args(Kind), "kind")
    if not isinstance(groups, Mapping):
        raise TypeError(f"groups must have a mask for each label, got a {type(groups).__name__}")
    if metric is not None and not callable(metric):
        raise TypeError(f"metric must be a function of logits and labels, got {metric!r:.80}")
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch module, got a {type(model).__name__}")
    if at is not None and not any(module is at for module in model.modules()):
        raise ValueError(
            f"at must be a submodule of the model itself, got a {type(at).__name__} that is "
            "not part of it; pass the object itself, for example model.embedding"
        )
    size = _require_samples(inputs, labels)
    step = as_integer(batch_size, "batch_size", at_least=1)
    # batches are moved one by one: the inputs may be larger than the memory of a device
    device = next(chain(model.parameters(), model.buffers(), [labels])).device

    def answer(
        change: Callable[[slice, int, Tensor], Tensor],
    ) -> tuple[Tensor, int, float | None]:
        """Return which answers are correct, how many are NaN, and the mean of the metric."""
        correct, values, missing = [], [], 0
        for start in range(0, size, step):
            here = slice(start, start + step)
            batch = select_inputs(inputs, here, device)
            logits = run_changed(model, at, batch, partial(change, here))
            known, given = _pick_answers(logits, labels[here].to(logits.device))
            correct.append(right_answers(known, given))
            missing += count_missing(known)
            if metric is not None:
                values.append(_require_metric(metric(known, given), len(given)))
        mean = float(torch.cat(values).double().mean()) if values else None
        return torch.cat(correct), missing, mean

    seen: dict[int, list[Tensor]] = {}

    def remember(here: slice, call: int, features: Tensor) -> Tensor:  # noqa: ARG001
        # Zeros need only the shape. A copy, since the next layer may change the features in place.
        kept = (features[:0] if kind == "zero" else features).clone()
        seen.setdefault(call, []).append(kept)
        return features

    with torch.no_grad(), evaluating(model):
        before, nan_before, metric_before = answer(remember)
        others = [replacement(kind, torch.cat(f), size=size, seed=seed) for f in seen.values()]
        ablations = []
        for label, mask in groups.items():
            masks = [_require_mask(mask, label, features) for features in others]

            # masks are bound now, since the function outlives this turn of the loop
            def replace(
                here: slice, call: int, features: Tensor, masks: list[Tensor] = masks
            ) -> Tensor:
                return torch.where(masks[call], others[call][here], features)

            after, nan_after, metric_after = answer(replace)
            lost, gained = int((before & ~after).sum()), int((after & ~before).sum())
            counts = (len(before), int(before.sum()), lost, gained)
            metrics = (metric_before, metric_after)
            ablations.append(Ablation(label, kind, *counts, *metrics, nan_before, nan_after))
    return ablations


def replacement(kind: Kind, features: Tensor, *, size: int, seed: int) -> Tensor:
    """Return the features that replace those of each of ``size`` inputs.

    For "zero" only shape, dtype and device of the features count, and their first axis may be
    empty.

    Shape:
        (n, ...) → (n, ...).

    >>> replacement("mean", torch.tensor([[1.0, 2.0], [3.0, 6.0]]), size=2, seed=0).tolist()
    [[2.0, 4.0], [2.0, 4.0]]
    """
    if kind == "permute":
        generator = torch.Generator(device="cpu")
        generator.manual_seed(as_integer(seed, "seed", at_least=0) % 2**63)
        # on the CPU, so that every device draws the same permutation
        order = torch.randperm(size, generator=generator, device="cpu")
        return features[order.to(features.device)]
    if not features.is_floating_point():
        raise TypeError(
            f"kind {kind!r} needs floating-point features, got {features.dtype}; pass the "
            "submodule that embeds the integers as at, or use kind='permute'"
        )
    one = features.new_zeros(features.shape[1:]) if kind == "zero" else features.mean(0)
    return one.expand(size, *one.shape)


def run_changed(model: nn.Module, at: nn.Module | None, batch: Inputs, change: Change) -> Tensor:
    """Return the logits for a batch, with its features changed: the output of ``at``, or itself.

    Logits are the output of the model, its attribute ``logits``, or its first element.

    >>> linear = nn.Linear(2, 2)
    >>> model = nn.Sequential(linear, nn.Flatten())
    >>> bool((run_changed(model, linear, torch.ones(1, 2), lambda call, x: 0 * x) == 0).all())
    True
    """
    size, calls = count_inputs(batch), 0

    def hook(module: nn.Module, _arguments: tuple[object, ...], features: object) -> Tensor:
        nonlocal calls
        calls += 1
        if not isinstance(features, Tensor) or features.shape[:1] != (size,):
            raise ValueError(
                f"the output of the submodule {type(module).__name__} must be a tensor with one "
                f"entry for each of the {size} inputs along its first axis, got "
                f"{_shape(features)}; ablate at another submodule"
            )
        return change(calls - 1, features)

    output: object
    if at is not None:
        with at.register_forward_hook(hook):
            if isinstance(batch, Mapping):
                output = model(**batch)
            else:
                output = model(batch) if isinstance(batch, Tensor) else model(*batch)
        if calls == 0:
            raise ValueError(
                f"the submodule {type(at).__name__} must be called when the model runs, got no "
                "call; the model may skip it, use only its weights, or be compiled"
            )
    elif isinstance(batch, Tensor):
        output = model(change(0, batch))
    else:
        raise ValueError(
            "at must name the submodule whose output is the features if the inputs are not "
            f"one tensor, got inputs in a {type(batch).__name__}"
        )
    # as models of transformers return them
    logits = getattr(output, "logits", output)
    logits = logits[0] if isinstance(logits, tuple | list) and logits else logits
    if not isinstance(logits, Tensor) or logits.ndim < 2 or len(logits) != size:
        raise ValueError(
            f"the model must return logits of shape ({size}, classes) for {size} inputs, or "
            f"({size}, T, classes), got {_shape(logits)}; wrap it in a module that returns "
            "only the logits"
        )
    return logits


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode, and restore the mode of every submodule afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def select_inputs(inputs: Inputs, here: slice, device: torch.device) -> Any:
    """Return a batch of inputs on a device, in copies that a model may change in place."""
    return _map_tensors(inputs, lambda tensor: tensor[here].to(device, copy=True))


def count_inputs(batch: Inputs) -> int:
    """Return n, the length of all tensors of a batch; raise an error if they differ."""
    if not isinstance(batch, Tensor | Mapping | tuple):
        raise TypeError(
            "inputs must be a torch tensor, or a mapping or tuple of tensors, got a "
            f"{type(batch).__name__}"
        )
    sizes = set()

    def count(tensor: Tensor) -> Tensor:
        require_dense(tensor, "inputs")
        sizes.add(len(tensor) if tensor.ndim else 0)
        return tensor

    _map_tensors(batch, count)
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(
            "inputs must have at least one sample, and all tensors the same number, got lengths "
            f"{sorted(sizes)}"
        )
    return sizes.pop()


def _map_tensors(batch: Inputs, function: Callable[[Tensor], Tensor]) -> Any:
    """Return a batch with its tensors changed; what else a model is given stays as it is."""
    if isinstance(batch, Tensor):
        return function(batch)
    if isinstance(batch, Mapping):
        return dict(zip(batch, _map_tensors(tuple(batch.values()), function), strict=True))
    return tuple(function(value) if isinstance(value, Tensor) else value for value in batch)


def _require_samples(inputs: Inputs, labels: Tensor) -> int:
    """Return the number of inputs, if the labels fit them."""
    require_tensor(labels, "labels")
    require_values(labels, "labels")
    require_integer_tensor(labels)
    size = count_inputs(inputs)
    if labels.shape[:1] != (size,):
        raise ValueError(
            f"labels must have one class for each of the {size} inputs, got shape "
            f"{tuple(labels.shape)}"
        )
    if bool((labels == IGNORED).all()):
        raise ValueError(f"labels must have at least one answer, got only {IGNORED}")
    return size


def _pick_answers(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logits and labels of the answers that count, (answers, classes), (answers,)."""
    if labels.shape != logits.shape[:-1]:
        raise ValueError(
            f"labels must have the shape of the logits without the classes, "
            f"{tuple(logits.shape[:-1])}, got {tuple(labels.shape)}"
        )
    counted = labels != IGNORED
    known, given = logits[counted], labels[counted]
    if given.numel() and not 0 <= int(given.min()) <= int(given.max()) < logits.shape[-1]:
        wrong = int(given.min()) if int(given.min()) < 0 else int(given.max())
        raise ValueError(
            f"labels must be classes 0 … {logits.shape[-1] - 1} of the model, or {IGNORED} where "
            f"there is no answer, got {wrong}"
        )
    return known, given


def _require_metric(values: object, answers: int) -> Tensor:
    """Return the values of a metric, if there is one for each answer."""
    if not isinstance(values, Tensor) or values.shape != (answers,):
        given = _shape(values) if isinstance(values, Tensor) else repr(values)
        raise ValueError(
            f"metric must return one value for each of {answers} answers, got {given:.80}; a loss "
            "needs reduction='none'"
        )
    return values


def _require_mask(mask: Tensor, label: object, features: Tensor) -> Tensor:
    """Return a mask on the device of the features, if it broadcasts to those of one input."""
    require_tensor(mask, f"the mask of group {label!r}")
    shape = tuple(features.shape[1:])
    # as broadcasting would, but without a new axis or a longer one
    fits = mask.ndim <= len(shape) and all(
        m in (1, n) for m, n in zip(reversed(mask.shape), reversed(shape), strict=False)
    )
    if mask.dtype != torch.bool or not fits:
        raise ValueError(
            f"the mask of group {label!r} must have dtype torch.bool and broadcast to the features "
            f"of one input, of shape {shape}, got {mask.dtype} of shape {tuple(mask.shape)}"
        )
    return mask.to(features.device)


def _shape(value: object) -> str:
    return (
        f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else f"a {type(value).__name__}"
    )
