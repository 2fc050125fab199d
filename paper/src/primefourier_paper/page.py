"""What the report page says of the paper's experiments, and its claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from primefourier.lab import Run
from primefourier.lab.cells import Cell
from primefourier.lab.grid import Grid
from primefourier.lab.page import count_beyond, tested_beyond
from primefourier.lab.record import Record
from primefourier_paper.cells import place_of
from primefourier_paper.claims import judge
from primefourier_paper.experiments import EXPERIMENTS, Experiment
from primefourier_paper.grids import experiment_of, follows_paper, modulus_of
from primefourier_paper.rule import claims_as_data


def about(grid: Grid, more: Iterable[Record]) -> dict[str, Any]:
    """Return what the page says of an experiment, with the paper's networks of other runs."""
    experiment = experiment_of(grid)
    if experiment is None:
        return {}
    found = {
        "expectation": experiment.expectation,
        "model_name": "" if experiment.one_model_per_cell else "p",
    }
    if not follows_paper(grid):
        return found
    return {**found, "beyond": count_beyond(_with_others(grid, experiment, more))}


def _with_others(grid: Grid, experiment: type[Experiment], more: Iterable[Record]) -> list[Record]:
    """Return the networks tested beyond the range, those of other runs included, each once."""
    others = (r for r in more if r.measurement is not None and not r.diverged)
    networks: dict[object, Record] = {}
    for record in (*tested_beyond(grid), *(r for r in others if r.measured.beyond)):
        place = place_of(record.config)
        if place is not None and place[0] == experiment.short_name:
            # A model tested in two runs is one network.
            networks.setdefault((place, record.config.seed, modulus_of(record)), record)
    return list(networks.values())


def sections(run: Run) -> dict[str, Any]:
    """Return the claims; each piece of evidence has the index of its grid, its row and range."""
    findings = judge(run)
    claims = claims_as_data(findings)
    for claim, finding in zip(claims, findings.values(), strict=True):
        for data, item in zip(claim["evidence"], finding.evidence, strict=True):
            data["cell"] = item.cell and _place(item.cell, run.grids)
    title = {"title": "The paper, measured"} if all(map(follows_paper, run.grids)) else {}
    return {**title, "claims": claims}


def _place(cell: Cell, grids: Sequence[Grid]) -> list[Any] | None:
    """Return where the page shows a cell; None if only another run has it."""
    place = place_of(cell.records[0].config)
    experiment = EXPERIMENTS.get(place[0]) if place else None
    for i, grid in enumerate(grids):
        # Evidence of another run has no cell on this page to point at.
        known = follows_paper(grid) and experiment_of(grid) is experiment
        if known and (cell.row, cell.column) in grid.cells:
            return [i, cell.row, cell.column]
    return None
