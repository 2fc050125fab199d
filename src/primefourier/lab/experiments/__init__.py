"""The paper's three experiments as lists of models, the profiles, and settings files."""

from primefourier.lab.experiments.composite_moduli import CompositeModuli
from primefourier.lab.experiments.experiment import Experiment
from primefourier.lab.experiments.profiles import EXPERIMENTS, PROFILES, models_of, profile
from primefourier.lab.experiments.settings_file import read_settings
from primefourier.lab.experiments.shuffled_control import ShuffledControl
from primefourier.lab.experiments.single_prime import SinglePrime

__all__ = [
    "EXPERIMENTS",
    "PROFILES",
    "CompositeModuli",
    "Experiment",
    "ShuffledControl",
    "SinglePrime",
    "models_of",
    "profile",
    "read_settings",
]
