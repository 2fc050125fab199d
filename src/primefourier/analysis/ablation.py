"""Ablation: take groups of features away from a trained classifier and count what it loses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Generic, TypeVar, get_args

import torch
from torch import Tensor, nn

from primefourier.analysis.choices import require_choice
from primefourier.analysis.groups import require_mask
from primefourier.analysis.noise_floor import noise_floor
from primefourier.analysis.paired import paired_p_value
from primefourier.analysis.site import FeatureSite, evaluating
from primefourier.analysis.stand_in import Kind, stand_in
from primefourier.arithmetic.integers import as_integer, require_integer_tensor
from primefourier.nn.basis_module import require_tensor

Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True)
class Ablation(Generic[Label]):
    """What became of a classifier's answers when one group of features was taken away.

    Attributes:
        label: The name of the group.
        kind: What the features were replaced with.
        size: n, how many answers there are.
        correct_before: How many were right with all features.
        lost: How many of those became wrong.
        gained: How many wrong ones became right.

    >>> ablation = Ablation(3, "zero", size=2000, correct_before=1990, lost=1300, gained=4)
    >>> ablation.accuracy, ablation.ablated_accuracy, ablation.drop, ablation.distinguishable
    (0.995, 0.347, 0.648, True)
    """

    label: Label
    kind: Kind
    size: int
    correct_before: int
    lost: int
    gained: int

    def __post_init__(self) -> None:
        wrong_before = self.size - self.correct_before
        if self.size < 1 or not (
            0 <= self.lost <= self.correct_before and 0 <= self.gained <= wrong_before
        ):
            raise ValueError(
                "an ablation needs size ≥ 1, 0 ≤ lost ≤ correct_before ≤ size and 0 ≤ gained ≤ "
                f"size - correct_before, got {self}"
            )

    @property
    def accuracy(self) -> float:
        """The accuracy with all features."""
        return self.correct_before / self.size

    @property
    def ablated_accuracy(self) -> float:
        """The accuracy without the group."""
        return (self.correct_before - self.lost + self.gained) / self.size

    @property
    def drop(self) -> float:
        """The accuracy that the group is worth, accuracy - ablated_accuracy."""
        return (self.lost - self.gained) / self.size

    @property
    def p_value(self) -> float:
        """How likely chance alone changes answers so unevenly, see :func:`paired_p_value`."""
        return paired_p_value(self.lost, self.gained)

    @property
    def noise_floor(self) -> float:
        """The paper's noise floor for this many answers, see :func:`noise_floor`."""
        return noise_floor(self.size)

    @property
    def distinguishable(self) -> bool:
        """Whether the drop can be told from zero: it is not below the noise floor."""
        return abs(self.drop) >= self.noise_floor


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
    """Take each group of features away in turn, and count the answers that change.

    The model is left as it was: weights, hooks, training flags and random state.

    Args:
        model: Any classifier: inputs in, logits out.
        inputs: The inputs, wherever they live; batches are moved to the model.
        labels: The right class of each input.
        groups: For each label a mask of torch.bool, True at the features of the group; see
            :func:`feature_groups`.
        at: The submodule whose output holds the features, such as the PrimeFourierEmbedding of a
            model that reads integers. Without it the features are the inputs themselves.
        kind: What stands in for the features: "zero", as in the paper; their "mean" over the
            inputs; or "permute", the features of another input, one random permutation of the
            inputs for all features of all groups.
        batch_size: How many inputs the model sees at a time.
        seed: The seed of the permutation.

    Returns:
        One ablation for each group, in the order of the groups.

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

    def right(change: Callable[[slice, Tensor], Tensor]) -> Tensor:
        """Tell which answers are right if the features go through ``change``."""
        answers = []
        for start in range(0, size, step):
            here = slice(start, start + step)
            batch = inputs[here].to(device, copy=True)  # a model may write into its input
            logits = site.run(batch, partial(change, here))
            _require_classes(labels[here], logits.shape[1])
            answers.append(logits.argmax(1) == labels[here].to(logits.device))
        return torch.cat(answers)

    seen: list[Tensor] = []

    def remember(here: slice, features: Tensor) -> Tensor:  # noqa: ARG001
        # Zeros need only the shape. A copy, since the next layer may write into the features.
        seen.append((features[:0] if kind == "zero" else features).clone())
        return features

    with torch.no_grad(), evaluating(model):
        before = right(remember)
        others = stand_in(kind, torch.cat(seen), size=size, seed=seed)

        def replace(mask: Tensor, here: slice, features: Tensor) -> Tensor:
            return torch.where(mask, others[here], features)

        masks = {label: require_mask(mask, label, others) for label, mask in groups.items()}
        ablations = []
        for label, mask in masks.items():
            after = right(partial(replace, mask))
            lost, gained = int((before & ~after).sum()), int((after & ~before).sum())
            ablations.append(Ablation(label, kind, size, int(before.sum()), lost, gained))
    return ablations


def _require_samples(inputs: Tensor, labels: Tensor) -> int:
    require_tensor(inputs, "inputs")
    require_tensor(labels, "labels")
    require_integer_tensor(labels)
    if inputs.ndim == 0 or len(inputs) == 0:
        raise ValueError(f"inputs must hold at least one sample, got shape {tuple(inputs.shape)}")
    if labels.shape != inputs.shape[:1]:
        raise ValueError(
            f"labels must hold one class for each of the {len(inputs)} inputs, got shape "
            f"{tuple(labels.shape)}"
        )
    return len(inputs)


def _require_classes(labels: Tensor, classes: int) -> None:
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= classes:
        raise ValueError(
            f"labels must be classes 0 … {classes - 1} of the model, got {low if low < 0 else high}"
        )
