"""The sweep that is broken on purpose: what it should measure, and what it has lost."""

import re
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path

from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Measurement
from primefourier.lab.store import read_store
from primefourier.lab.studies import SinglePrime
from primefourier.lab.sweep import run

_NAME = re.compile(r"\] (a\+b mod \d+ r=\d+ \|P\|=\d+ epochs=\d+ seed=\d+) accuracy")


@dataclass(frozen=True)
class Sweep:
    """Models of experiment 1, |P| = 4: four for each seed.

    Args:
        seeds: How many seeds.
        input_range: r.
        epochs: Passes over the pairs; they decide how long a model takes.
    """

    seeds: int
    input_range: int = 100
    epochs: int = 10

    @property
    def words(self) -> list[str]:
        """The command line that asks for these models, without --out."""
        seeds = ",".join(map(str, range(self.seeds)))
        sizes = ["--sizes", "4", "--ranges", str(self.input_range), "--epochs", str(self.epochs)]
        return ["run", "exp1", *sizes, "--seeds", seeds]

    @cached_property
    def study(self) -> SinglePrime:
        """The experiment that the command line asks for."""
        seeds = tuple(range(self.seeds))
        return SinglePrime(sizes=(4,), ranges=(self.input_range,), epochs=self.epochs, seeds=seeds)

    @property
    def configs(self) -> Sequence[ModelConfig]:
        """The models."""
        return self.study.configs

    def measure(self, folder: Path) -> dict[str, Measurement]:
        """Measure every model in this process, undisturbed."""
        run(self.study, folder, workers=0)
        return measurements(folder)


def acknowledged(lines: Iterable[str]) -> list[str]:
    """Return the names of the models whose records a driver has reported, in order."""
    return [found[1] for line in lines if (found := _NAME.search(line))]


def measurements(folder: Path) -> dict[str, Measurement]:
    """Return what a folder holds, by the name of the model."""
    with read_store(folder) as store:
        return {r.config.describe(): r.measured for r in store.records() if r.error is None}


@dataclass(frozen=True)
class Damage:
    """What became of the records that were acknowledged; all but the first should be 0."""

    acknowledged: int
    lost: int
    doubled: int
    wrong: int

    def __add__(self, other: "Damage") -> "Damage":
        """Return the damage of two sweeps."""
        return Damage(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def assess(names: list[str], folder: Path, truth: dict[str, Measurement]) -> Damage:
    """Compare what was acknowledged with what a folder holds, and that with the truth.

    A model that was acknowledged twice was trained twice, though its record was safe.
    """
    held = measurements(folder)
    return Damage(
        acknowledged=len(names),
        lost=len(set(names) - set(held)),
        doubled=sum(count - 1 for count in Counter(names).values()),
        wrong=sum(measured != truth[name] for name, measured in held.items()),
    )


def copy_folder(source: Path, target: Path) -> None:
    """Copy what a sweep left, its log included."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
