"""The cells of a heatmap: a configuration's drops, as means over task primes and seeds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from primefourier.analysis import Interval, Ratio, mean_interval, selectivity, specialisation_ratio
from primefourier.analysis.stand_in import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS
from primefourier.lab.record import Record


@dataclass(frozen=True)
class Cell:
    """One configuration, (|P|, r) or (N, r), over all its seeds.

    A seed counts only if each of its models is measured, so that no mean is over half of them.

    Args:
        experiment: Its name.
        row: |P| in experiment 1 and the control, N in experiment 2.
        input_range: r.
        seeds: The seeds that count.
        on: Mean drop of the relevant rows (diagonal, factor); None if no row is relevant.
        off: Mean drop of the other rows (off-diagonal, nonfactor); None if there are none.
        accuracy: Test accuracy.
        converged: Share of the models that converged.
        noise_floor: Of one drop.
        degenerate: Whether no sum wraps around in any of its models.
        records: What it was made of.
        by_seed: ``on`` and ``off`` of each seed.
    """

    experiment: str
    row: int
    input_range: int
    seeds: tuple[int, ...]
    on: Interval | None
    off: Interval | None
    accuracy: Interval
    converged: float
    noise_floor: float
    degenerate: bool
    records: tuple[Record, ...]
    by_seed: Mapping[int, tuple[float | None, float | None]]

    @property
    def name(self) -> str:
        """The configuration as the paper would write it."""
        letter = "N" if self.experiment == "exp2" else "|P|"
        return f"{letter} = {self.row}, r = {self.input_range}"

    @property
    def ratio(self) -> Ratio | None:
        """The specialisation ratio, or its bound where ``off`` is below the noise floor."""
        if self.on is None or self.off is None:
            return None
        return specialisation_ratio(self.on.mean, self.off.mean, self.noise_floor)


def cell_of(config: ModelConfig) -> tuple[int, int]:
    """Return the row and the range of the cell a model belongs to."""
    row = config.modulus if config.experiment == "exp2" else len(config.primes)
    return row, config.input_range


def make_cells(
    asked: Iterable[ModelConfig], records: Mapping[str, Record], *, kind: Kind = "zero"
) -> dict[tuple[int, int], Cell]:
    """Make the cells of one variant; a cell without a whole seed is left out.

    Args:
        asked: The models that belong to the variant.
        records: The records that are there, by key.
        kind: What stood in for ablated rows; all but zeroing need probes.
    """
    groups: dict[tuple[int, int], dict[int, list[ModelConfig]]] = {}
    for config in asked:
        groups.setdefault(cell_of(config), {}).setdefault(config.seed, []).append(config)
    cells = {}
    for place, by_seed in groups.items():
        measured = {
            seed: [records[c.key] for c in configs]
            for seed, configs in sorted(by_seed.items())
            if _whole(configs)
            and all(c.key in records and records[c.key].knows(kind) for c in configs)
        }
        if measured:
            cells[place] = _make_cell(place, measured, kind)
    return cells


def _whole(configs: list[ModelConfig]) -> bool:
    """Tell whether a seed of a configuration has all its models: one for each task prime."""
    if configs[0].experiment == "exp2":
        return True
    return {config.modulus for config in configs} == set(configs[0].primes)


def _known(record: Record | None, kind: Kind) -> bool:
    return record is not None and record.knows(kind)


def _make_cell(place: tuple[int, int], by_seed: dict[int, list[Record]], kind: Kind) -> Cell:
    records = [record for group in by_seed.values() for record in group]
    first = records[0]
    threshold = EXPERIMENTS[first.config.experiment].threshold
    drops = {seed: _drops(group, kind) for seed, group in by_seed.items()}
    on, off = zip(*drops.values(), strict=True)
    return Cell(
        experiment=first.config.experiment,
        row=place[0],
        input_range=place[1],
        seeds=tuple(by_seed),
        on=None if None in on else mean_interval(on),
        off=None if None in off else mean_interval(off),
        accuracy=mean_interval(
            [statistics.mean(r.measured.accuracy for r in group) for group in by_seed.values()]
        ),
        converged=statistics.mean(
            float(max(r.measured.accuracy_by_epoch) > threshold) for r in records
        ),
        noise_floor=first.measured.noise_floor,
        degenerate=all(record.config.degenerate for record in records),
        records=tuple(records),
        by_seed=drops,
    )


def _drops(records: list[Record], kind: Kind) -> tuple[float | None, float | None]:
    """Return the mean drop of relevant rows and of the others, over the models of one seed."""
    on, off = zip(*(split_drops(record, kind) for record in records), strict=True)
    return _mean(on), _mean(off)


def split_drops(record: Record, kind: Kind = "zero") -> tuple[float | None, float | None]:
    """Return a model's mean drop of relevant rows and of the others; None where there are none."""
    drops = dict(zip(record.config.primes, record.row_drops(kind), strict=True))
    if not record.config.relevant:
        return None, statistics.mean(drops.values())
    found = selectivity(drops, record.config.relevant)
    return found.on, found.off


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None
