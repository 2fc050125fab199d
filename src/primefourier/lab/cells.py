"""Cells: the drops of one configuration, as means over task primes and seeds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
from primefourier.lab.studies.study import Study


class Bounds(NamedTuple):
    """A mean drop with a lower and an upper bound."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Cell:
    """One configuration, (|P|, r) or (N, r), over all its seeds.

    A seed counts only if all its models are measured, so no mean is over a part of them.

    Args:
        study: The study; it says what a row is.
        row: |P| in experiment 1 and the control, N in experiment 2.
        input_range: r.
        seeds: The seeds that count.
        relevant: Mean drop of the relevant rows (diagonal, factor); None if no row is relevant.
        other: Mean drop of the other rows (off-diagonal, nonfactor); None if there are none.
        accuracy: Test accuracy.
        converged: Share of the models that converged.
        noise_floor: The noise floor of one drop.
        degenerate: Whether no sum wraps around in any of its models.
        records: The records behind it.
        by_seed: ``relevant`` and ``other`` of each seed.
        kind: The kind of ablation.
    """

    study: type[Study]
    row: int
    input_range: int
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
    def name(self) -> str:
        """The configuration as the paper writes it."""
        return f"{self.study.row_name} = {self.row}, r = {self.input_range}"

    @property
    def ratio(self) -> Ratio | None:
        """The specialisation ratio, or its bound where ``other`` is below the noise floor."""
        if self.relevant is None or self.other is None:
            return None
        return specialisation_ratio(self.relevant.mean, self.other.mean, self.noise_floor)

    def bounds(self) -> tuple[Bounds, Bounds] | None:
        """Return exact 95 % bounds on ``relevant`` and ``other``, from the counts of every row.

        Both hold together, for these networks and over all pairs that could have been drawn. They
        say nothing about networks of other seeds. None if there are no relevant or no other rows.
        """
        rows = [
            (prime in record.config.relevant, lost, gained, record.measured.test_size)
            for record in self.records
            for prime, lost, gained in zip(
                record.config.primes, *record.row_counts(self.kind), strict=True
            )
        ]
        relevant, lost, gained, size = map(np.array, zip(*rows, strict=True))
        if relevant.all() or not relevant.any():
            return None
        values = np.stack([(lost - gained) / size, *drop_bounds(lost, gained, size)])
        own, others = (values[:, which].mean(axis=1).tolist() for which in (relevant, ~relevant))
        return Bounds(*own), Bounds(*others)


def make_cells(
    study: type[Study],
    planned: Iterable[ModelConfig],
    records: Mapping[str, Record],
    *,
    kind: Kind = "zero",
) -> dict[tuple[int, int], Cell]:
    """Make the cells of a study; a cell without a complete seed is left out.

    Args:
        study: The study.
        planned: Its models, with the same settings.
        records: The records, by key.
        kind: The kind of ablation; all but zero need probes.
    """
    groups: dict[tuple[int, int], dict[int, list[ModelConfig]]] = {}
    for config in planned:
        groups.setdefault(study.cell_of(config), {}).setdefault(config.seed, []).append(config)
    cells = {}
    for place, by_seed in groups.items():
        complete = {
            seed: [records[c.key] for c in configs]
            for seed, configs in sorted(by_seed.items())
            if {(c.modulus, c.primes) for c in configs}
            == {*study.tasks(place[0], configs[0].primes)}
            and all(c.key in records and records[c.key].knows(kind) for c in configs)
        }
        if complete:
            cells[place] = _make_cell(study, place, complete, kind)
    return cells


def _make_cell(
    study: type[Study], place: tuple[int, int], by_seed: dict[int, list[Record]], kind: Kind
) -> Cell:
    records = [record for group in by_seed.values() for record in group]
    drops = {seed: _mean_drops(group, kind) for seed, group in by_seed.items()}
    relevant, other = zip(*drops.values(), strict=True)
    return Cell(
        study=study,
        row=place[0],
        input_range=place[1],
        seeds=tuple(by_seed),
        relevant=None if None in relevant else mean_interval(relevant),
        other=None if None in other else mean_interval(other),
        accuracy=mean_interval(
            [statistics.mean(r.measured.accuracy for r in group) for group in by_seed.values()]
        ),
        converged=statistics.mean(
            float(max(r.measured.accuracy_by_epoch) > study.threshold) for r in records
        ),
        noise_floor=records[0].measured.noise_floor,
        degenerate=all(record.config.degenerate for record in records),
        records=tuple(records),
        by_seed=drops,
        kind=kind,
    )


def _mean_drops(records: list[Record], kind: Kind) -> tuple[float | None, float | None]:
    """Return the mean drop of relevant and of other rows over the models of one seed."""
    relevant, other = zip(*(split_drops(record, kind) for record in records), strict=True)
    return _mean(relevant), _mean(other)


def split_drops(record: Record, kind: Kind = "zero") -> tuple[float | None, float | None]:
    """Return a model's mean drop of relevant and of other rows; None where there are none."""
    drops = dict(zip(record.config.primes, record.row_drops(kind), strict=True))
    if not record.config.relevant:
        return None, statistics.mean(drops.values())
    found = selectivity(drops, record.config.relevant)
    return found.relevant, found.other


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None
