"""Which grids of a run are the paper's experiments.

A store may come from somebody else, so what it says of a study is not believed: the experiment with
its settings must make each of its models.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from primefourier.lab.config import ModelConfig, prime_parts
from primefourier.lab.grid import Grid
from primefourier.lab.record import Record
from primefourier_paper.experiments import EXPERIMENTS, Experiment


@cache  # grids are compared by identity
def experiment_of(grid: Grid) -> type[Experiment] | None:
    """Return the experiment that a grid belongs to, if any."""
    study = grid.study
    experiment = EXPERIMENTS.get(study.kind)
    if experiment is None or study.axes != experiment.axes:
        return None
    # Lists of rows and ranges choose among models and change none, so any value does here.
    rows: dict[str, Any] = {experiment.row_setting: (2 if experiment.one_model_per_cell else 1,)}
    try:
        maker = experiment.from_dict({**study.settings, **rows, "ranges": (2,)})
        made = all(_is_made_by(maker, config) for config in grid.planned)
    except (AttributeError, TypeError, ValueError):  # other parts, or values no experiment has
        return None
    return experiment if made else None


def _is_made_by(experiment: Experiment, config: ModelConfig) -> bool:
    embedding, task = prime_parts(config)
    if experiment.one_model_per_cell:
        fits = embedding.primes == experiment.primes
    else:
        # Rows are the first primes of the pool: the same models whatever sizes are planned.
        first = experiment.primes[: len(embedding.primes)]
        fits = embedding.primes == first and task.modulus in first
    return fits and config == experiment.config(
        task.modulus, task.input_range, embedding.primes, config.seed
    )


def follows_paper(grid: Grid) -> bool:
    """Return whether a grid is an experiment of the paper, with the paper's settings."""
    return experiment_of(grid) is not None and not grid.study.settings


def rank(grid: Grid) -> tuple[int, bool] | None:
    """Return the place of an experiment in the paper, then with other settings; None for others."""
    experiment = experiment_of(grid)
    if experiment is None:
        return None
    return list(EXPERIMENTS).index(experiment.short_name), not follows_paper(grid)


def modulus_of(record: Record) -> int:
    """Return the modulus of a model."""
    return prime_parts(record.config)[1].modulus
