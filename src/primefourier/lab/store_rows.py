"""Records as rows of text that carry a digest, so that damage is noticed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.parts import registered
from primefourier.lab.probe import Probe
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record
from primefourier.lab.studies.study import Study, StudyLike, check_study, read_study, study_as_data

Row = tuple[Any, ...]
TABLES = {
    "planned": "key TEXT PRIMARY KEY, position INTEGER NOT NULL, config TEXT NOT NULL",
    "records": "key TEXT PRIMARY KEY, status TEXT NOT NULL, config TEXT NOT NULL, "
    "measurement TEXT, error TEXT, provenance TEXT NOT NULL, digest TEXT NOT NULL",
    "probes": "key TEXT PRIMARY KEY, probe TEXT NOT NULL, provenance TEXT NOT NULL, "
    "digest TEXT NOT NULL",
    "studies": "name TEXT PRIMARY KEY, study TEXT NOT NULL",
    "members": "study TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (study, key)",
    "runs": "started TEXT NOT NULL, command TEXT NOT NULL",
}
"""The columns of each table of a store."""


class DamagedRowError(ValueError):
    """A row that differs from what was written."""


def study_row(study: StudyLike) -> Row:
    """Return the row of a study, without its models."""
    return (study.name, dump(study_as_data(study)))


def plan_row(config: ModelConfig, position: int) -> Row:
    """Return the row of a planned model."""
    return (config.key, position, dump(config.to_dict()))


def record_row(record: Record) -> Row:
    """Return the row of a record, without its probe."""
    return sealed(
        record.config.key,
        "done" if record.error is None else "failed",
        dump(record.config.to_dict()),
        record.measurement and dump(asdict(record.measurement)),
        record.error,
        dump(asdict(record.provenance)),
    )


def probe_row(record: Record) -> Row:
    """Return the row of a record's probe."""
    if record.probe is None or record.probed is None:
        raise ValueError(f"{record.config.describe()} was not probed")
    return sealed(record.config.key, dump(record.probe.to_dict()), dump(asdict(record.probed)))


def read_plan(row: Row) -> ModelConfig:
    """Return the model of a row of ``planned``."""
    key, position, config = row
    if type(position) is not int or not 0 <= position < 2**62:  # others must fit after it
        raise DamagedRowError(f"the position of a model is {position!r}")
    return _read_config(key, config)


def read_record(row: Row, probe: Row | None = None, *, checked: bool = False) -> Record:
    """Return the record of a row of ``records``, with its probe if a row of ``probes`` is given.

    Args:
        row: The row of the record.
        probe: The row of its probe.
        checked: Whether the digests of the rows have just been made or checked.
    """
    if not checked:
        require_digest(row, "record")
    key, status, config, measurement, error, provenance, _ = row
    model = _read_config(key, config)
    with reading("record"):
        record = Record(
            config=model,
            measurement=measurement and Measurement.from_dict(load(measurement)),
            error=error,
            provenance=Provenance.from_dict(load(provenance)),
        )
        if record.measurement is not None:
            record.measurement.require_config(model)
        if status != ("done" if error is None else "failed"):
            raise ValueError(f"its status is {status!r}")
    if probe is None:
        return record
    found, probed = read_probe(probe, checked=checked)
    with reading("probe"):
        return replace(record, probe=found, probed=probed)


def read_probe(row: Row, *, checked: bool = False) -> tuple[Probe, Provenance]:
    """Return the probe of a row of ``probes``, and where it was made."""
    if not checked:
        require_digest(row, "probe")
    with reading("probe"):
        return Probe.from_dict(load(row[1])), Provenance.from_dict(load(row[2]))


def read_studies(
    rows: Iterable[Row], members: Iterable[Row], planned: Mapping[str, ModelConfig]
) -> list[Study]:
    """Return the studies of a store, in the order of their first models."""
    configs: dict[str, list[ModelConfig]] = {}
    chosen: dict[str, set[str]] = {}
    for name, key in members:
        chosen.setdefault(name, set()).add(key)
    about: dict[str, str] = dict(rows)
    for key, config in planned.items():
        for name in about:
            if key in chosen.get(name, ()):
                configs.setdefault(name, []).append(config)
    with reading("study"):
        return [read_study(name, load(about[name]), some) for name, some in configs.items()]


def check_row(table: str, row: Row) -> None:
    """Raise DamagedRowError if a row of a table differs from what was written."""
    if table == "records":
        read_record(row)
    elif table == "probes":
        read_probe(row)
    elif table == "planned":
        read_plan(row)
    elif not all(isinstance(value, str) for value in row):
        raise DamagedRowError(f"a row of {table} is not text")
    elif table == "studies":
        with reading("study"):
            check_study(row[0], load(row[1]))


def _read_config(key: object, text: object) -> ModelConfig:
    with reading("model"):
        config = _parse_config(str(text))
        if config.key != key:
            raise ValueError("its key is not that of its config")
        return config


_MOST_CONFIGS = 16_384
_configs: dict[tuple[str, int], ModelConfig] = {}
"""Models by their stored configs, since a model stands in the plan and in its record; and by the
number of registered parts, since unknown parts may be registered later."""


def config_text(config: ModelConfig) -> str:
    """Return the stored config of a model, and remember the model."""
    if len(_configs) >= _MOST_CONFIGS:
        _configs.clear()
    text = dump(config.to_dict())
    _configs[text, registered()] = config
    return text


def _parse_config(text: str) -> ModelConfig:
    known = _configs.get((text, registered()))
    if known is None:
        known = ModelConfig.from_dict(load(text))
        config_text(known)
    return known


def require_digest(row: Row, what: str) -> None:
    """Raise DamagedRowError if the digest at the end of a row is not that of its values."""
    texts = all(isinstance(value, str | None) for value in row)
    if not texts or row != sealed(*row[:-1]):
        raise DamagedRowError(f"the digest of a {what} does not match its content")


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn errors of what is read into a DamagedRowError."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, LookupError, RecursionError) as problem:
        raise DamagedRowError(f"a {what} cannot be read: {problem}") from problem


def load(text: str) -> Any:
    """Read JSON; numbers that take long to read were never written, and are refused."""
    if re.search(r"\d{301}", text):
        raise ValueError("a number has more than 300 digits")
    return json.loads(text)


def dump(value: object) -> str:
    """Write plain data as compact JSON, always the same way."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sealed(*values: object) -> Row:
    """Return values with the SHA-256 digest of them all at the end."""
    return (*values, hashlib.sha256(json.dumps(values).encode()).hexdigest())
