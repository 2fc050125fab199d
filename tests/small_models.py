"""Models small enough to train in a test."""

import os
import signal
from typing import Any

from primefourier.lab.config import ModelConfig


def small_config(**changes: Any) -> ModelConfig:
    """Return a model that trains in a fraction of a second."""
    values: dict[str, Any] = {
        "experiment": "exp1",
        "modulus": 5,
        "input_range": 30,
        "primes": (3, 5, 7),
        "depth": 2,
        "epochs": 2,
        "batch_size": 100,
    }
    return ModelConfig(**{**values, **changes})


def end_the_process(_config: object, *, device: str, probe: bool) -> None:
    """Stand for a model that takes its process down, as one that needs too much memory does."""
    os.kill(os.getpid(), signal.SIGKILL)
