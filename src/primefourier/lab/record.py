"""One record per model: its config, its measurement, and where and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from primefourier._checks import refuse_unknown
from primefourier.analysis import noise_floor, paired_p_value
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import Provenance


@dataclass(frozen=True)
class RowAblation:
    """Correct answers of a network over its test examples, and the changes by each ablation.

    Args:
        correct: The number of correct answers before any ablation.
        lost: For each row, the number of correct answers that become wrong without it.
        gained: For each row, the number of wrong answers that become correct without it.
    """

    correct: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The counts of one trained model, which its config determines bit for bit.

    Args:
        train_size: Number of training examples.
        test_size: Number of test examples.
        correct_by_epoch: Correct test answers after each epoch in which the network was tested.
        correct: Correct test answers at the end.
        lost: For each row, answers that were correct and are wrong with the row zeroed.
        gained: For each row, answers that were wrong and are correct with the row zeroed.
        row_names: The names of the rows.
        relevant: The names of the rows that the task needs; None if nothing is predicted.
        trainer: The trainer that was used.
        ablations: The same counts for other kinds of ablation than zeroing: those that the config
            names, and in the paper's published run further ones.
        beyond: For each test set beyond the input range, correct answers and examples.
        nan_answers: Test examples that the network does not answer at the end, because a logit is
            NaN or all are -inf. They count as wrong.
        train_correct_by_epoch: Correct training answers in each of these epochs, counted when their
            batch came, before its step. Records of version 0.2 do not have it.
    """

    train_size: int
    test_size: int
    correct_by_epoch: tuple[int, ...]
    correct: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    row_names: tuple[str, ...]
    relevant: tuple[str, ...] | None
    trainer: str = "fast"
    ablations: Mapping[Kind, RowAblation] = field(default_factory=dict)
    beyond: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    nan_answers: int = 0
    train_correct_by_epoch: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # a digest says that a line is as it was written, not that its counts are possible
        rows, wrong = len(self.row_names), self.test_size - self.correct
        pairs = [(found.lost, found.gained) for found in self.ablations.values()]
        for lost, gained in [(self.lost, self.gained), *pairs]:
            if (len(lost), len(gained)) != (rows, rows):
                raise ValueError(f"a record of {rows} rows must have as many drops")
            if max(lost, default=0) > self.correct or max(gained, default=0) > wrong:
                raise ValueError("a row must not lose or gain more answers than there are")
        if not 0 <= self.nan_answers <= wrong:
            raise ValueError("a record must count answers that are NaN as wrong ones")
        train = self.train_correct_by_epoch
        if train and (len(train) != len(self.correct_by_epoch) or max(train) > self.train_size):
            raise ValueError("a record must count training answers in the epochs it was tested in")
        most = max(*self.correct_by_epoch, self.correct, 0)
        sizes = (len(self.correct_by_epoch), self.train_size, self.test_size)
        if most > self.test_size or 0 in sizes:
            raise ValueError("a record must count answers of all epochs, and of no more examples")
        if any(correct > size or not size for correct, size in self.beyond.values()):
            raise ValueError("a record must not count more answers beyond the range than examples")
        names = set(self.row_names)
        if not names or len(names) < rows or not names.issuperset(self.relevant or ()):
            raise ValueError("a record must have rows with different names, relevant ones included")

    @property
    def diverged(self) -> bool:
        """Whether the network ended with NaN logits: its accuracy and drops say nothing."""
        return self.nan_answers > 0

    @property
    def accuracy(self) -> float:
        """Test accuracy of the trained network."""
        return self.correct / self.test_size

    @property
    def accuracy_by_epoch(self) -> tuple[float, ...]:
        """Test accuracy after each epoch in which the network was tested."""
        return tuple(correct / self.test_size for correct in self.correct_by_epoch)

    @property
    def train_accuracy_by_epoch(self) -> tuple[float, ...]:
        """Training accuracy during each of these epochs; empty for records of version 0.2."""
        return tuple(correct / self.train_size for correct in self.train_correct_by_epoch)

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

    @property
    def accuracy_beyond(self) -> dict[str, float]:
        """Accuracy on each test set beyond the input range."""
        return {name: correct / size for name, (correct, size) in self.beyond.items()}

    def counts(self, kind: Kind = "zero") -> RowAblation | None:
        """Return the counts of each row under one kind of ablation, if it was measured."""
        if kind == "zero":
            return RowAblation(self.correct, self.lost, self.gained)
        return self.ablations.get(kind)

    def as_data(self) -> dict[str, Any]:
        """Return the counts as plain data, without those that are empty."""
        data: dict[str, Any] = lists(asdict(self))
        for name in ("nan_answers", "train_correct_by_epoch", "ablations", "beyond"):
            if not data[name]:
                del data[name]
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Measurement:
        """Read what ``as_data`` returned; refuse what is not made of counts."""
        refuse_unknown(data, [one.name for one in fields(cls)], "a measurement")
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        # as tasks name them, by size: "200" before "1000000"
        ends = sorted(values.get("beyond", {}).items(), key=lambda item: (len(item[0]), item[0]))
        values["beyond"] = {name: tuple(counts) for name, counts in ends}
        values["ablations"] = {
            kind: RowAblation(one["correct"], tuple(one["lost"]), tuple(one["gained"]))
            for kind, one in values.get("ablations", {}).items()
        }
        for name in values.keys() - _NOT_COUNTS:
            _require_counts(name, values[name])
        for name, counts in values["beyond"].items():
            _require_counts(f"beyond {name}", counts)
        for kind, one in values["ablations"].items():
            _require_counts(kind, (one.correct, *one.lost, *one.gained))
        for name in ("row_names", "relevant"):
            texts = values[name]
            if texts is not None and {*map(type, texts)} - {str}:
                raise ValueError(f"{name} must be texts, got {texts!r}")
        return cls(**values)

    def require_config(self, config: ModelConfig) -> None:
        """Raise ValueError if a model cannot have these counts, as its parts are here."""
        if config.known and (
            (self.train_size, self.test_size) != config.task.sizes()
            or len(self.correct_by_epoch) != len(config.tested_epochs)
            or {name: size for name, (_, size) in self.beyond.items()}
            != dict(config.task.beyond_sizes())
            or not {"zero", *self.ablations}.issuperset(config.ablations)
            or (self.row_names, self.relevant) != (config.row_names, config.relevant)
        ):
            raise ValueError("a record must count the answers that its model has, and no others")


_FIGURES = (
    *("accuracy", "accuracy_by_epoch", "train_accuracy_by_epoch", "accuracy_beyond", "drops"),
    *("p_values", "noise_floor", "diverged"),
)
"""What follows from the counts of a measurement."""
_NOT_COUNTS = {"row_names", "relevant", "trainer", "beyond", "ablations"}
_MOST_ERROR = 20_000
"""Characters of a traceback that are kept, the last ones, which say what went wrong."""


def _require_counts(name: str, value: Any) -> None:
    flat = value if isinstance(value, tuple) else (value,)
    if flat and ({*map(type, flat)} != {int} or not 0 <= min(flat) <= max(flat) < 2**62):
        raise ValueError(f"{name} must be made of counts, got {str(value)[:200]}")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A model's record: either a measurement, or the traceback of what went wrong.

    Args:
        config: The model.
        provenance: Where and how it was trained.
        measurement: What the paper measures.
        error: The traceback.
    """

    config: ModelConfig
    provenance: Provenance
    measurement: Measurement | None = None
    error: str | None = None

    def __post_init__(self) -> None:
        if (self.measurement is None) == (self.error is None):
            raise ValueError("a record holds either a measurement or an error")
        if self.error is not None:  # half a surrogate pair, as in odd file names, fits in no store
            readable = self.error.encode(errors="backslashreplace").decode()
            object.__setattr__(self, "error", readable[-_MOST_ERROR:])

    def row_drops(self, kind: Kind = "zero") -> tuple[float, ...]:
        """Return the drop of each row under one kind of ablation."""
        counts, size = self.row_counts(kind), self.measured.test_size
        return tuple((lost - gained) / size for lost, gained in zip(*counts, strict=True))

    def row_counts(self, kind: Kind = "zero") -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the answers lost and gained by each row under one kind of ablation."""
        found = self.measured.counts(kind)
        if found is None:
            raise ValueError(f"{self.config.describe()} was not ablated by {kind!r}")
        return found.lost, found.gained

    def knows(self, kind: Kind) -> bool:
        """Return whether the drops under one kind of ablation were measured."""
        return self.measurement is not None and self.measurement.counts(kind) is not None

    @property
    def diverged(self) -> bool:
        """Whether the model was measured, but its network ended with NaN logits."""
        return self.measurement is not None and self.measurement.diverged

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

    def as_data(self) -> dict[str, Any]:
        """Return the facts of the record as plain data, as a store keeps them."""
        measured = self.measurement and self.measurement.as_data()
        facts = {"measurement": measured, "error": self.error}
        about = {"config": self.config.to_dict(), "provenance": asdict(self.provenance)}
        return {**about, **{name: fact for name, fact in facts.items() if fact is not None}}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], config: ModelConfig | None = None) -> Record:
        """Read what ``as_data`` returned, or raise an error that says what no record has.

        Args:
            data: The plain data.
            config: Its model, if that is read already.
        """
        refuse_unknown(data, [one.name for one in fields(cls)], "a record")
        measured, error = data.get("measurement"), data.get("error")
        if not isinstance(error, str | None):
            raise TypeError(f"the error of a record must be a text, got {error!r:.80}")
        measurement = None if measured is None else Measurement.from_data(measured)
        return cls(
            config=config or ModelConfig.from_dict(data["config"]),
            provenance=Provenance.from_dict(data["provenance"]),
            measurement=measurement,
            error=error,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data, with the figures that follow from the counts."""
        data: dict[str, Any] = {
            "key": self.config.key,
            "status": "done" if self.error is None else "failed",
            "config": self.config.to_dict(),
            "measurement": None,
            "error": self.error,
            "provenance": asdict(self.provenance),
        }
        if self.measurement is not None:
            figures = {name: getattr(self.measurement, name) for name in _FIGURES}
            data["measurement"] = lists(asdict(self.measurement) | figures)
        return data


def lists(value: Any) -> Any:
    """Return plain data with lists in place of tuples."""
    if isinstance(value, dict):
        return {name: lists(item) for name, item in value.items()}
    return list(map(lists, value)) if isinstance(value, tuple) else value
