"""What probes measure, averaged over groups of models: drops by depth, equivariance by epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

from primefourier.analysis import Interval, mean_interval
from primefourier.analysis.ablation import Kind
from primefourier.lab.cells import Cell
from primefourier.lab.config import prime_parts
from primefourier.lab.probe import KINDS, Probe
from primefourier.lab.record import Record
from primefourier.lab.studies.experiment import Experiment
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.paper_cells import paper_cells
from primefourier.lab.studies.paper_grids import experiment_of, modulus_of

Read: TypeAlias = Callable[[Record], Sequence[float | None]]


@dataclass(frozen=True)
class Group:
    """Probed models that are averaged, seed by seed.

    Args:
        experiment: The experiment.
        row: |P| in experiment 1; None for all N of experiment 2.
        input_range: r.
        by_seed: The models of each seed.
    """

    experiment: type[Experiment]
    row: int | None
    input_range: int
    by_seed: dict[int, list[Record]]

    @property
    def name(self) -> str:
        """What is averaged, without r."""
        axis = self.experiment.axes[0].name
        rows = f"all {axis}" if self.row is None else f"{axis} = {self.row}"
        return f"{self.experiment.heading}, {rows}"

    @property
    def records(self) -> list[Record]:
        """The models of all seeds."""
        return [record for records in self.by_seed.values() for record in records]

    def seed_means(self, read: Read) -> np.ma.MaskedArray[Any, np.dtype[np.float64]]:
        """Read values of each model, None where unknown; return means over models, by seed."""
        by_seed = (np.array([read(r) for r in some], float) for some in self.by_seed.values())
        means = [np.ma.masked_invalid(values).mean(axis=0) for values in by_seed]
        return np.ma.stack(means, axis=1)

    def over_seeds(self, read: Read) -> tuple[Interval, ...]:
        """Return the means over models, then over seeds, of values that every model has."""
        return tuple(map(mean_interval, self.seed_means(read)))


def probed_groups(grids: Sequence[Grid]) -> list[Group]:
    """Return the groups of the paper's configurations whose models are all probed.

    Degenerate configurations of experiment 2 are left out. A group over all N needs every N that is
    planned at its r, and has the seeds that these share.
    """
    groups = []
    found_cells = paper_cells(measured_of(grids), kind="permute", probed=True)
    for name, experiment in EXPERIMENTS.items():
        cells = found_cells[name]
        if not experiment.one_model_per_cell:
            groups += [
                Group(experiment, cell.row, cell.column, _by_seed([cell], cell.seeds))
                for cell in cells
            ]
            continue
        for input_range, rows in sorted(_planned_rows(experiment, grids).items()):
            found = [c for c in cells if c.column == input_range and c.row in rows]
            seeds = set.intersection(*(set(c.seeds) for c in found)) if found else set()
            if seeds and {c.row for c in found} == rows:
                groups.append(Group(experiment, None, input_range, _by_seed(found, sorted(seeds))))
    return groups


def measured_of(grids: Iterable[Grid]) -> list[Record]:
    """Return the measured models of some grids."""
    return [record for grid in grids for record in grid.found(grid.planned)]


def _planned_rows(experiment: type[Experiment], grids: Sequence[Grid]) -> dict[int, set[int]]:
    """Return the planned N of each r that are not degenerate."""
    rows: dict[int, set[int]] = {}
    for grid in grids:
        for place, configs in grid.by_place.items() if experiment_of(grid) is experiment else ():
            if not all(config.degenerate for config in configs):
                rows.setdefault(place[1], set()).add(place[0])
    return rows


def _by_seed(cells: Sequence[Cell], seeds: Iterable[int]) -> dict[int, list[Record]]:
    records = [record for cell in cells for record in cell.records]
    return {seed: [r for r in records if r.config.seed == seed] for seed in seeds}


def known_probe(record: Record) -> Probe:
    """Return the probe of a model that is known to have one."""
    assert record.probe is not None
    return record.probe


@dataclass(frozen=True)
class LargestDrop:
    """The block of another prime with the largest drop, and the model it belongs to."""

    drop: float
    prime: int
    depth: int
    modulus: int
    seed: int


@dataclass(frozen=True)
class DepthDrops:
    """The mean drop of single (p, d) blocks at each depth, under one kind of ablation.

    ``relevant`` is of blocks of primes that divide N, ``other`` of blocks of the other primes.
    ``largest`` is the largest drop of one such block in one model, which the means may hide.
    """

    group: Group
    kind: Kind
    relevant: tuple[Interval, ...]
    other: tuple[Interval, ...]
    largest: LargestDrop


def depth_drops(group: Group) -> list[DepthDrops]:
    """Return the drops of single blocks by depth, for each kind of ablation."""
    return [
        DepthDrops(
            group,
            kind,
            group.over_seeds(partial(mean_drops, kind=kind, relevant=True)),
            group.over_seeds(partial(mean_drops, kind=kind, relevant=False)),
            _largest(group, kind),
        )
        for kind in KINDS
    ]


def mean_drops(record: Record, *, kind: Kind, relevant: bool) -> list[float]:
    """Return a model's mean drop at each depth, over the relevant or over the other rows."""
    measured = record.measured
    by_row = np.reshape(known_probe(record).block_drops(kind), (len(measured.row_names), -1))
    chosen = [(name in (measured.relevant or ())) is relevant for name in measured.row_names]
    means: list[float] = by_row[chosen].mean(axis=0).tolist()
    return means


def _largest(group: Group, kind: Kind) -> LargestDrop:
    found = []
    for record in group.records:
        channels = prime_parts(record.config)[0].basis.channels
        drops = known_probe(record).block_drops(kind)
        model = modulus_of(record), record.config.seed
        found += [
            LargestDrop(drop, prime, depth, *model)
            for (prime, depth), drop in zip(channels, drops, strict=True)
            if modulus_of(record) % prime
        ]
    return max(found, key=lambda largest: largest.drop)


@dataclass(frozen=True)
class Measure:
    """A quantity that a probe measures after each epoch: its name in data and in tables."""

    name: str
    title: str
    meaning: str
    read: Callable[[Probe], Sequence[float | None]]

    def of(self, record: Record) -> Sequence[float | None]:
        """Return its values of a probed model, before training and after each epoch."""
        return self.read(known_probe(record))


MEASURES = (
    Measure(
        "share_apart",
        "answers that do not follow a shift",
        "0 if all follow",
        attrgetter("violation_share"),
    ),
    Measure(
        "shift_error",
        "shift error of the logits",
        "0 if equivariant, 1 if unrelated",
        attrgetter("shift_error"),
    ),
    Measure(
        "off_block_energy",
        "off-block energy of the gradient",
        "0 if no two blocks are coupled",
        attrgetter("off_block_energy"),
    ),
    Measure(
        "relevant_share",
        "gradient on relevant channels",
        "1 if on no others",
        attrgetter("relevant_share"),
    ),
)


@dataclass(frozen=True)
class EpochCurve:
    """One measure of a group of models, before training and after each epoch.

    ``values`` are means over models, then over seeds; None where no model has a value. ``skipped``
    is how many models they skip at one epoch or more, because they had diverged.
    """

    group: Group
    measure: Measure
    values: tuple[Interval | None, ...]
    skipped: int


def epoch_curves(group: Group) -> list[EpochCurve]:
    """Return all measures of a group by epoch."""
    curves = []
    for measure in MEASURES:
        at_epochs = group.seed_means(measure.of)
        skipped = sum(None in measure.of(record) for record in group.records)
        means = [mean_interval(at.compressed()) if at.count() else None for at in at_epochs]
        curves.append(EpochCurve(group, measure, tuple(means), skipped))
    return curves
