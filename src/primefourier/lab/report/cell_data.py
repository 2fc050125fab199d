"""One cell of a results page as plain data: how far it is, what was measured, and its models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from primefourier.analysis import Interval, Ratio
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.results import Cell, Variant


def cell_as_data(
    variant: Variant,
    place: tuple[int, int],
    asked: Sequence[ModelConfig],
    records: Mapping[str, Record],
    cell: Cell | None,
) -> dict[str, Any]:
    """Return one cell, measured or not.

    Args:
        variant: The grid it belongs to.
        place: Its row and range.
        asked: Its models that were asked for; none if it is missing.
        records: The records that are there, by key.
        cell: What was made of them; None without a whole seed.
    """
    found = [records[config.key] for config in asked if config.key in records]
    measured = [record for record in found if record.measurement is not None]
    failed = len(found) - len(measured)
    models = asked or variant.models(*place, seed=0)
    return {
        "row": place[0],
        "range": place[1],
        "state": _state(cell, asked, len(measured), failed),
        "models": {"planned": len(asked), "measured": len(measured), "failed": failed},
        "degenerate": all(config.degenerate for config in models),
        "seeds": [] if cell is None else list(cell.seeds),
        "asked_seeds": sorted({config.seed for config in asked}),
        "on": None if cell is None else _interval(cell.on),
        "off": None if cell is None else _interval(cell.off),
        "accuracy": None if cell is None else _interval(cell.accuracy),
        "ratio": None if cell is None else _ratio(cell.ratio),
        "converged": None if cell is None else cell.converged,
        "floor": models[0].noise_floor if cell is None else cell.noise_floor,
        "runs": [_model(record) for record in measured],
    }


def _state(cell: Cell | None, asked: Sequence[ModelConfig], measured: int, failed: int) -> str:
    if not asked:
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
