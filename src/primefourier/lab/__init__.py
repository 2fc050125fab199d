"""The laboratory: the paper's experiments, from pairs of integers to judged claims.

Studies give configs, a sweep measures each config and stores a record, and a :class:`Run` makes
claims, figures, pages and exports of the records. Results can be read without torch, dask and
matplotlib, which are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from primefourier.lab.config import ModelConfig, Training
from primefourier.lab.embeddings import (
    Characters,
    LearnedTable,
    Periods,
    Planned,
    PrimeFourier,
    ShuffledPrimeFourier,
)
from primefourier.lab.networks import (
    Channels,
    CRTClassifier,
    Linear,
    Mlp,
    RowClassifier,
    Transformer,
)
from primefourier.lab.parts import (
    Embedding,
    InputShape,
    Network,
    Task,
    TrainingPart,
    UnknownPart,
    register,
)
from primefourier.lab.record import Record
from primefourier.lab.results import Run
from primefourier.lab.results import open_run as open  # noqa: A004
from primefourier.lab.study import Axis, Study
from primefourier.lab.tasks import Examples, IntegerClassification, ModularArithmetic, Samples

if TYPE_CHECKING:
    from primefourier.lab.channel_training import train_channels
    from primefourier.lab.measurement import measure, train
    from primefourier.lab.sweep import run

__all__ = [
    "Axis",
    "CRTClassifier",
    "Channels",
    "Characters",
    "Embedding",
    "Examples",
    "InputShape",
    "IntegerClassification",
    "LearnedTable",
    "Linear",
    "Mlp",
    "ModelConfig",
    "ModularArithmetic",
    "Network",
    "Periods",
    "Planned",
    "PrimeFourier",
    "Record",
    "RowClassifier",
    "Run",
    "Samples",
    "ShuffledPrimeFourier",
    "Study",
    "Task",
    "Training",
    "TrainingPart",
    "Transformer",
    "UnknownPart",
    "measure",
    "open",
    "register",
    "run",
    "train",
    "train_channels",
]


_LATER = {
    "measure": "measurement",
    "run": "sweep",
    "train": "measurement",
    "train_channels": "channel_training",
}


def __getattr__(name: str) -> Any:
    """Load what trains when it is first used: who reads results needs no torch and no processes."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return __all__
