"""Studies: the paper's three experiments as lists of models, the profiles, and settings files."""

from primefourier.lab.studies.paper import (
    EXPERIMENTS,
    PROFILES,
    CompositeModuli,
    ShuffledControl,
    SinglePrime,
    models_of,
    profile,
)
from primefourier.lab.studies.settings_file import read_settings
from primefourier.lab.studies.study import Study

__all__ = [
    "EXPERIMENTS",
    "PROFILES",
    "CompositeModuli",
    "ShuffledControl",
    "SinglePrime",
    "Study",
    "models_of",
    "profile",
    "read_settings",
]
