"""Two trainers for one network: ``plain``, to be read, and ``fast``, to be used."""

from collections.abc import Callable

from primefourier.lab.config import ModelConfig
from primefourier.lab.training.examples import Examples, make_examples
from primefourier.lab.training.fast import train_fast
from primefourier.lab.training.plain import train_plain
from primefourier.lab.training.trained import Trained

TRAINERS: dict[str, Callable[[ModelConfig, Examples], Trained]] = {
    "fast": train_fast,
    "plain": train_plain,
}

__all__ = ["TRAINERS", "Examples", "Trained", "make_examples", "train_fast", "train_plain"]
