"""The results of a run as plain data for the report page; docs/explorer.md lists the parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from primefourier.analysis import Interval, Ratio
from primefourier.lab.cells import Cell
from primefourier.lab.claim_tables import claims_as_data, verdict_so_far
from primefourier.lab.claims import Claim, Finding
from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid, Place
from primefourier.lab.studies.question_tables import answers_as_data
from primefourier.lab.studies.questions import Answers
from primefourier.lab.studies.variants import (
    Variant,
    paper_places,
    paper_variant,
    training_commands,
)

_DEFAULT_SEEDS = [42]


def run_as_data(
    folder: Path | str,
    planned: Sequence[ModelConfig],
    records: Sequence[Record],
    grids: Sequence[Grid],
    findings: Mapping[Claim, Finding],
    answers: Answers | None,
) -> dict[str, Any]:
    """Return everything that a report shows of a run.

    Args:
        folder: The folder of the run, as the user named it.
        planned: The planned models.
        records: Their records.
        grids: The grids to show.
        findings: The judged claims.
        answers: What probes answer, if anything.
    """
    by_key = {record.config.key for record in records}
    failures = [record for record in records if record.error is not None]
    measured = len(records) - len(failures)
    probed = any(record.probe is not None for record in records)
    commands = training_commands(planned, probe=probed)
    return {
        "name": Path(folder).resolve().name or str(folder),
        "folder": str(folder),
        "commands": commands,
        "continue": commands if measured < len(planned) else [],
        "counts": {
            "planned": len(planned),
            "measured": measured,
            "failed": len(failures),
            "waiting": sum(config.key not in by_key for config in planned),
        },
        **_circumstances([record.provenance for record in records]),
        "grids": list(map(_grid, grids)),
        "claims": _claims(findings, grids),
        "questions": None if answers is None else answers_as_data(answers),
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


def _grid(grid: Grid) -> dict[str, Any]:
    """Return all cells of a grid, and its axes, measures and commands.

    The paper's own variant has all cells of the paper's grid, in addition to the planned ones.
    """
    variant, study = grid.variant, grid.study
    own = variant == paper_variant(variant.experiment)
    places = {*grid.by_place, *(paper_places(variant.experiment) if own else ())}
    rows, ranges = (sorted(set(axis)) for axis in zip(*places, strict=True))
    return {
        "title": grid.title + ", plain trainer" * (variant.trainer != "fast"),
        "experiment": variant.experiment,
        "paper": variant.follows_paper,
        "row_name": study.row_name,
        "row_label": study.row_label,
        "threshold": study.threshold,
        "rows": rows,
        "ranges": ranges,
        "seeds": sorted({config.seed for config in grid.planned}) or _DEFAULT_SEEDS,
        "command": variant.command,
        "row_option": study.row_option,
        "cells": [_cell(grid, place) for place in product(rows, ranges)],
    }


def _cell(grid: Grid, place: Place) -> dict[str, Any]:
    """Return one cell, measured or not."""
    planned, cell = grid.by_place.get(place, []), grid.cells.get(place)
    measured = grid.found(planned)
    failed = sum(config.key in grid.records for config in planned) - len(measured)
    models = planned or grid.variant.models(*place, seed=0)
    return {
        "row": place[0],
        "range": place[1],
        "state": _state(cell, planned, len(measured), failed),
        "models": {"planned": len(planned), "measured": len(measured), "failed": failed},
        "degenerate": all(config.degenerate for config in models),
        "seeds": [] if cell is None else list(cell.seeds),
        "asked_seeds": sorted({config.seed for config in planned}),
        "relevant": None if cell is None else _interval(cell.relevant),
        "other": None if cell is None else _interval(cell.other),
        "accuracy": None if cell is None else _interval(cell.accuracy),
        "ratio": None if cell is None else _ratio(cell.ratio),
        "converged": None if cell is None else cell.converged,
        "floor": models[0].noise_floor if cell is None else cell.noise_floor,
        "runs": list(map(_model, measured)),
    }


def _state(cell: Cell | None, planned: Sequence[ModelConfig], measured: int, failed: int) -> str:
    if not planned:
        return "missing"
    if cell is not None:
        return "measured"
    if measured:
        return "partial"
    return "failed" if failed else "waiting"


def _interval(interval: Interval | None) -> dict[str, float | None] | None:
    if interval is None:
        return None
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


def _ratio(ratio: Ratio | None) -> dict[str, Any] | None:
    if ratio is None:
        return None
    return {"value": ratio.value, "bound": ratio.is_lower_bound, "text": str(ratio)}


def _model(record: Record) -> dict[str, Any]:
    config, measured = record.config, record.measured
    return {
        "modulus": config.modulus,
        "seed": config.seed,
        "primes": list(config.primes),
        "relevant": list(config.relevant),
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
    index = {grid.variant: i for i, grid in enumerate(grids)}
    claims = claims_as_data(findings)
    for claim, finding in zip(claims, findings.values(), strict=True):
        claim["verdict_so_far"] = verdict_so_far(finding)
        for data, item in zip(claim["evidence"], finding.evidence, strict=True):
            data["cell"] = item.cell and _place(item.cell, index)
    return claims


def _place(cell: Cell, index: Mapping[Variant, int]) -> list[int]:
    paper = paper_variant(cell.study.name)
    variant = Variant.of(cell.records[0].config, paper.pool)
    return [index[variant], cell.row, cell.input_range]
