"""The results of a run as plain data for the report page; docs/explorer.md lists the parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from primefourier.analysis import Interval
from primefourier.lab.cells import Cell
from primefourier.lab.claims import Claim, Finding, claims_as_data
from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Record
from primefourier.lab.studies.experiment import Experiment
from primefourier.lab.studies.grid import Grid, Place, floor_of, in_order
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.paper_grids import (
    experiment_of,
    follows_paper,
    modulus_of,
    paper_grid,
    paper_places,
)

_DEFAULT_SEEDS = [42]


def run_as_data(
    folder: Path | str,
    planned: Sequence[ModelConfig],
    records: Sequence[Record],
    grids: Sequence[Grid],
    findings: Mapping[Claim, Finding],
) -> dict[str, Any]:
    """Return everything that a report shows of a run.

    Args:
        folder: The folder of the run, as the user named it.
        planned: The planned models.
        records: Their records.
        grids: The grids to show.
        findings: The judged claims.
    """
    others = [grid for grid in grids if experiment_of(grid) is None]
    shown = list(grids) if others else _with_paper_grids(grids)
    by_key = {record.config.key for record in records}
    failures = [record for record in records if record.error is not None]
    measured = len(records) - len(failures)
    return {
        "name": Path(folder).resolve().name or str(folder),
        "folder": str(folder),
        "commands": [],
        "continue": [],
        "counts": {
            "planned": len(planned),
            "measured": measured,
            "failed": len(failures),
            "waiting": sum(config.key not in by_key for config in planned),
        },
        **_diverged(sum(record.diverged for record in records)),
        **_circumstances([record.provenance for record in records]),
        "grids": list(map(_grid, shown)),
        "claims": _claims(findings, shown) if shown != others else [],
        "failures": [
            {"model": record.config.describe(), "error": record.error} for record in failures
        ],
    }


def _circumstances(found: Sequence[Provenance]) -> dict[str, Any]:
    """Return when, for how long, and with which software and machines the models were trained."""
    packages = _distinct(name for each in found for name in each.versions)
    return {
        "finished": max((each.finished for each in found), default=None),
        "seconds": sum(each.seconds for each in found),
        "commits": _distinct(each.commit for each in found),
        "versions": {
            name: _distinct(str(each.versions[name]) for each in found if name in each.versions)
            for name in packages
        },
        "machines": _distinct(each.machine for each in found),
    }


def _distinct(texts: Iterable[str | None]) -> list[str]:
    """Return each text once, without missing and empty ones."""
    return list(dict.fromkeys(text for text in texts if text))


def _with_paper_grids(grids: Sequence[Grid]) -> list[Grid]:
    """Return the grids of a run, with empty ones for the paper's experiments that it lacks."""
    found = {experiment_of(grid): grid for grid in reversed(grids) if not grid.study.settings}
    first = [
        found.get(experiment) or replace(paper_grid(name), planned=())
        for name, experiment in EXPERIMENTS.items()
    ]
    return [*first, *(grid for grid in grids if grid not in first)]


def _grid(grid: Grid) -> dict[str, Any]:
    """Return all cells of a grid, and its axes, measures and commands.

    A grid with the paper's settings has all cells of the paper's grid, in addition to the planned
    ones.
    """
    experiment = experiment_of(grid)
    every: dict[Place, list[ModelConfig]] = {}
    if experiment is not None and not grid.study.settings:
        every |= paper_places(experiment.short_name)
    places = {*grid.by_place, *every}
    rows, columns = (in_order(axis) for axis in zip(*places, strict=True))
    return {
        "title": grid.title,
        "expectation": "" if experiment is None else experiment.expectation,
        "paper": follows_paper(grid),
        "row_name": grid.row_name,
        "row_label": grid.row_axis.label if grid.row_axis else "",
        "column_name": grid.column_name,
        "column_label": grid.column_axis.label if grid.column_axis else "",
        "threshold": grid.study.threshold,
        "rows": rows,
        "columns": columns,
        "seeds": sorted({config.seed for config in grid.planned}) or _DEFAULT_SEEDS,
        "command": [],
        "row_option": f"--{experiment.row_setting}" if experiment else "",
        "column_option": "--ranges" if experiment else "",
        "model_name": _model_name(grid, experiment),
        "cells": [_cell(grid, place, every) for place in product(rows, columns)],
    }


def _model_name(grid: Grid, experiment: type[Experiment] | None) -> str:
    """Return what tells the models of one seed of a cell apart; empty if there is only one."""
    if experiment is not None:
        return "" if experiment.one_model_per_cell else "p"
    counts = [
        len(configs) > len({config.seed for config in configs})
        for configs in grid.by_place.values()
    ]
    return "model" if any(counts) else ""


def _cell(grid: Grid, place: Place, every: Mapping[Place, Sequence[ModelConfig]]) -> dict[str, Any]:
    """Return one cell, measured or not."""
    planned, cell = grid.by_place.get(place, []), grid.cells.get(place)
    found, diverged = grid.found(planned), len(grid.diverged(planned))
    measured = len(found) + diverged
    failed = sum(config.key in grid.records for config in planned) - measured
    counts = {"planned": len(planned), "measured": measured, "failed": failed}
    models = [config for config in planned or every.get(place, ()) if config.known]
    floor = cell.noise_floor if cell else floor_of(models[0]) if models else 0.0
    ratio = cell and cell.ratio
    return {
        "row": place[0],
        "column": place[1],
        "state": _state(cell, counts),
        "models": counts,
        **_diverged(diverged),
        "degenerate": bool(models) and all(config.degenerate for config in models),
        "seeds": [] if cell is None else list(cell.seeds),
        "asked_seeds": sorted({config.seed for config in planned}),
        "relevant": cell and cell.relevant and _interval(cell.relevant),
        "other": cell and cell.other and _interval(cell.other),
        "accuracy": cell and _interval(cell.accuracy),
        "ratio": ratio
        and {"value": ratio.value, "bound": ratio.is_lower_bound, "text": str(ratio)},
        "converged": cell and cell.converged,
        "beyond": {} if cell is None else cell.accuracy_beyond,
        "floor": floor,
        "runs": [_model(record, grid) for record in found],
    }


def _interval(interval: Interval) -> dict[str, float | None]:
    """Return a mean and the ends of its interval."""
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


def _diverged(count: int) -> dict[str, int]:
    """Return how many networks diverged, if any did; most pages need no such number."""
    return {"diverged": count} if count else {}


def _state(cell: Cell | None, models: Mapping[str, int]) -> str:
    if not models["planned"]:
        return "missing"
    if cell is not None:
        return "measured"
    if models["measured"] == models["planned"]:
        return "diverged"  # all of them, or the cell would have a value
    if models["measured"]:
        return "partial"
    return "failed" if models["failed"] else "waiting"


def _model(record: Record, grid: Grid) -> dict[str, Any]:
    config, measured = record.config, record.measured
    known = experiment_of(grid) is not None
    return {
        "name": str(modulus_of(record)) if known else config.describe(),
        "seed": config.seed,
        "rows": list(measured.row_names),
        "relevant": list(measured.relevant or ()),
        "test": measured.test_size,
        "correct": measured.correct,
        "lost": list(measured.lost),
        "gained": list(measured.gained),
        "p_values": [float(f"{p:.2g}") for p in measured.p_values],
        "curve": list(measured.correct_by_epoch),
        "seconds": record.provenance.seconds,
    }


def _claims(findings: Mapping[Claim, Finding], grids: Sequence[Grid]) -> list[dict[str, Any]]:
    """Return the claims; each piece of evidence has the index of its grid, its row and range."""
    claims = claims_as_data(findings)
    for claim, finding in zip(claims, findings.values(), strict=True):
        for data, item in zip(claim["evidence"], finding.evidence, strict=True):
            data["cell"] = item.cell and _place(item.cell, grids)
    return claims


def _place(cell: Cell, grids: Sequence[Grid]) -> list[Any] | None:
    """Return where the page shows a cell; None if only another run has it."""
    experiment = EXPERIMENTS.get(cell.experiment)
    for i, grid in enumerate(grids):
        known = follows_paper(grid) and experiment_of(grid) is experiment
        if known and (cell.row, cell.column) in grid.cells:
            return [i, cell.row, cell.column]
    return None
