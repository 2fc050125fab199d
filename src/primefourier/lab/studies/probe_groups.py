"""Groups of probed models: those of one |P| or of all N, at one input range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from primefourier.analysis import Interval, mean_interval
from primefourier.lab.cells import Cell
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper_claims import paper_cells
from primefourier.lab.studies.study import Study


@dataclass(frozen=True)
class Group:
    """Probed models that are averaged, seed by seed.

    Args:
        study: The study.
        row: |P| in experiment 1; None for all N of experiment 2.
        input_range: r.
        by_seed: The models of each seed.
    """

    study: type[Study]
    row: int | None
    input_range: int
    by_seed: dict[int, list[Record]]

    @property
    def name(self) -> str:
        """What is averaged, without r."""
        rows = f"all {self.study.row_name}"
        if self.row is not None:
            rows = f"{self.study.row_name} = {self.row}"
        return f"{self.study.title}, {rows}"

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
    for cells in paper_cells(grids, kind="permute").values():  # known only to probes
        if not cells:
            continue
        study = cells[0].study
        if study.one_model_per_cell:
            groups += _pooled(study, cells, grids)
        else:
            groups += [
                Group(study, cell.row, cell.input_range, _by_seed([cell], cell.seeds))
                for cell in cells
            ]
    return groups


def _pooled(study: type[Study], cells: Sequence[Cell], grids: Sequence[Grid]) -> list[Group]:
    rows: dict[int, set[int]] = {}
    for grid in grids:
        for config in grid.planned if grid.study is study else ():
            if not config.degenerate:
                rows.setdefault(config.input_range, set()).add(study.row_of(config))
    groups = []
    for input_range in sorted(rows):
        found = [c for c in cells if c.input_range == input_range and not c.degenerate]
        seeds = set.intersection(*(set(c.seeds) for c in found)) if found else set()
        if seeds and {c.row for c in found} == rows[input_range]:
            groups.append(Group(study, None, input_range, _by_seed(found, sorted(seeds))))
    return groups


def _by_seed(cells: Sequence[Cell], seeds: Iterable[int]) -> dict[int, list[Record]]:
    records = [record for cell in cells for record in cell.records]
    return {seed: [r for r in records if r.config.seed == seed] for seed in seeds}
