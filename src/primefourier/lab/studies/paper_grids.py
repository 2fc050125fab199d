"""Which grids of a run are the paper's, and the commands that train their models.

A store may come from somebody else. So neither its names nor its commands are believed: what the
models are decides which experiment they belong to, and commands are made from them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from primefourier.lab.config import ModelConfig, prime_parts
from primefourier.lab.probe import can_be_probed
from primefourier.lab.record import Record
from primefourier.lab.studies.experiment import Experiment
from primefourier.lab.studies.grid import Grid, Place
from primefourier.lab.studies.paper import EXPERIMENTS, PROFILES, models_of, profile


@cache  # grids are compared by identity
def experiment_of(grid: Grid) -> type[Experiment] | None:
    """Return the experiment that a grid belongs to, if any.

    Its settings are read from the models; the experiment with these settings must make each model.
    """
    experiment = EXPERIMENTS.get(grid.study.name.partition(" ")[0])
    if experiment is None or grid.study.axes != experiment.axes:
        return None
    models = grid.planned
    if not models:
        return experiment
    try:
        pool = max((prime_parts(config)[0].primes for config in models), key=len)
        settings: dict[str, Any] = {**experiment.settings_of(models), "primes": pool}
        rows: dict[str, Any] = {
            experiment.row_setting: (2 if experiment.one_model_per_cell else 1,)
        }
        maker = experiment(**settings, **rows, ranges=(2,))
        made = all(_is_made_by(maker, config) for config in models)
    except (AttributeError, TypeError, ValueError):  # other parts, or values no experiment has
        return None
    return experiment if made else None


def _is_made_by(experiment: Experiment, config: ModelConfig) -> bool:
    embedding, task = prime_parts(config)
    if experiment.one_model_per_cell:
        fits = embedding.primes == experiment.primes
    else:
        first = experiment.primes[: len(embedding.primes)]
        fits = embedding.primes == first and task.modulus in first
    return fits and config == experiment.config(
        task.modulus, task.input_range, embedding.primes, config.seed
    )


def differences(grid: Grid) -> dict[str, object]:
    """Return the settings of a grid of an experiment that differ from the paper's."""
    experiment = experiment_of(grid)
    return {} if experiment is None or not grid.planned else experiment.settings_of(grid.planned)


def follows_paper(grid: Grid) -> bool:
    """Return whether a grid has the paper's settings. Both trainers count, since they agree."""
    return experiment_of(grid) is not None and differences(grid).keys() <= {"trainer"}


def in_paper_order(grids: Iterable[Grid]) -> list[Grid]:
    """Return grids with the paper's first, in its order, then its experiments with other settings.

    Studies that are not the paper's come last, in the order of the run.
    """
    names = list(EXPERIMENTS)

    def rank(grid: Grid) -> tuple[int, bool, bool]:
        experiment = experiment_of(grid)
        if experiment is None:
            return len(names), False, False
        return names.index(experiment.short_name), not follows_paper(grid), bool(differences(grid))

    return sorted(grids, key=rank)


def command_words(grid: Grid) -> list[str]:
    """Return the words of a command that trains models of a grid; rows and ranges are missing.

    Settings that equal the paper's are left out. A study of another kind has no such command.
    """
    experiment = experiment_of(grid)
    if experiment is None:
        return []
    words = ["pfe", "run", experiment.short_name]
    for name, value in differences(grid).items():
        text = _join(value) if isinstance(value, tuple) else str(value)
        words += [f"--{name.replace('_', '-')}", text]
    return words


def training_commands(grids: Sequence[Grid], *, probe: bool) -> list[str]:
    """Return commands that train all models of the paper's experiments among some grids.

    Args:
        grids: The grids of a run.
        probe: Whether the commands also probe the networks.
    """
    planned = [config for grid in grids for config in grid.planned]
    seeds = sorted({config.seed for config in planned})
    keys = {config.key for config in planned}
    for name in PROFILES if planned else ():
        one = _profile_keys(name, tuple(seeds)) if len(seeds) <= _MOST_SEEDS else frozenset()
        if keys == one:
            words = ["pfe", "reproduce", "--profile", name]
            return [shlex.join(words + _seed_words(seeds) + ["--probe"] * probe)]
    commands = []
    for grid in grids:
        experiment = experiment_of(grid)
        if experiment is None:
            continue
        for rows, ranges, of_seeds in _blocks(grid):
            words = [*command_words(grid), f"--{experiment.row_setting}", _join(rows)]
            words += ["--ranges", _join(ranges), *_seed_words(of_seeds)]
            probed = probe and can_be_probed(grid.planned[0])
            commands.append(shlex.join(words + ["--probe"] * probed))
    return commands


_MOST_SEEDS = 20


@cache
def _profile_keys(name: str, seeds: tuple[int, ...]) -> frozenset[str]:
    return frozenset(config.key for config in models_of(profile(name, seeds=seeds)))


def _blocks(grid: Grid) -> list[tuple[Sequence[int], ...]]:
    """Cover cells by blocks of rows, ranges and seeds, each with all its combinations."""
    seeds: dict[Place, set[int]] = {
        place: {config.seed for config in configs} for place, configs in grid.by_place.items()
    }
    ranges: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for (row, column), found in sorted(seeds.items()):
        ranges.setdefault((row, tuple(sorted(found))), []).append(column)
    rows: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for (row, of_seeds), of_ranges in ranges.items():
        rows.setdefault((tuple(of_ranges), of_seeds), []).append(row)
    return [(of_rows, *block) for block, of_rows in rows.items()]


def made_by(grid: Grid) -> str:
    """Return the commands that train the models of a grid, for the metadata of a file."""
    probe = any(record.probe for record in grid.found(grid.planned))
    return "; ".join(training_commands([grid], probe=probe))


def modulus_of(record: Record) -> int:
    """Return the modulus of a model."""
    return prime_parts(record.config)[1].modulus


def _seed_words(seeds: Sequence[int]) -> list[str]:
    return [] if list(seeds) == [42] else ["--seeds", _join(seeds)]


def _join(numbers: Iterable[object]) -> str:
    return ",".join(map(str, numbers))
