"""The results of a run as plain data for the report page; docs/explorer.md lists the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from primefourier.analysis import Interval
from primefourier.lab.cells import Cell
from primefourier.lab.config import ModelConfig
from primefourier.lab.grid import Grid, Place, floor_of
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Record
from primefourier.plugins import by_plugin, plugin_of

if TYPE_CHECKING:
    from primefourier.lab.results import Run

RIGHT = 0.99
"""A network is right on a test set if its accuracy is at least this."""


def run_as_data(run: Run) -> dict[str, Any]:
    """Return everything that a report shows of a run."""
    found = {
        "name": run.folder.resolve().name or str(run.folder),
        "title": _title(run.grids),
        "counts": run.counts,
        **_diverged(len(run.diverged)),
        **_circumstances([record.provenance for record in run.records]),
        "grids": [_grid(grid, run.more) for grid in run.grids],
        "claims": [],
        "more": len(run.more),
        "failures": [
            {"model": record.config.describe(), "error": record.error} for record in run.failures
        ],
    }
    for plugin, _ in by_plugin(run.grids):
        found |= plugin.sections(run) if plugin else {}
    return found


def _title(grids: Sequence[Grid]) -> str:
    """Return the title of a report: that of its studies."""
    if not grids:
        return "An empty run"
    first, *others = dict.fromkeys(grid.study.title for grid in grids)
    more = "1 further study" if len(others) == 1 else f"{len(others)} further studies"
    return f"{first}, and {more}" if others else first


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


def _grid(grid: Grid, more: Sequence[Record]) -> dict[str, Any]:
    """Return all cells of a grid, and its axes and measures."""
    plugin = plugin_of(grid)
    name = plugin.model_name if plugin else ModelConfig.describe
    return {
        "title": grid.title,
        "expectation": "",
        "row_name": grid.row_name,
        "row_label": grid.row_axis.label if grid.row_axis else "",
        "column_name": grid.column_name,
        "column_label": grid.column_axis.label if grid.column_axis else "",
        "threshold": grid.study.threshold,
        "rows": grid.rows,
        "columns": grid.columns,
        "model_name": _model_name(grid),
        "beyond": count_beyond(tested_beyond(grid)),
        "cells": [_cell(grid, place, name) for place in product(grid.rows, grid.columns)],
        **(plugin.about(grid, more) if plugin else {}),
    }


def tested_beyond(grid: Grid) -> list[Record]:
    """Return the networks of a grid with tests beyond the range."""
    return [record for record in grid.found(grid.planned) if record.measured.beyond]


def count_beyond(records: Iterable[Record]) -> dict[str, Any] | None:
    """Count the networks that are right in range, and of these the ones that are right beyond it.

    None without tests beyond the range. Tasks in which no answer wraps around are left out.
    """
    tested = [record for record in records if not record.config.degenerate]
    if not tested:
        return None
    # only of a network that is right in range it says something to be wrong beyond it
    right = [record for record in tested if record.measured.accuracy >= RIGHT]
    found = [record.measured.accuracy_beyond for record in right]
    following = [_next_end(record) for record in right]
    ends = {end for record in tested for end in record.measured.beyond}
    return {
        "tested": len(tested),
        "right": len(right),
        "next": sum(each[end] >= RIGHT for each, end in zip(found, following, strict=True))
        if all(end in each for each, end in zip(found, following, strict=True))
        else None,
        "far": _write(max(ends, key=int)) if all(map(str.isdecimal, ends)) else None,
        "all": sum(min(each.values()) >= RIGHT for each in found),
    }


def _next_end(record: Record) -> str:
    """Return the name of the test set of the next integers, from r to 2r."""
    return str(2 * getattr(record.config.task, "input_range", 0))


def _write(end: str) -> str:
    """Write the end of a test set, if it is a power of ten as one.

    >>> _write("200"), _write("1000000")
    ('200', '10^6')
    """
    return f"10^{len(end) - 1}" if int(end) == 10 ** (len(end) - 1) > 1000 else end


def _accuracy_beyond(cell: Cell) -> list[list[Any]]:
    """Return the accuracy of a cell on each test set beyond the range, with the set in words."""
    following = _next_end(cell.records[0])
    words = {
        end: f", {end}"
        if not end.isdecimal()
        else f"{' on the next integers,' if end == following else ''} below {_write(end)}"
        for end in cell.accuracy_beyond
    }
    return [[words[end], accuracy] for end, accuracy in cell.accuracy_beyond.items()]


def _model_name(grid: Grid) -> str:
    """Return what tells the models of one seed of a cell apart; empty if there is only one."""
    counts = [
        len(configs) > len({config.seed for config in configs})
        for configs in grid.by_place.values()
    ]
    return "model" if any(counts) else ""


def _cell(grid: Grid, place: Place, name: Callable[[ModelConfig], str]) -> dict[str, Any]:
    """Return one cell, measured or not."""
    planned, cell = grid.by_place.get(place, []), grid.cells.get(place)
    found, diverged = grid.found(planned), len(grid.diverged(planned))
    measured = len(found) + diverged
    failed = sum(config.key in grid.records for config in planned) - measured
    counts = {"planned": len(planned), "measured": measured, "failed": failed}
    # the noise floor and degeneracy follow from the recipe, so waiting cells show them, too
    known = [config for config in planned if config.known]
    floor = cell.noise_floor if cell else floor_of(known[0]) if known else 0.0
    ratio = cell and cell.ratio
    return {
        "row": place[0],
        "column": place[1],
        "state": _state(cell, counts),
        "models": counts,
        **_diverged(diverged),
        "degenerate": bool(known) and all(config.degenerate for config in known),
        "seeds": [] if cell is None else list(cell.seeds),
        "relevant": cell and cell.relevant and _interval(cell.relevant),
        "other": cell and cell.other and _interval(cell.other),
        "accuracy": cell and _interval(cell.accuracy),
        "ratio": ratio
        and {"value": ratio.value, "bound": ratio.is_lower_bound, "text": str(ratio)},
        "converged": cell and cell.converged,
        "beyond": [] if cell is None else _accuracy_beyond(cell),
        "floor": floor,
        "runs": [_model(record, name(record.config)) for record in found],
    }


def _interval(interval: Interval) -> dict[str, float | None]:
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


def _model(record: Record, name: str) -> dict[str, Any]:
    measured = record.measured
    return {
        "name": name,
        "seed": record.config.seed,
        "rows": list(measured.row_names),
        "relevant": list(measured.relevant or ()),
        "test": measured.test_size,
        "correct": measured.correct,
        "lost": list(measured.lost),
        "gained": list(measured.gained),
        # two digits suffice to read, and keep the page short
        "p_values": [float(f"{p:.2g}") for p in measured.p_values],
        "curve": list(measured.correct_by_epoch),
        "seconds": record.provenance.seconds,
    }
