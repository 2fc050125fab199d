"""Stores of format 1, whose recipes were flat: how their rows read today.

What was fixed then, such as layer widths and the split, is written out as parts with their version
1, so that a later change of a default does not change an old record.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from primefourier._checks import refuse_unknown
from primefourier.lab.config import ModelConfig
from primefourier.lab.store_rows import (
    DamagedRowError,
    Row,
    config_text,
    dump,
    load,
    reading,
    require_digest,
    sealed,
    study_row,
)
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.study import Study

_FIELDS = (
    *("experiment", "modulus", "input_range", "primes", "depth", "operation", "embedding", "seed"),
    *("epochs", "batch_size", "learning_rate", "pairs", "trainer"),
)
_EMBEDDINGS = {"pfe": None, **{f"shuffled-{unit}": unit for unit in ("column", "pair", "block")}}


def old_key(data: Mapping[str, Any]) -> str:
    """Return the key that a model of format 1 had."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def old_config(data: Mapping[str, Any]) -> ModelConfig:
    """Return the recipe of a model of format 1."""
    refuse_unknown(data, _FIELDS, "a model's config")
    unit, embedding = _EMBEDDINGS[data["embedding"]], {"name": "prime-fourier"}
    if unit is not None:
        embedding = {"name": "shuffled-prime-fourier", "unit": unit, "seed": data["seed"]}
    task = {
        "name": "modular-arithmetic",
        "operation": data["operation"],
        "modulus": data["modulus"],
        "input_range": data["input_range"],
        "operands": 2,
        "samples": data["pairs"],
        "test_share": 0.2,
        "beyond": [],
        "beyond_samples": 2000,
    }
    training = {name: data[name] for name in ("epochs", "batch_size", "learning_rate", "trainer")}
    fixed = {"name": "training", "optimizer_name": "adam", "weight_decay": 0.0}
    parts: dict[str, dict[str, Any]] = {
        "embedding": {**embedding, "primes": data["primes"], "depth": data["depth"]},
        "task": task,
        "network": {"name": "row-classifier", "encoder": [64, 32], "classifier": 128},
        "training": {**training, **fixed},
    }
    versioned = {kind: {**part, "version": 1} for kind, part in parts.items()}
    return ModelConfig.from_dict({**versioned, "seed": data["seed"], "ablations": ["zero"]})


def old_measurement(data: Mapping[str, Any], config: ModelConfig) -> dict[str, Any]:
    """Return the counts of a record of format 1 with what was added since."""
    return {
        **data,
        "row_names": list(config.row_names),
        "relevant": None if config.relevant is None else list(config.relevant),
        "trainer": config.to_dict()["training"]["trainer"],
    }


def upgrade(
    tables: Mapping[str, Sequence[Row]], *, skip_damaged: bool = False, seal: bool = True
) -> dict[str, Any]:
    """Return the rows of a store of format 1 as rows of today.

    Args:
        tables: The rows of each table.
        skip_damaged: Whether damaged rows are left out.
        seal: Whether rows get new digests, which only rows that are stored need.

    Raises:
        DamagedRowError: If a row is damaged, unless those are left out.
    """
    found: dict[str, list[Row]] = {"planned": [], "records": [], "probes": []}
    configs: dict[str, ModelConfig] = {}
    studies: dict[str, list[ModelConfig]] = {}
    for table, rows in found.items():
        for row in tables.get(table, ()):
            try:
                new = _upgraded(table, row, configs, studies)
                rows.append(sealed(*new[:-1]) if seal and table != "planned" else new)
            except DamagedRowError:
                if not skip_damaged:
                    raise
    named = [_study(name, models) for name, models in studies.items()]
    members = [(study.name, config.key) for study in named for config in study.configs]
    return {
        **found,
        "studies": [study_row(study) for study in named],
        "members": members,
        "runs": list(tables.get("runs", ())),
    }


def _upgraded(
    table: str, row: Row, configs: dict[str, ModelConfig], studies: dict[str, list[ModelConfig]]
) -> Row:
    """Return one row as a row of today; remember the model that belongs to its old key."""
    if table != "planned":
        require_digest(row, "record" if table == "records" else "probe")
    with reading(f"row of {table}"):
        if table == "probes":
            return (configs[row[0]].key, *row[1:-1], "")
        key, experiment, config = _parse(str(row[2]))
        if key != row[0]:
            raise ValueError("its key is not that of its config")
        configs[row[0]] = config
        if table == "planned":
            studies.setdefault(_study_name(experiment, config), []).append(config)
            return (config.key, row[1], config_text(config))
        _, status, _, measurement, *rest, _ = row
        if measurement is not None:
            measurement = dump(old_measurement(load(measurement), config))
        return (config.key, status, config_text(config), measurement, *rest, "")


@lru_cache(maxsize=16_384)  # a model stands in the plan and in its record
def _parse(text: str) -> tuple[str, str, ModelConfig]:
    """Return the old key, the experiment and the recipe of a model."""
    data = load(text)
    return old_key(data), str(data["experiment"]), old_config(data)


def _study_name(name: str, config: ModelConfig) -> str:
    """Return the name that the study of a model has today: with settings, if not the paper's."""
    experiment = EXPERIMENTS.get(name)
    return name if experiment is None else experiment.name_of([config])


def _study(name: str, configs: Sequence[ModelConfig]) -> Study:
    experiment = EXPERIMENTS.get(name.partition(" ")[0])
    if experiment is None:
        return Study(name, configs)
    title, axes = experiment.title_of(configs), experiment.axes
    return Study(name, configs, title, axes, experiment.threshold)
