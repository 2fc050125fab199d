"""Studies: named lists of models, the paper's experiments and profiles."""

from primefourier.lab.studies.control import ControlRow, control_rows
from primefourier.lab.studies.experiment import Experiment
from primefourier.lab.studies.paper import (
    EXPERIMENTS,
    PROFILES,
    CompositeModuli,
    ShuffledControl,
    SinglePrime,
    models_of,
    profile,
)
from primefourier.lab.study import Axis, Study

__all__ = [
    "EXPERIMENTS",
    "PROFILES",
    "Axis",
    "CompositeModuli",
    "ControlRow",
    "Experiment",
    "ShuffledControl",
    "SinglePrime",
    "Study",
    "control_rows",
    "models_of",
    "profile",
]
