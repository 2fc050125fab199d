"""The result of an ablation: the accuracy that a classifier loses without a group of features.

This module needs no torch, so that results can be read without it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar

from primefourier._checks import require_choice
from primefourier.analysis.statistics import noise_floor, paired_p_value

Kind = Literal["zero", "mean", "permute"]
"""The replacement of ablated features: zeros, their mean, or the features of another input."""

Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True)
class Ablation(Generic[Label]):
    """The answers of a classifier before and after one group of features is ablated.

    Attributes:
        label: The name of the group.
        kind: The replacement of the features.
        size: n, the number of answers.
        correct_before: The number of correct answers with all features.
        lost: The number of correct answers that become wrong.
        gained: The number of wrong answers that become correct.
        metric_before: The mean of the metric with all features, if there is a metric.
        metric_after: The same without the group.
        nan_before: The number of answers with all features that are none, since a logit is NaN or
            all are -inf. They count as wrong.
        nan_after: The same without the group.

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
    metric_before: float | None = None
    metric_after: float | None = None
    nan_before: int = 0
    nan_after: int = 0

    def __post_init__(self) -> None:
        # counts that no network can give would make shares outside 0 … 1
        wrong_before = self.size - self.correct_before
        if self.size < 1 or not (
            0 <= self.lost <= self.correct_before and 0 <= self.gained <= wrong_before
        ):
            raise ValueError(
                "an ablation needs size ≥ 1, 0 ≤ lost ≤ correct_before ≤ size and 0 ≤ gained ≤ "
                f"size - correct_before, got {self}"
            )
        wrong_after = wrong_before + self.lost - self.gained
        if not (0 <= self.nan_before <= wrong_before and 0 <= self.nan_after <= wrong_after):
            raise ValueError(f"an answer that is NaN must count as a wrong one, got {self}")

    @property
    def diverged(self) -> bool:
        """Whether some answer is NaN with all features, so that drops say nothing."""
        return self.nan_before > 0

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
        """The accuracy lost without the group, accuracy - ablated_accuracy."""
        return (self.lost - self.gained) / self.size

    @property
    def p_value(self) -> float:
        """The exact p-value of the changed answers, see :func:`paired_p_value`."""
        return paired_p_value(self.lost, self.gained)

    @property
    def noise_floor(self) -> float:
        """The paper's noise floor for this number of answers, see :func:`noise_floor`."""
        return noise_floor(self.size)

    @property
    def distinguishable(self) -> bool:
        """Whether the absolute drop reaches the noise floor."""
        return abs(self.drop) >= self.noise_floor


_COUNTS = ("size", "correct_before", "lost", "gained", "nan_before", "nan_after")
_SHARES = ("accuracy", "ablated_accuracy", "drop", "p_value", "metric_before", "metric_after")


def ablation_frame(
    ablations: Iterable[Ablation[Any]],
    library: Literal["pandas", "polars"] = "pandas",
    *,
    relevant: Collection[Hashable] | None = None,
) -> Any:
    """Return ablations as a data frame in long form, one row per group and kind.

    Counts are int64, the rest float64; labels stay integers if all are, and are texts otherwise.
    Shares are missing where ``diverged`` is true, since nothing can be said of them.

    Args:
        ablations: The results of :func:`ablate`, of one or several kinds.
        library: Whose data frame it is.
        relevant: The labels of relevant groups, for a boolean column of this name.

    >>> ablation = Ablation(3, "zero", size=2000, correct_before=1990, lost=1300, gained=4)
    >>> ablation_frame([ablation], relevant=[3])[["label", "kind", "drop", "relevant"]]
       label  kind   drop  relevant
    0      3  zero  0.648      True
    """
    require_choice(library, ("pandas", "polars"), "library")
    found = list(ablations) if isinstance(ablations, Iterable) else [ablations]
    for one in found:
        if not isinstance(one, Ablation):
            raise TypeError(
                f"ablations must be several results of ablate, got {type(one).__name__}; pass the "
                "list that ablate returns"
            )
    # a column has one type: integers if all labels are, else text
    labels = [a.label for a in found]
    whole = bool(found) and all(type(label) is int for label in labels)
    types: dict[str, type] = {"label": int if whole else str, "kind": str}
    types |= dict.fromkeys(_COUNTS, int) | {"diverged": bool} | dict.fromkeys(_SHARES, float)
    columns: dict[str, list[Any]] = {n: [getattr(a, n) for a in found] for n in types}
    for name in _SHARES:
        columns[name] = [None if a.diverged else getattr(a, name) for a in found]
    columns["label"] = labels if whole else [str(label) for label in labels]
    if relevant is not None:
        types["relevant"] = bool
        columns["relevant"] = [label in relevant for label in labels]
    try:
        frame = import_module(library).DataFrame
    except ImportError as error:
        raise ImportError(f"a {library} frame needs {library}: pip install {library}") from error
    return frame(columns).astype(types) if library == "pandas" else frame(columns, schema=types)
