"""Stores of format 1, whose recipes were flat: their models, counts and studies as of today.

What was fixed then, such as layer widths and the split, is written out as parts with their version
1, so that a later change of a default does not change an old record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from primefourier._checks import refuse_unknown
from primefourier.lab.config import ModelConfig
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.study import Study

_FIELDS = (
    *("experiment", "modulus", "input_range", "primes", "depth", "operation", "embedding", "seed"),
    *("epochs", "batch_size", "learning_rate", "pairs", "trainer"),
)
_EMBEDDINGS = {"pfe": None, **{f"shuffled-{unit}": unit for unit in ("column", "pair", "block")}}


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


def old_measurement(
    data: Mapping[str, Any], config: ModelConfig, probe: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the counts of a record of format 1 with what was added since.

    Rows replaced by their mean or by another pair's stood in a table of their own.
    """
    rows = {} if probe is None else probe["rows"]
    return {
        **data,
        "row_names": config.row_names,
        "relevant": config.relevant,
        "trainer": config.training.trainer,
        "ablations": {kind: counts for kind, counts in rows.items() if kind != "zero"},
    }


def old_studies(models: Iterable[tuple[str, ModelConfig]]) -> list[Study]:
    """Return the studies of planned models of format 1, which named only their experiment.

    A study with other settings than the paper's has them in its name.
    """
    groups: dict[str, list[ModelConfig]] = {}
    for name, config in models:
        experiment = EXPERIMENTS.get(name)
        study = name if experiment is None else experiment.name_of([config])
        groups.setdefault(study, []).append(config)
    return [_study(name, configs) for name, configs in groups.items()]


def _study(name: str, configs: list[ModelConfig]) -> Study:
    experiment = EXPERIMENTS.get(name.partition(" ")[0])
    if experiment is None:
        return Study(name, configs)
    title, axes = experiment.title_of(configs), experiment.axes
    return Study(name, configs, title, axes, experiment.threshold)
