"""Cells: the drops of one configuration of a study, as means over its models and seeds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from primefourier.analysis import (
    Interval,
    Ratio,
    drop_bounds,
    mean_interval,
    selectivity,
    specialisation_ratio,
)
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record


class Bounds(NamedTuple):
    """A mean drop with a lower and an upper bound."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Cell:
    """One configuration of a study, over all its seeds.

    A seed counts only if all its models are measured, so no mean is over a part of them. Networks
    that diverged have neither an accuracy nor drops, and are left out of all means.

    Args:
        name: Its values along the axes of the study.
        row: Its value along the first axis.
        column: Its value along the second axis.
        seeds: The seeds that count, those whose networks all diverged excepted.
        relevant: Mean drop of the relevant rows (diagonal, factor); None if there are none.
        other: Mean drop of the other rows (off-diagonal, nonfactor), or of all rows if nothing is
            predicted; None if there are none.
        accuracy: Test accuracy.
        converged: Share of the models that converged.
        noise_floor: The noise floor of one drop.
        degenerate: Whether no sum wraps around in any of its models.
        records: The records behind it, without those of networks that diverged.
        by_seed: ``relevant`` and ``other`` of each seed.
        kind: The kind of ablation.
    """

    name: str
    row: Any
    column: Any
    seeds: tuple[int, ...]
    relevant: Interval | None
    other: Interval | None
    accuracy: Interval
    converged: float
    noise_floor: float
    degenerate: bool
    records: tuple[Record, ...]
    by_seed: Mapping[int, tuple[float | None, float | None]]
    kind: Kind

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

    def bounds(self) -> tuple[Bounds, Bounds] | None:
        """Return exact 95 % bounds on ``relevant`` and ``other``, from the counts of every row.

        Both hold together, for these networks and over all pairs that could have been drawn. They
        say nothing about networks of other seeds. None if there are no relevant or no other rows.
        """
        rows = [
            (name in (record.measured.relevant or ()), lost, gained, record.measured.test_size)
            for record in self.records
            for name, lost, gained in zip(
                record.measured.row_names, *record.row_counts(self.kind), strict=True
            )
        ]
        relevant, lost, gained, size = map(np.array, zip(*rows, strict=True))
        if relevant.all() or not relevant.any():
            return None
        values = np.stack([(lost - gained) / size, *drop_bounds(lost, gained, size)])
        own, others = (values[:, which].mean(axis=1).tolist() for which in (relevant, ~relevant))
        return Bounds(*own), Bounds(*others)


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
    complete = {
        seed: [records[config.key] for config in configs]
        for seed, configs in sorted(seeds.items())
        if all(c.key in records and records[c.key].knows(kind) for c in configs)
    }
    by_seed = {
        seed: kept
        for seed, group in complete.items()
        if (kept := [record for record in group if not record.diverged])
    }
    if not by_seed:
        return None
    found = [record for group in by_seed.values() for record in group]
    drops = {seed: _mean_drops(group, kind) for seed, group in by_seed.items()}
    relevant, other = zip(*drops.values(), strict=True)
    return Cell(
        name=name,
        row=place[0],
        column=place[1],
        seeds=tuple(by_seed),
        relevant=None if None in relevant else mean_interval(relevant),
        other=None if None in other else mean_interval(other),
        accuracy=mean_interval(
            [statistics.mean(r.measured.accuracy for r in group) for group in by_seed.values()]
        ),
        converged=statistics.mean(
            float(max(r.measured.accuracy_by_epoch) > threshold) for r in found
        ),
        noise_floor=found[0].measured.noise_floor,
        degenerate=all(record.config.degenerate for record in found),
        records=tuple(found),
        by_seed=drops,
        kind=kind,
    )


def _mean_drops(records: list[Record], kind: Kind) -> tuple[float | None, float | None]:
    """Return the mean drop of relevant and of other rows over the models of one seed."""
    relevant, other = zip(*(split_drops(record, kind) for record in records), strict=True)
    return _mean(relevant), _mean(other)


def split_drops(record: Record, kind: Kind = "zero") -> tuple[float | None, float | None]:
    """Return a model's mean drop of relevant and of other rows; None where there are none."""
    measured = record.measured
    drops = dict(zip(measured.row_names, record.row_drops(kind), strict=True))
    if not measured.relevant:
        return None, statistics.mean(drops.values())
    found = selectivity(drops, measured.relevant)
    return found.relevant, found.other


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None
