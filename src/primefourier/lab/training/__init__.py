"""Two trainers for one network: ``plain``, to be read, and ``fast``, to be used."""

from typing import Protocol

from primefourier.lab.config import ModelConfig
from primefourier.lab.training.examples import Examples, make_examples
from primefourier.lab.training.fast import train_fast
from primefourier.lab.training.plain import train_plain
from primefourier.lab.training.trained import Look, Trained


class Train(Protocol):
    """A trainer: config and examples in, trained network out."""

    def __call__(self, config: ModelConfig, examples: Examples, *, look: Look = ...) -> Trained:
        """Train one model, and let ``look`` see it before training and after each epoch."""


TRAINERS: dict[str, Train] = {
    "fast": train_fast,
    "plain": train_plain,
}

__all__ = [
    "TRAINERS",
    "Examples",
    "Look",
    "Train",
    "Trained",
    "make_examples",
    "train_fast",
    "train_plain",
]
