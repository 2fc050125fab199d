"""The laboratory: the paper's experiments, from pairs of integers to judged claims.

Data flows one way: studies give configs, a sweep measures each config and stores a record, and a
:class:`Run` makes claims, figures, pages and exports of the records. Names are loaded when they are
first used, so that results can be read without torch, dask and matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from primefourier.lab.config import ModelConfig as ModelConfig
    from primefourier.lab.config import Training as Training
    from primefourier.lab.embeddings import LearnedTable as LearnedTable
    from primefourier.lab.embeddings import Periods as Periods
    from primefourier.lab.embeddings import PrimeFourier as PrimeFourier
    from primefourier.lab.embeddings import ShuffledPrimeFourier as ShuffledPrimeFourier
    from primefourier.lab.measurement import measure as measure
    from primefourier.lab.networks import Linear as Linear
    from primefourier.lab.networks import Mlp as Mlp
    from primefourier.lab.networks import RowClassifier as RowClassifier
    from primefourier.lab.networks import Transformer as Transformer
    from primefourier.lab.parts import Embedding as Embedding
    from primefourier.lab.parts import InputShape as InputShape
    from primefourier.lab.parts import Network as Network
    from primefourier.lab.parts import Task as Task
    from primefourier.lab.parts import TrainingPart as TrainingPart
    from primefourier.lab.parts import UnknownPart as UnknownPart
    from primefourier.lab.parts import register as register
    from primefourier.lab.results import Run as Run
    from primefourier.lab.results import open_run as open  # noqa: A004
    from primefourier.lab.studies.study import Axis as Axis
    from primefourier.lab.studies.study import Study as Study
    from primefourier.lab.sweep import run as run
    from primefourier.lab.tasks import IntegerClassification as IntegerClassification
    from primefourier.lab.tasks import ModularArithmetic as ModularArithmetic

__all__ = [
    "Axis",
    "Embedding",
    "InputShape",
    "IntegerClassification",
    "LearnedTable",
    "Linear",
    "Mlp",
    "ModelConfig",
    "ModularArithmetic",
    "Network",
    "Periods",
    "PrimeFourier",
    "RowClassifier",
    "Run",
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
]

_HOMES = {
    "Axis": ("studies.study", "Axis"),
    "Embedding": ("parts", "Embedding"),
    "InputShape": ("parts", "InputShape"),
    "IntegerClassification": ("tasks", "IntegerClassification"),
    "LearnedTable": ("embeddings", "LearnedTable"),
    "Linear": ("networks", "Linear"),
    "Mlp": ("networks", "Mlp"),
    "ModelConfig": ("config", "ModelConfig"),
    "ModularArithmetic": ("tasks", "ModularArithmetic"),
    "Network": ("parts", "Network"),
    "Periods": ("embeddings", "Periods"),
    "PrimeFourier": ("embeddings", "PrimeFourier"),
    "RowClassifier": ("networks", "RowClassifier"),
    "Run": ("results", "Run"),
    "ShuffledPrimeFourier": ("embeddings", "ShuffledPrimeFourier"),
    "Study": ("studies.study", "Study"),
    "Task": ("parts", "Task"),
    "Training": ("config", "Training"),
    "TrainingPart": ("parts", "TrainingPart"),
    "Transformer": ("networks", "Transformer"),
    "UnknownPart": ("parts", "UnknownPart"),
    "measure": ("measurement", "measure"),
    "register": ("parts", "register"),
    "run": ("sweep", "run"),
    "open": ("results", "open_run"),
}
"""The module of each public name, and its name there."""


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, inner = _HOMES[name]
    return getattr(import_module(f"{__name__}.{module}"), inner)
