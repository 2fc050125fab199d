"""The cells of the paper's configurations, whatever study or run their networks belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from functools import cache

from primefourier.analysis.ablation import Kind
from primefourier.lab import Run
from primefourier.lab.cells import Cell, leave_out_diverged
from primefourier.lab.config import ModelConfig, Training, prime_parts
from primefourier.lab.embeddings import PrimeFourier, ShuffledPrimeFourier
from primefourier.lab.networks import RowClassifier
from primefourier.lab.parts import PARTS
from primefourier.lab.record import Record
from primefourier.lab.tasks import ModularArithmetic
from primefourier_paper.experiments import EXPERIMENTS
from primefourier_paper.grids import modulus_of

WITHOUT = ("exp1 without N", "exp2 without N")
"""Experiments 1 (|P| ≤ 8) and 2 with a basis that lacks the primes of N."""

Configuration = tuple[str, int, int]
"""Experiment, row and input range."""
_Recipe = tuple[type, tuple[object, ...]]


@cache
def _places() -> dict[_Recipe, Configuration]:
    """Return the place of each of the paper's models, and of those without the primes of N."""
    found: dict[_Recipe, Configuration] = {}
    for name, experiment in EXPERIMENTS.items():
        for config in experiment().configs:
            embedding, task = prime_parts(config)
            row = task.modulus if experiment.one_model_per_cell else len(embedding.primes)
            found[_recipe(config)] = name, row, task.input_range
            if name == "exp2" or (name == "exp1" and row <= 8):
                primes = tuple(p for p in embedding.primes if task.modulus % p)
                # S.7 asks about these; their place is that of the network with all primes.
                lacking = replace(config, embedding=replace(embedding, primes=primes))
                found[_recipe(lacking)] = f"{name} without N", row, task.input_range
    return found


@cache
def _models() -> Counter[Configuration]:
    """Return how many models of one seed each configuration has."""
    return Counter(_places().values())


def place_of(config: ModelConfig) -> Configuration | None:
    """Return the place of a model among the paper's, whatever its seed; None if it has none.

    What a model is decides, not the name of its study. Tests beyond the range, further kinds of
    ablation and how often it was tested do not change a network, so they do not count.
    """
    embedding, task, training = config.embedding, config.task, config.training
    if not (
        type(embedding) in (PrimeFourier, ShuffledPrimeFourier)
        and type(task) is ModularArithmetic
        and type(config.network) is RowClassifier
        and type(training) is Training
    ):
        return None
    return _places().get(_recipe(config))


def _recipe(config: ModelConfig) -> _Recipe:
    """Return what decides a network, but its seed and what is only measured besides."""
    parts = {kind: getattr(config, kind) for kind in PARTS}
    found = {
        (kind, field.name): getattr(part, field.name)
        for kind, part in parts.items()
        for field in fields(part)
        if field.name not in ("beyond", "beyond_samples", "test_every")
    }
    # The control shuffles by the model's seed; a shuffle with another seed is not the paper's.
    if found.get(("embedding", "seed")) == config.seed:
        found["embedding", "seed"] = "that of the model"
    return type(config.embedding), tuple(found.items())


def paper_cells(records: Iterable[Record], *, kind: Kind = "zero") -> dict[str, list[Cell]]:
    """Return the cells of the paper's configurations, by experiment.

    Other settings do not count, and a seed counts only if it has all models of the cell. Of
    several records of one model the first counts.

    Args:
        records: The records of one or several runs.
        kind: The kind of ablation: zero in the paper.
    """
    found: dict[Configuration, dict[int, dict[int, Record]]] = {}
    for record in records:
        if record.knows(kind) and (at := place_of(record.config)):
            seed = found.setdefault(at, {}).setdefault(record.config.seed, {})
            # Of several records of one model the first counts: those of the run itself come first.
            seed.setdefault(modulus_of(record), record)
    cells: dict[str, list[Cell]] = {name: [] for name in (*EXPERIMENTS, *WITHOUT)}
    for place, seeds in sorted(found.items()):
        name, row, column = place
        whole = {
            s: some.values() for s, some in sorted(seeds.items()) if len(some) == _models()[place]
        }
        # NaN answers count as class 0, so such a network's drops say nothing.
        by_seed, diverged = leave_out_diverged(whole)
        if by_seed:
            experiment = EXPERIMENTS[name.partition(" ")[0]]
            title = f"{experiment.axes[0].name} = {row}, r = {column}"
            threshold = experiment.threshold
            cells[name].append(Cell(title, row, column, by_seed, threshold, kind, diverged))
    return cells


def cells_of(run: Run, kind: Kind = "zero") -> dict[str, list[Cell]]:
    """Return the cells of the paper's configurations in a run, by experiment."""
    return paper_cells([*run.records, *run.more], kind=kind)


def usable_places(name: str) -> list[tuple[int, int]]:
    """Return rows and ranges of an experiment; without those where no sum wraps around."""
    places = (place for place in _models() if place[0] == name)
    return [(row, r) for name, row, r in places if "exp2" not in name or 2 * (r - 1) >= row]
