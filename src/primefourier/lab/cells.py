"""Cells: the networks of one configuration, seed by seed, and the means over them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from primefourier.analysis import (
    Interval,
    Ratio,
    mean_interval,
    specialisation_ratio,
)
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record


@dataclass(frozen=True, eq=False)
class Cell:
    """One configuration of a study, over all its seeds.

    A seed counts only if all its models are measured, so no mean is over a part of them. Networks
    that diverged are left out of every mean, and counted.

    Args:
        name: Its values along the axes of the study.
        row: Its value along the first axis.
        column: Its value along the second axis.
        by_seed: The records of each seed that counts.
        threshold: A model has converged if its test accuracy exceeds this after any epoch.
        kind: The kind of ablation.
        diverged: How many networks are left out because they diverged.
    """

    name: str
    row: Any
    column: Any
    by_seed: Mapping[int, Sequence[Record]]
    threshold: float
    kind: Kind = "zero"
    diverged: int = 0

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that count."""
        return tuple(self.by_seed)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The records behind it."""
        return tuple(record for records in self.by_seed.values() for record in records)

    @cached_property
    def drops_by_seed(self) -> dict[int, tuple[float | None, float | None]]:
        """The mean drop of the relevant and of the other rows with each seed; None without any."""
        pairs = {
            seed: zip(*(split_drops(record, self.kind) for record in records), strict=True)
            for seed, records in self.by_seed.items()
        }
        return {seed: (_mean(a), _mean(b)) for seed, (a, b) in pairs.items()}

    @cached_property
    def relevant(self) -> Interval | None:
        """Mean drop of the relevant rows (diagonal, factor); None if there are none."""
        return _over_seeds(relevant for relevant, _ in self.drops_by_seed.values())

    @cached_property
    def other(self) -> Interval | None:
        """Mean drop of the other rows, or of all rows if nothing is predicted; None without any."""
        return _over_seeds(other for _, other in self.drops_by_seed.values())

    @cached_property
    def accuracy(self) -> Interval:
        """Test accuracy."""
        some = self.by_seed.values()
        return mean_interval([statistics.mean(r.measured.accuracy for r in each) for each in some])

    @property
    def converged(self) -> float:
        """Share of the models that converged."""
        best = [max(record.measured.accuracy_by_epoch) for record in self.records]
        return sum(value > self.threshold for value in best) / len(best)

    @property
    def noise_floor(self) -> float:
        """The noise floor of one drop."""
        return self.records[0].measured.noise_floor

    @property
    def degenerate(self) -> bool:
        """Whether no sum wraps around in any of its models."""
        return all(record.config.degenerate for record in self.records)

    @property
    def ratio(self) -> Ratio | None:
        """The specialisation ratio, or its bound where ``other`` is below the noise floor."""
        if self.relevant is None or self.other is None:
            return None
        return specialisation_ratio(self.relevant.mean, self.other.mean, self.noise_floor)

    @property
    def accuracy_beyond(self) -> dict[str, float]:
        """Mean accuracy on each test set beyond the input range, over all models."""
        found: dict[str, list[float]] = {}
        for record in self.records:
            for name, accuracy in record.measured.accuracy_beyond.items():
                found.setdefault(name, []).append(accuracy)
        return {name: statistics.mean(values) for name, values in found.items()}


def make_cell(
    name: str,
    place: tuple[Any, Any],
    planned: Iterable[ModelConfig],
    records: Mapping[str, Record],
    *,
    threshold: float,
    kind: Kind = "zero",
) -> Cell | None:
    """Make the cell of one configuration; None if no seed is complete, or all networks diverged.

    Args:
        name: Its name.
        place: Its values along both axes.
        planned: Its models.
        records: The records, by key.
        threshold: A model has converged if its test accuracy exceeds this after any epoch.
        kind: The kind of ablation.
    """
    seeds: dict[int, list[ModelConfig]] = {}
    for config in planned:
        seeds.setdefault(config.seed, []).append(config)
    # a seed with a gap would be a mean over other models than the next seed
    whole = {
        seed: [records[config.key] for config in configs]
        for seed, configs in sorted(seeds.items())
        if all(c.key in records and records[c.key].knows(kind) for c in configs)
    }
    by_seed, diverged = leave_out_diverged(whole)
    return Cell(name, *place, by_seed, threshold, kind, diverged) if by_seed else None


def leave_out_diverged(
    by_seed: Mapping[int, Iterable[Record]],
) -> tuple[dict[int, list[Record]], int]:
    """Return the networks of each seed that did not diverge, and how many did."""
    every = {seed: list(records) for seed, records in by_seed.items()}
    kept = {seed: [r for r in records if not r.diverged] for seed, records in every.items()}
    diverged = sum(map(len, every.values())) - sum(map(len, kept.values()))
    return {seed: records for seed, records in kept.items() if records}, diverged


def split_drops(record: Record, kind: Kind = "zero") -> tuple[float | None, float | None]:
    """Return a model's mean drop of relevant and of other rows; None where there are none."""
    measured, drops = record.measured, record.row_drops(kind)
    if not measured.relevant:  # nothing is predicted, or no prime of the basis divides N
        return None, statistics.mean(drops)
    parts: tuple[list[float], list[float]] = ([], [])
    for name, drop in zip(measured.row_names, drops, strict=True):
        parts[name not in measured.relevant].append(drop)
    relevant, other = (math.fsum(some) / len(some) if some else None for some in parts)
    return relevant, other


def _over_seeds(means: Iterable[float | None]) -> Interval | None:
    every = list(means)
    known = [mean for mean in every if mean is not None]
    # seeds without such rows have no mean, and an interval over the others would look like all
    return mean_interval(known) if len(known) == len(every) else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None
