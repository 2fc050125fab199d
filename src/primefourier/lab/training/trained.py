"""What training gives: the network, and how well it answered after each epoch."""

from __future__ import annotations

from dataclasses import dataclass

from primefourier.lab.model import RowClassifier


@dataclass(frozen=True)
class Trained:
    """A trained model and the number of its correct test answers after each epoch."""

    model: RowClassifier
    correct: tuple[int, ...]
