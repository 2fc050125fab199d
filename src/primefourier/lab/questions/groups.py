"""Probed models brought together: those of one |P| or of all N, at one input range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from primefourier.analysis import Interval, mean_interval
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.results import Cell


@dataclass(frozen=True)
class Group:
    """Probed models that are averaged, seed by seed.

    Args:
        experiment: Its name.
        row: |P| in experiment 1; None for all N of experiment 2.
        input_range: r.
        by_seed: The models of each seed.
    """

    experiment: str
    row: int | None
    input_range: int
    by_seed: dict[int, list[Record]]

    @property
    def name(self) -> str:
        """What is averaged, without r."""
        if self.row is None:
            return "Experiment 2, all N"
        return f"Experiment 1, |P| = {self.row}"

    @property
    def models(self) -> int:
        """How many models there are."""
        return sum(map(len, self.by_seed.values()))

    def over_seeds(self, read: Callable[[Record], Sequence[float]]) -> tuple[Interval, ...]:
        """Read a list of values off each model; return its mean over models, then over seeds."""
        means = [
            np.mean([read(record) for record in records], axis=0)
            for records in self.by_seed.values()
        ]
        return tuple(mean_interval(values) for values in np.transpose(means))


def probed_groups(planned: Iterable[ModelConfig], records: Iterable[Record]) -> list[Group]:
    """Return the groups of the paper's configurations whose models were all probed.

    Degenerate configurations are left out. Of experiment 2 a group needs all N that were asked for
    at its r, and has the seeds that these share.

    Args:
        planned: The models that were asked for.
        records: The records that are there.
    """
    asked = list(planned)
    cells = paper_cells(asked, records, kind="permute")  # which only probes know
    groups = [
        Group("exp1", cell.row, cell.input_range, _by_seed([cell], cell.seeds))
        for cell in cells["exp1"]
    ]
    moduli: dict[int, set[int]] = {}
    for config in asked:
        if config.experiment == "exp2" and not config.degenerate:
            moduli.setdefault(config.input_range, set()).add(config.modulus)
    for input_range in sorted(moduli):
        found = [c for c in cells["exp2"] if c.input_range == input_range and not c.degenerate]
        seeds = set.intersection(*(set(c.seeds) for c in found)) if found else set()
        if seeds and {c.row for c in found} == moduli[input_range]:
            groups.append(Group("exp2", None, input_range, _by_seed(found, sorted(seeds))))
    return groups


def _by_seed(cells: Sequence[Cell], seeds: Iterable[int]) -> dict[int, list[Record]]:
    records = [record for cell in cells for record in cell.records]
    return {seed: [r for r in records if r.config.seed == seed] for seed in seeds}
