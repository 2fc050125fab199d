"""The profiles of ``pfe reproduce``: how much of the paper to run. All follow its protocol.

Quick holds something of every figure and of every claim that does not need many primes at large r.
"""

from __future__ import annotations

from collections.abc import Sequence

from primefourier.analysis.choices import require_choice
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments.composite_moduli import CompositeModuli
from primefourier.lab.experiments.experiment import Experiment
from primefourier.lab.experiments.shuffled_control import ShuffledControl
from primefourier.lab.experiments.single_prime import SinglePrime

EXPERIMENTS: dict[str, type[Experiment]] = {
    experiment.name: experiment for experiment in (SinglePrime, ShuffledControl, CompositeModuli)
}
PROFILES = ("smoke", "quick", "paper")


def profile(name: str, *, seeds: Sequence[int] = (42,)) -> list[Experiment]:
    """Return the experiments of a profile.

    Args:
        name: smoke (about a minute on two cores), quick (about five), or paper (750 models).
        seeds: Every model is trained once for each.

    >>> [len(models_of(profile(name))) for name in PROFILES]
    [21, 91, 750]
    """
    require_choice(name, PROFILES, "profile")
    chosen = tuple(seeds)
    if name == "smoke":
        return [
            SinglePrime(sizes=(4,), ranges=(100, 500), seeds=chosen),
            ShuffledControl(sizes=(4,), ranges=(100, 500), seeds=chosen),
            CompositeModuli(moduli=(15, 21, 77, 105, 231), ranges=(100,), seeds=chosen),
        ]
    if name == "quick":
        return [
            SinglePrime(sizes=(4,), seeds=chosen),
            SinglePrime(sizes=(8,), ranges=(100, 1000), seeds=chosen),
            SinglePrime(sizes=(16,), ranges=(100,), seeds=chosen),
            ShuffledControl(sizes=(4, 8), ranges=(100, 1000), seeds=chosen),
            CompositeModuli(ranges=(100,), seeds=chosen),
            CompositeModuli(moduli=(77,), seeds=chosen),
            CompositeModuli(moduli=(105,), ranges=(1000,), seeds=chosen),
        ]
    return [SinglePrime(seeds=chosen), ShuffledControl(seeds=chosen), CompositeModuli(seeds=chosen)]


def models_of(experiments: Sequence[Experiment]) -> list[ModelConfig]:
    """Return the models of several experiments, each once."""
    configs = (config for experiment in experiments for config in experiment.configs())
    return list({config.key: config for config in configs}.values())
