"""Groups of probed models: those of one |P| or of all N, at one input range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from primefourier.analysis import Interval, mean_interval
from primefourier.lab.cells import Cell
from primefourier.lab.record import Record
from primefourier.lab.studies.experiment import Experiment
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.paper_claims import paper_cells
from primefourier.lab.studies.paper_grids import experiment_of


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
    def models(self) -> int:
        """How many models there are."""
        return sum(map(len, self.by_seed.values()))

    def over_seeds(self, read: Callable[[Record], Sequence[float]]) -> tuple[Interval, ...]:
        """Read a list of values from each model; return its mean over models, then over seeds."""
        means = [
            np.mean([read(record) for record in records], axis=0)
            for records in self.by_seed.values()
        ]
        return tuple(mean_interval(values) for values in np.transpose(means))


def probed_groups(grids: Sequence[Grid]) -> list[Group]:
    """Return the groups of the paper's configurations whose models are all probed.

    Degenerate configurations of experiment 2 are left out. A group over all N needs every N that is
    planned at its r, and has the seeds that these share.
    """
    groups = []
    for name, cells in paper_cells(grids, kind="permute").items():  # known only to probes
        experiment = EXPERIMENTS[name]
        if experiment.one_model_per_cell:
            groups += _pooled(experiment, cells, grids)
        else:
            groups += [
                Group(experiment, cell.row, cell.column, _by_seed([cell], cell.seeds))
                for cell in cells
            ]
    return groups


def _pooled(
    experiment: type[Experiment], cells: Sequence[Cell], grids: Sequence[Grid]
) -> list[Group]:
    rows: dict[int, set[int]] = {}
    for grid in grids:
        for place, configs in grid.by_place.items() if experiment_of(grid) is experiment else ():
            if not all(config.degenerate for config in configs):
                rows.setdefault(place[1], set()).add(place[0])
    groups = []
    for input_range in sorted(rows):
        found = [c for c in cells if c.column == input_range and not c.degenerate]
        seeds = set.intersection(*(set(c.seeds) for c in found)) if found else set()
        if seeds and {c.row for c in found} == rows[input_range]:
            groups.append(Group(experiment, None, input_range, _by_seed(found, sorted(seeds))))
    return groups


def _by_seed(cells: Sequence[Cell], seeds: Iterable[int]) -> dict[int, list[Record]]:
    records = [record for cell in cells for record in cell.records]
    return {seed: [r for r in records if r.config.seed == seed] for seed in seeds}
