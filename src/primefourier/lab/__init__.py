"""The laboratory: the paper's experiments, from pairs of integers to judged claims.

Studies give configs, a sweep measures each config and stores a record, and a :class:`Run` makes
claims, figures, pages and exports of the records. Names are loaded when they are first used, so
that results can be read without torch, dask and matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from primefourier.lab.config import ModelConfig as ModelConfig
    from primefourier.lab.config import Training as Training
    from primefourier.lab.embeddings import Characters as Characters
    from primefourier.lab.embeddings import LearnedTable as LearnedTable
    from primefourier.lab.embeddings import Periods as Periods
    from primefourier.lab.embeddings import PrimeFourier as PrimeFourier
    from primefourier.lab.embeddings import ShuffledPrimeFourier as ShuffledPrimeFourier
    from primefourier.lab.measurement import measure as measure
    from primefourier.lab.measurement import train as train
    from primefourier.lab.networks import Channels as Channels
    from primefourier.lab.networks import CRTClassifier as CRTClassifier
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
    from primefourier.lab.results import open_run
    from primefourier.lab.studies.study import Axis as Axis
    from primefourier.lab.studies.study import Study as Study
    from primefourier.lab.sweep import run as run
    from primefourier.lab.tasks import IntegerClassification as IntegerClassification
    from primefourier.lab.tasks import ModularArithmetic as ModularArithmetic

    open = open_run  # noqa: A001

_NAMES = {
    "config": "ModelConfig Training",
    "embeddings": "Characters LearnedTable Periods PrimeFourier ShuffledPrimeFourier",
    "measurement": "measure train",
    "networks": "Channels CRTClassifier Linear Mlp RowClassifier Transformer",
    "parts": "Embedding InputShape Network Task TrainingPart UnknownPart register",
    "results": "Run open",
    "studies.study": "Axis Study",
    "sweep": "run",
    "tasks": "IntegerClassification ModularArithmetic",
}
"""The public names of each module."""


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    for module, names in _NAMES.items():
        if name in names.split():
            inner = "open_run" if name == "open" else name
            return getattr(import_module(f"{__name__}.{module}"), inner)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(name for names in _NAMES.values() for name in names.split())
