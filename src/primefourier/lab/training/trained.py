"""What training gives: the network, and how well it answered after each epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from primefourier.lab.model import RowClassifier

Look = Callable[[RowClassifier], None]
"""What may look at the network before training and after each epoch; it must not change it."""


@dataclass(frozen=True)
class Trained:
    """A trained model and the number of its correct test answers after each epoch."""

    model: RowClassifier
    correct: tuple[int, ...]
