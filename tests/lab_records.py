"""Records as plain data: whole grids with chosen drops, without training anything."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from primefourier.analysis.ablation import Kind
from primefourier.lab import Run, Study
from primefourier.lab.config import ModelConfig, prime_parts
from primefourier.lab.embeddings import ShuffledPrimeFourier
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record, RowAblation
from primefourier_paper import (
    EXPERIMENTS,
    CompositeModuli,
    Experiment,
    ShuffledControl,
    SinglePrime,
    models_of,
    profile,
)

KINDS: tuple[Kind, ...] = ("zero", "mean", "permute")
Value = float | Callable[[ModelConfig], float]


def studies_of(configs: Iterable[ModelConfig]) -> list[Study]:
    """Return the paper's studies that some models of its experiments belong to, by settings."""
    groups: dict[str, tuple[Study, list[ModelConfig]]] = {}
    for config in configs:
        study = _study_of(maker_of(config))
        groups.setdefault(study.name, (study, []))[1].append(config)
    return [replace(study, configs=some) for study, some in groups.values()]


def run_of(
    configs: Iterable[ModelConfig], records: Iterable[Record] = (), folder: Path = Path()
) -> Run:
    """Return a run of some models of the paper's experiments, with any settings."""
    return Run(studies_of(configs), list(records), folder=folder)


def with_fields(config: ModelConfig, **changes: Any) -> ModelConfig:
    """Return a model with other values of some fields of its task, embedding or training."""
    for kind in ("task", "embedding", "training"):
        part = getattr(config, kind)
        known = {field.name for field in fields(part)} & changes.keys()
        new = replace(part, **{name: changes.pop(name) for name in known})
        config = replace(config, **{kind: new})
    return replace(config, **changes)


def maker_of(config: ModelConfig) -> Experiment:
    """Return an experiment with the settings of a model."""
    embedding, task = prime_parts(config)
    settings: dict[str, Any] = {
        "primes": embedding.primes,
        "depth": embedding.depth,
        "operation": task.operation,
        "pairs": task.samples,
        "epochs": config.training.epochs,
        "batch_size": config.training.batch_size,
        "learning_rate": config.training.learning_rate,
        "ranges": (task.input_range,),
    }
    if isinstance(embedding, ShuffledPrimeFourier):
        return _make(ShuffledControl, embedding=f"shuffled-{embedding.unit}", **settings)
    if task.modulus in embedding.primes:
        return _make(SinglePrime, **settings)
    return _make(CompositeModuli, moduli=(task.modulus,), **settings)


@cache
def _study_of(experiment: Experiment) -> Study:
    return experiment.study()


@cache  # an experiment makes all its models, and many models share one
def _make(experiment: type[Experiment], **settings: Any) -> Experiment:
    return experiment(**settings)


PAPER = models_of(profile("paper"))
"""All 750 models of the paper."""
EXP1, CONTROL, EXP2 = (list(experiment.configs) for experiment in profile("paper"))
STUDIES = studies_of(PAPER)
"""The paper's three studies."""


PROVENANCE = Provenance(
    finished="2026-01-02T03:04:05+00:00",
    seconds=1.5,
    machine="a machine",
    device="cpu",
    commit="abc",
    versions={"python": "3.11"},
)


def measured(
    config: ModelConfig,
    drops: Iterable[float],
    *,
    accuracy: float = 1.0,
    best: float | None = None,
    test_size: int | None = None,
) -> Record:
    """Return a record with one drop for each row, the accuracy at the end and the best of all."""
    size = test_size or int(config.task.sizes()[1])
    changes = [round(drop * size) for drop in drops]
    assert len(changes) == len(config.row_names)
    last, top = round(accuracy * size), round((accuracy if best is None else best) * size)
    epochs = [0] * config.training.epochs
    epochs[config.training.epochs // 2] = top
    epochs[-1] = last
    return Record(
        config=config,
        provenance=PROVENANCE,
        measurement=Measurement(
            train_size=4 * size,
            test_size=size,
            correct_by_epoch=tuple(epochs),
            correct=last,
            lost=tuple(max(0, change) for change in changes),
            gained=tuple(max(0, -change) for change in changes),
            row_names=config.row_names,
            relevant=config.relevant,
        ),
    )


def failed(config: ModelConfig, error: str = "Traceback: out of luck") -> Record:
    """Return the record of a model that failed."""
    return Record(config=config, provenance=PROVENANCE, error=error)


def diverged(record: Record) -> Record:
    """Return a record as that of a network whose logits are NaN."""
    m = record.measured
    none = tuple(0 for _ in m.row_names)
    counts = replace(m, correct=0, lost=none, gained=none, nan_answers=m.test_size)
    return replace(record, measurement=counts)


def records_of(
    configs: Iterable[ModelConfig],
    *,
    on: Value = 0.8,
    off: Value = 0.0,
    accuracy: Value = 1.0,
    best: Value | None = None,
    test_size: int | None = None,
) -> list[Record]:
    """Return a record for each model: relevant rows drop by ``on``, all others by ``off``."""
    return [
        measured(
            config,
            [
                _value(on if name in (config.relevant or ()) else off, config)
                for name in config.row_names
            ],
            accuracy=_value(accuracy, config),
            best=None if best is None else _value(best, config),
            test_size=test_size,
        )
        for config in configs
    ]


def plausible(configs: Iterable[ModelConfig]) -> list[Record]:
    """Return records whose drops are all different and look like the paper's."""
    found = []
    for config in configs:
        accuracy = 1 - int(config.key[6:8], 16) / 3000
        drops = []
        shuffled = config.to_dict()["embedding"]["name"].startswith("shuffled")
        on, off = (0.3, 0.28) if shuffled else (0.8, 0.01)
        for name in config.row_names:
            wobble = int(config.key[:6], 16) * int(name) % 1009 / 1009 - 0.5
            drop = (on if name in (config.relevant or ()) else off) + wobble * on / 20
            drops.append(max(drop, accuracy - 1 + 1 / 2000))  # no more is gained than was wrong
        found.append(measured(config, drops, accuracy=accuracy))
    return found


def also_ablated(
    record: Record,
    *,
    on: Mapping[Kind, Value] | None = None,
    off: Mapping[Kind, Value] | None = None,
) -> Record:
    """Return a record with counts of rows replaced by their mean and by another pair's.

    Args:
        record: A record of zeroed rows.
        on: For mean and permute, the drop of relevant rows; that of zeroed ones by default.
        off: For mean and permute, the drop of the other rows; 0 by default.
    """
    config, measured = record.config, record.measured
    found: dict[Kind, RowAblation] = {}
    for kind in KINDS[1:]:
        drops = [
            _value((on or {}).get(kind, drop), config)
            if name in (config.relevant or ())
            else _value((off or {}).get(kind, 0.0), config)
            for name, drop in zip(config.row_names, measured.drops, strict=True)
        ]
        found[kind] = _counts(drops, record)
    return replace(record, measurement=replace(measured, ablations=found))


def _counts(drops: Iterable[float], record: Record) -> RowAblation:
    changes = [round(drop * record.measured.test_size) for drop in drops]
    return RowAblation(
        record.measured.correct,
        tuple(max(0, change) for change in changes),
        tuple(max(0, -change) for change in changes),
    )


def configs_of(name: str, **settings: object) -> list[ModelConfig]:
    """Return the models of an experiment with some settings of one's own."""
    return list(EXPERIMENTS[name](**settings).configs)  # type: ignore[arg-type]


def _value(value: Value, config: ModelConfig) -> float:
    return value(config) if callable(value) else value
