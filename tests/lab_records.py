"""Records as plain data: whole grids with chosen drops, without training anything."""

from collections.abc import Callable, Iterable

from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS, models_of, profile
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record

Value = float | Callable[[ModelConfig], float]

PAPER = models_of(profile("paper"))
"""All 750 models of the paper."""
EXP1 = [config for config in PAPER if config.experiment == "exp1"]
CONTROL = [config for config in PAPER if config.experiment == "control"]
EXP2 = [config for config in PAPER if config.experiment == "exp2"]

PROVENANCE = Provenance(
    finished="2026-01-02T03:04:05+00:00",
    seconds=1.5,
    machine="a machine",
    device="cpu",
    commit="abc",
    versions={"python": "3.11"},
)


def test_size_of(config: ModelConfig) -> int:
    """Return how many test pairs a model has: a fifth of min(pairs, r²)."""
    return min(config.pairs, config.input_range**2) // 5


def measured(
    config: ModelConfig,
    drops: Iterable[float],
    *,
    accuracy: float = 1.0,
    best: float | None = None,
    test_size: int | None = None,
) -> Record:
    """Return a record with one drop for each row, the accuracy at the end and the best of all."""
    size = test_size or test_size_of(config)
    changes = [round(drop * size) for drop in drops]
    assert len(changes) == len(config.primes)
    last, top = round(accuracy * size), round((accuracy if best is None else best) * size)
    epochs = [0] * config.epochs
    epochs[config.epochs // 2] = top
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
        ),
    )


def failed(config: ModelConfig, error: str = "Traceback: out of luck") -> Record:
    """Return the record of a model that failed."""
    return Record(config=config, provenance=PROVENANCE, error=error)


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
            [_value(on if p in config.relevant else off, config) for p in config.primes],
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
        drops = []
        for p in config.primes:
            wobble = int(config.key[:6], 16) * p % 1009 / 1009 - 0.5
            base = {"exp1": (0.8, 0.01), "control": (0.3, 0.28), "exp2": (0.7, 0.0)}
            on, off = base[config.experiment]
            drops.append((on if p in config.relevant else off) + wobble * on / 20)
        found.append(measured(config, drops, accuracy=1 - int(config.key[6:8], 16) / 3000))
    return found


def by_key(records: Iterable[Record]) -> dict[str, Record]:
    """Return records by their keys."""
    return {record.config.key: record for record in records}


def configs_of(name: str, **settings: object) -> list[ModelConfig]:
    """Return the models of an experiment with some settings of one's own."""
    return EXPERIMENTS[name](**settings).configs()  # type: ignore[arg-type]


def _value(value: Value, config: ModelConfig) -> float:
    return value(config) if callable(value) else value
