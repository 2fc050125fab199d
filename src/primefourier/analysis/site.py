"""The place in a model where features are read and replaced: its input, or a submodule's output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torch import Tensor, nn


class FeatureSite:
    """The place whose features an ablation changes.

    Args:
        model: The model.
        at: The submodule whose output is the features; None for the input of the model.

    >>> import torch
    >>> linear = nn.Linear(2, 2, bias=False)
    >>> model = nn.Sequential(linear, nn.Flatten())
    >>> site = FeatureSite(model, linear)
    >>> bool((site.run(torch.ones(1, 2), torch.zeros_like) == 0).all())
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

    def run(self, batch: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
        """Return the output of the model for a batch, with ``change`` applied to its features.

        Shape:
            ``change`` gets features of shape (n, ...), one entry per input of the batch.
        """
        if self.at is None:
            output = self.model(change(batch))
        else:
            output = self._run_through_hook(self.at, batch, change)
        if not isinstance(output, Tensor) or output.ndim != 2 or len(output) != len(batch):
            raise ValueError(
                f"the model must return logits of shape ({len(batch)}, classes) for {len(batch)} "
                f"inputs, got {_shape(output)}; wrap it in a module that returns only the logits"
            )
        return output

    def _run_through_hook(
        self, at: nn.Module, batch: Tensor, change: Callable[[Tensor], Tensor]
    ) -> object:
        kind, calls = type(at).__name__, 0
        once = f"the submodule {kind} must be called exactly once when the model runs, got "

        def hook(module: nn.Module, arguments: tuple[object, ...], features: object) -> Tensor:  # noqa: ARG001
            nonlocal calls
            calls += 1
            if calls > 1:
                raise ValueError(
                    f"{once}a second call; let the model call it for all operands at once, or "
                    "ablate at a later submodule"
                )
            if not isinstance(features, Tensor) or features.shape[:1] != batch.shape[:1]:
                raise ValueError(
                    f"the output of the submodule {kind} must be a tensor with one entry for each "
                    f"of the {len(batch)} inputs along its first axis, got {_shape(features)}; "
                    "ablate at another submodule"
                )
            return change(features)

        with at.register_forward_hook(hook):
            output: object = self.model(batch)
        if calls == 0:
            raise ValueError(
                f"{once}no call; the model may skip it, use only its weights, or be compiled"
            )
        return output


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
