"""Models small enough to train in a test."""

from typing import Any

from primefourier.lab import (
    ModelConfig,
    ModularArithmetic,
    PrimeFourier,
    ShuffledPrimeFourier,
    Study,
    Training,
)

TASK = ("operation", "modulus", "input_range", "operands", "samples", "beyond", "beyond_samples")
TRAINING = ("epochs", "batch_size", "learning_rate", "test_every", "optimizer_name", "weight_decay")


def small_config(**changes: Any) -> ModelConfig:
    """Return a model of the paper's kind that trains in a fraction of a second.

    Changes are fields of any of its parts; ``unit`` shuffles its features.
    """
    values: dict[str, Any] = {
        "modulus": 5,
        "input_range": 30,
        "primes": (3, 5, 7),
        "depth": 2,
        "epochs": 2,
        "batch_size": 100,
        "seed": 42,
        **changes,
    }
    task = {name: values.pop(name) for name in TASK if name in values}
    training = {name: values.pop(name) for name in TRAINING if name in values}
    basis = {name: values.pop(name) for name in ("primes", "depth")}
    embedding = PrimeFourier(**basis)
    if "unit" in values:
        embedding = ShuffledPrimeFourier(**basis, unit=values.pop("unit"), seed=values["seed"])
    return ModelConfig(
        embedding=embedding,
        task=ModularArithmetic(**task),
        training=Training(**training),
        **values,
    )


def small_study(*configs: ModelConfig, name: str = "small") -> Study:
    """Return a study of some models, or of one small one."""
    return Study(name, configs or (small_config(),))
