"""Records as rows of text that carry a digest, so that damage is noticed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NamedTuple

from primefourier.lab.config import ModelConfig
from primefourier.lab.migrate import old_config, old_measurement, old_studies
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record
from primefourier.lab.studies.study import Study, StudyLike, check_study, read_study, study_as_data

Row = tuple[Any, ...]
Tables = dict[str, list[Row]]
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
"""The columns of each table of a store. Nothing is written to ``probes`` any more."""


class DamagedRowError(ValueError):
    """A row that differs from what was written."""


class Contents(NamedTuple):
    """Everything that a store holds."""

    planned: list[ModelConfig]
    studies: list[Study]
    records: list[Record]
    commands: list[str]


def study_row(study: StudyLike) -> Row:
    """Return the row of a study, without its models."""
    return (study.name, dump(study_as_data(study)))


def plan_row(config: ModelConfig, position: int) -> Row:
    """Return the row of a planned model."""
    return (config.key, position, dump(config.to_dict()))


def record_row(record: Record) -> Row:
    """Return the row of a record."""
    return sealed(
        record.config.key,
        "done" if record.error is None else "failed",
        dump(record.config.to_dict()),
        record.measurement and dump(record.measurement.to_dict()),
        record.error,
        dump(asdict(record.provenance)),
    )


class RowReader:
    """Reads the rows of one store; rows that differ from what was written raise an error.

    Args:
        old: Whether the store has format 1.
    """

    def __init__(self, *, old: bool = False) -> None:
        self._old = old
        self._models: dict[tuple[str, str], ModelConfig] = {}

    def read(self, tables: Mapping[str, Sequence[Row]]) -> Contents:
        """Return everything that the rows of a store hold."""
        plans = [(row, self.plan(row)) for row in tables["planned"]]
        planned = {row[0]: config for row, config in sorted(plans, key=lambda pair: pair[0][1])}
        probes = {row[0]: row for row in tables.get("probes", ()) if self._old}
        order = {key: i for i, key in enumerate(planned)}
        records = sorted(tables["records"], key=lambda row: order.get(row[0], len(order)))
        return Contents(
            list(planned.values()),
            self._studies(tables, planned),
            [self.record(row, probes.get(row[0])) for row in records],
            list(dict.fromkeys(str(command) for _, command in sorted(tables["runs"]))),
        )

    def plan(self, row: Row) -> ModelConfig:
        """Return the model of a row of ``planned``."""
        key, position, config = row
        if type(position) is not int or not 0 <= position < 2**62:  # others must fit after it
            raise DamagedRowError(f"the position of a model is {position!r}")
        return self._model(key, config)

    def record(self, row: Row, probe: Row | None = None) -> Record:
        """Return the record of a row of ``records``.

        In a store of format 1 a row of ``probes`` may have counts of further ablations.
        """
        _require_digest(row, "record")
        key, status, text, measurement, error, provenance, _ = row
        config = self._model(key, text)
        with _reading("record"):
            if status != ("done" if error is None else "failed"):
                raise ValueError(f"its status is {status!r}")
            if measurement is not None:
                counts = load(measurement)
                if self._old:
                    ablated = None if probe is None else self._probe(probe)
                    counts = old_measurement(counts, config, ablated)
                measurement = Measurement.from_dict(counts)
                measurement.require_config(config)
            return Record(
                config=config,
                provenance=Provenance.from_dict(load(provenance)),
                measurement=measurement,
                error=error,
            )

    def _probe(self, row: Row) -> dict[str, Any]:
        _require_digest(row, "probe")
        return dict(load(row[1]))

    def check(self, table: str, row: Row) -> None:
        """Raise DamagedRowError if a row of a table differs from what was written."""
        if table == "planned":
            self.plan(row)
        elif table == "records":
            self.record(row)
        elif table == "probes":
            with _reading("probe"):
                self._probe(row)
        elif not all(isinstance(value, str) for value in row):
            raise DamagedRowError(f"a row of {table} is not text")
        elif table == "studies":
            with _reading("study"):
                check_study(row[0], load(row[1]))

    def _model(self, key: str, text: str) -> ModelConfig:
        """Return a model; most stand in the plan and in a record, and are parsed once."""
        if (known := self._models.get((key, text))) is not None:
            return known
        with _reading("model"):
            data = load(text)
            config = old_config(data) if self._old else ModelConfig.from_dict(data)
            if key != (_hash(text) if self._old else config.key):
                raise ValueError("its key is not that of its config")
        self._models[key, text] = config
        return config

    def _studies(
        self, tables: Mapping[str, Sequence[Row]], planned: Mapping[str, ModelConfig]
    ) -> list[Study]:
        """Return the studies in the order of their first models."""
        if self._old:
            texts = {row[0]: row[2] for row in tables["planned"]}
            names = [str(load(texts[key])["experiment"]) for key in planned]
            return old_studies(zip(names, planned.values(), strict=True))
        about: dict[str, str] = dict(tables.get("studies", ()))
        members = set(tables.get("members", ()))
        configs: dict[str, list[ModelConfig]] = {}
        for key, config in planned.items():
            for name in about:
                if (name, key) in members:
                    configs.setdefault(name, []).append(config)
        with _reading("study"):
            return [read_study(name, load(about[name]), some) for name, some in configs.items()]


def upgrade(tables: Mapping[str, Sequence[Row]]) -> Tables:
    """Return the rows of a store of format 1 as rows of format 2.

    Raises:
        DamagedRowError: If a row is damaged.
    """
    reader = RowReader(old=True)
    found = reader.read(tables)
    return {
        "planned": [plan_row(reader.plan(row), row[1]) for row in tables["planned"]],
        "records": [record_row(record) for record in found.records],
        "probes": [],
        "studies": [study_row(study) for study in found.studies],
        "members": [(s.name, config.key) for s in found.studies for config in s.configs],
        "runs": list(tables["runs"]),
    }


def _require_digest(row: Row, what: str) -> None:
    texts = all(isinstance(value, str | None) for value in row)
    if not texts or row != sealed(*row[:-1]):
        raise DamagedRowError(f"the digest of a {what} does not match its content")


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turn errors of what is read into a DamagedRowError."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, LookupError, RecursionError) as problem:
        raise DamagedRowError(f"a {what} cannot be read: {problem}") from problem


def load(text: str) -> Any:
    """Read JSON; numbers that take long to read were never written, and are refused."""
    if re.search("[0-9]{301}", text):
        raise ValueError("a number has more than 300 digits")
    return json.loads(text)


def dump(value: object) -> str:
    """Write plain data as compact JSON, always the same way."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sealed(*values: object) -> Row:
    """Return values with the SHA-256 digest of them all at the end."""
    return (*values, _hash(json.dumps(values)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
