"""One record per model: its config, its measurement, and where and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from primefourier.analysis import noise_floor, paired_p_value
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.probe import Probe
from primefourier.lab.provenance import Provenance


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The counts of one trained model, which its config determines bit for bit.

    Args:
        train_size: Number of training pairs.
        test_size: Number of test pairs.
        correct_by_epoch: Correct test answers after each epoch.
        correct: Correct test answers at the end.
        lost: For each row, answers that were correct and are wrong with the row zeroed.
        gained: For each row, answers that were wrong and are correct with the row zeroed.
    """

    train_size: int
    test_size: int
    correct_by_epoch: tuple[int, ...]
    correct: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]

    @property
    def accuracy(self) -> float:
        """Test accuracy of the trained network."""
        return self.correct / self.test_size

    @property
    def accuracy_by_epoch(self) -> tuple[float, ...]:
        """Test accuracy after each epoch."""
        return tuple(correct / self.test_size for correct in self.correct_by_epoch)

    @property
    def drops(self) -> tuple[float, ...]:
        """For each row, the test accuracy lost when the row is zeroed."""
        pairs = zip(self.lost, self.gained, strict=True)
        return tuple((lost - gained) / self.test_size for lost, gained in pairs)

    @property
    def p_values(self) -> tuple[float, ...]:
        """For each row, the probability of a change this uneven if the row did not matter."""
        return tuple(map(paired_p_value, self.lost, self.gained))

    @property
    def noise_floor(self) -> float:
        """Drops below this size are indistinguishable from zero in the paper's sense."""
        return noise_floor(self.test_size)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], config: ModelConfig) -> Measurement:
        """Read what ``asdict`` wrote; refuse counts that the model cannot have."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        for name, value in values.items():
            counts = value if name in ("correct_by_epoch", "lost", "gained") else (value,)
            if not all(type(count) is int and count >= 0 for count in counts):
                raise ValueError(f"{name} must be made of counts, got {value!r}")
        m = cls(**values)
        if (
            (m.train_size, m.test_size) != config.split
            or len(m.correct_by_epoch) != config.epochs
            or max(m.correct, *m.correct_by_epoch) > m.test_size
            or max(m.lost, default=0) > m.correct
            or max(m.gained, default=0) > m.test_size - m.correct
        ):
            raise ValueError("a record must count answers of all its epochs, and of no more pairs")
        return m


@dataclass(frozen=True, kw_only=True)
class Record:
    """A model's record: either a measurement, or the traceback of what went wrong.

    Args:
        config: The model.
        provenance: Where and how it was trained.
        measurement: What the paper measures.
        error: The traceback.
        probe: What a probe found in the network, if one was asked for.
        probed: Where and how that network was trained, which may have been later.
    """

    config: ModelConfig
    provenance: Provenance
    measurement: Measurement | None = None
    error: str | None = None
    probe: Probe | None = None
    probed: Provenance | None = None

    def __post_init__(self) -> None:
        if (self.measurement is None) == (self.error is None):
            raise ValueError("a record holds either a measurement or an error")
        if self.error is not None:  # half a surrogate pair, as in odd file names, fits in no store
            readable = self.error.encode(errors="backslashreplace").decode()
            object.__setattr__(self, "error", readable)
        rows = len(self.config.primes)
        if self.measurement is not None and {rows} != {
            len(self.measurement.lost),
            len(self.measurement.gained),
        }:
            raise ValueError(f"a record of {rows} rows must have as many drops")
        if (self.probe is None) != (self.probed is None):
            raise ValueError("a probe comes with its provenance")
        if self.probe is not None:
            self.probe.require_shape(rows=rows, depth=self.config.depth, epochs=self.config.epochs)

    def drop(self, prime: int) -> float:
        """Return the drop of one prime's row."""
        return self.measured.drops[self.config.primes.index(prime)]

    def row_drops(self, kind: Kind = "zero") -> tuple[float, ...]:
        """Return the drop of each row under one kind of ablation; all but zeroing need a probe."""
        if kind == "zero":
            return self.measured.drops
        if self.probe is None:
            raise ValueError(f"{self.config.describe()} was not probed, so only zeroing is known")
        return self.probe.row_drops(kind)

    def row_counts(self, kind: Kind = "zero") -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the answers lost and gained by each row under one kind of ablation."""
        if kind == "zero" or self.probe is None:
            return self.measured.lost, self.measured.gained
        return self.probe.rows[kind].lost, self.probe.rows[kind].gained

    def knows(self, kind: Kind) -> bool:
        """Tell whether the drops under one kind of ablation were measured."""
        return self.measurement is not None and (kind == "zero" or self.probe is not None)

    @property
    def reason(self) -> str:
        """Why a model failed: the last line of its traceback; nothing if it did not fail."""
        lines = (self.error or "").strip().splitlines()
        return lines[-1] if lines else ""

    @property
    def measured(self) -> Measurement:
        """The measurement of a model that did not fail."""
        if self.measurement is None:
            raise ValueError(f"{self.config.describe()} failed, so nothing was measured")
        return self.measurement

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data, with the figures that follow from the counts."""
        data: dict[str, Any] = {
            "key": self.config.key,
            "status": "done" if self.error is None else "failed",
            "config": self.config.to_dict(),
            "measurement": None,
            "error": self.error,
            "provenance": asdict(self.provenance),
            "probe": self.probe and self.probe.to_dict(),
            "probed": self.probed and asdict(self.probed),
        }
        if self.measurement is not None:
            m = self.measurement
            data["measurement"] = {k: _listed(v) for k, v in asdict(m).items()} | {
                "accuracy": m.accuracy,
                "accuracy_by_epoch": list(m.accuracy_by_epoch),
                "drops": list(m.drops),
                "p_values": list(m.p_values),
                "noise_floor": m.noise_floor,
            }
        return data


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
