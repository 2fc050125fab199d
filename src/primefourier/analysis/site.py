"""The place in a model where features are read and replaced: its input, or a submodule's output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn

from primefourier.arithmetic.integers import require_dense

Inputs = Tensor | Mapping[str, Any] | tuple[Any, ...]
Change = Callable[[int, Tensor], Tensor]


class FeatureSite:
    """The place whose features an ablation changes.

    Args:
        model: The model.
        at: The submodule whose output is the features; None for the input of the model.

    >>> linear = nn.Linear(2, 2, bias=False)
    >>> model = nn.Sequential(linear, nn.Flatten())
    >>> site = FeatureSite(model, linear)
    >>> bool((site.run(torch.ones(1, 2), lambda call, x: 0 * x) == 0).all())
    True
    """

    def __init__(self, model: nn.Module, at: nn.Module | None) -> None:
        if not isinstance(model, nn.Module):
            raise TypeError(f"model must be a torch module, got a {type(model).__name__}")
        if at is not None and not any(module is at for module in model.modules()):
            raise ValueError(
                f"at must be a submodule of the model itself, got a {type(at).__name__} that is "
                "not part of it; pass the object itself, for example model.embedding"
            )
        self.model = model
        self.at = at

    def run(self, batch: Inputs, change: Change) -> Tensor:
        """Return the logits of the model for a batch, with ``change`` applied to its features.

        Args:
            batch: A tensor; or a mapping, which the model gets as keyword arguments, or a tuple,
                which it gets as positional arguments.
            change: Gets the number of the call of the submodule, and its features (n, ...), one
                entry per input of the batch.

        Returns:
            The logits: the output of the model, its attribute ``logits``, or its first element.

        Shape:
            (n, classes), or (n, T, classes) for T answers per input.
        """
        size = count_inputs(batch)
        if self.at is not None:
            output = self._run_through_hook(self.at, batch, size, change)
        elif isinstance(batch, Tensor):
            output = self.model(change(0, batch))
        else:
            raise ValueError(
                "at must name the submodule whose output is the features if the inputs are not "
                f"one tensor, got inputs in a {type(batch).__name__}"
            )
        logits = getattr(output, "logits", output)
        logits = logits[0] if isinstance(logits, tuple | list) and logits else logits
        if not isinstance(logits, Tensor) or logits.ndim < 2 or len(logits) != size:
            raise ValueError(
                f"the model must return logits of shape ({size}, classes) for {size} inputs, or "
                f"({size}, T, classes), got {_shape(logits)}; wrap it in a module that returns "
                "only the logits"
            )
        return logits

    def _run_through_hook(self, at: nn.Module, batch: Inputs, size: int, change: Change) -> object:
        kind, calls = type(at).__name__, 0

        def hook(module: nn.Module, arguments: tuple[object, ...], features: object) -> Tensor:  # noqa: ARG001
            nonlocal calls
            calls += 1
            if not isinstance(features, Tensor) or features.shape[:1] != (size,):
                raise ValueError(
                    f"the output of the submodule {kind} must be a tensor with one entry for each "
                    f"of the {size} inputs along its first axis, got {_shape(features)}; "
                    "ablate at another submodule"
                )
            return change(calls - 1, features)

        with at.register_forward_hook(hook):
            if isinstance(batch, Mapping):
                output: object = self.model(**batch)
            else:
                output = self.model(batch) if isinstance(batch, Tensor) else self.model(*batch)
        if calls == 0:
            raise ValueError(
                f"the submodule {kind} must be called when the model runs, got no call; the model "
                "may skip it, use only its weights, or be compiled"
            )
        return output


def count_inputs(batch: Inputs) -> int:
    """Return n, the length of all tensors of a batch; raise an error if they differ."""
    if not isinstance(batch, Tensor | Mapping | tuple):
        raise TypeError(
            "inputs must be a torch tensor, or a mapping or tuple of tensors, got a "
            f"{type(batch).__name__}"
        )
    parts = batch.values() if isinstance(batch, Mapping) else batch
    tensors = [batch] if isinstance(batch, Tensor) else [x for x in parts if isinstance(x, Tensor)]
    for tensor in tensors:
        require_dense(tensor, "inputs")
    sizes = {len(tensor) if tensor.ndim else 0 for tensor in tensors}
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(
            "inputs must have at least one sample, and all tensors the same number, got lengths "
            f"{sorted(sizes)}"
        )
    return sizes.pop()


def select_inputs(batch: Inputs, here: slice, device: torch.device) -> Inputs:
    """Return some inputs of a batch, copied to a device; a model may change them in place."""

    def pick(value: Any) -> Any:
        return value[here].to(device, copy=True) if isinstance(value, Tensor) else value

    if isinstance(batch, Mapping):
        return {name: pick(value) for name, value in batch.items()}
    if isinstance(batch, Tensor):
        return cast(Tensor, pick(batch))
    return tuple(pick(value) for value in batch)


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode, and restore the mode of every submodule afterwards.

    >>> model = nn.Dropout()
    >>> with evaluating(model):
    ...     model.training
    False
    >>> model.training
    True
    """
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def _shape(value: object) -> str:
    if isinstance(value, Tensor):
        return f"shape {tuple(value.shape)}"
    return f"a {type(value).__name__}"
