"""Records as rows of text that carry a digest, so that damage is noticed and not believed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.probing.probe import Probe
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record

Row = tuple[Any, ...]
FORMAT = 1
"""Raised whenever the tables of a store or the meaning of a column change."""


class DamagedRowError(ValueError):
    """A row that is not what was written."""


def config_row(config: ModelConfig, position: int) -> Row:
    """Return the row of a model that was asked for: key, position, config."""
    return (config.key, position, dump(config.to_dict()))


def record_row(record: Record) -> Row:
    """Return the row of a record: key, status, config, measurement, error, provenance, digest."""
    row = (
        record.config.key,
        "done" if record.error is None else "failed",
        dump(record.config.to_dict()),
        record.measurement and dump(asdict(record.measurement)),
        record.error,
        dump(asdict(record.provenance)),
    )
    return (*row, digest(row))


def read_record(row: Row) -> Record:
    """Turn a row back into the record it was made of."""
    key, status, config, measurement, error, provenance, written = row
    if not all(isinstance(value, str | None) for value in row) or written != digest(row[:-1]):
        raise DamagedRowError("the digest of a record is not that of its content")
    model = read_config(key, config)
    try:
        record = Record(
            config=model,
            measurement=measurement and Measurement.from_dict(json.loads(measurement)),
            error=error,
            provenance=Provenance.from_dict(json.loads(provenance)),
        )
    except (TypeError, ValueError, AttributeError, RecursionError) as problem:
        raise DamagedRowError(f"a record cannot be read: {problem}") from problem
    if status != ("done" if error is None else "failed"):
        raise DamagedRowError(f"a record's status is {status!r}")
    return record


def probe_row(record: Record) -> Row:
    """Return the row of a record's probe: key, probe, provenance, digest."""
    if record.probe is None or record.probed is None:
        raise ValueError(f"{record.config.describe()} was not probed")
    row = (record.config.key, dump(record.probe.to_dict()), dump(asdict(record.probed)))
    return (*row, digest(row))


def read_probe(row: Row) -> tuple[str, Probe, Provenance]:
    """Turn a row back into the key of a model, its probe and where that was made."""
    if len(row) != 4:
        raise DamagedRowError(f"a probe has {len(row)} columns")
    key, probe, provenance, written = row
    if not all(isinstance(value, str) for value in row) or written != digest(row[:-1]):
        raise DamagedRowError("the digest of a probe is not that of its content")
    try:
        found = Probe.from_dict(json.loads(probe))
        return key, found, Provenance.from_dict(json.loads(provenance))
    except (TypeError, ValueError, AttributeError, LookupError, RecursionError) as problem:
        raise DamagedRowError(f"a probe cannot be read: {problem}") from problem


def with_probe(record: Record, row: Row) -> Record:
    """Return a record together with its probe."""
    _, probe, probed = read_probe(row)
    try:
        return replace(record, probe=probe, probed=probed)
    except ValueError as problem:
        raise DamagedRowError(f"a probe does not fit its record: {problem}") from problem


def read_config(key: object, text: object) -> ModelConfig:
    """Turn the text of a config back into the model with that key."""
    try:
        config = ModelConfig.from_dict(json.loads(str(text)))
    except (TypeError, ValueError, AttributeError, RecursionError) as problem:
        raise DamagedRowError(f"a model cannot be read: {problem}") from problem
    if config.key != key:
        raise DamagedRowError("the key of a model is not that of its config")
    return config


def dump(value: object) -> str:
    """Write plain data as compact JSON, always the same way."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(values: object) -> str:
    """Return the SHA-256 of plain values."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
