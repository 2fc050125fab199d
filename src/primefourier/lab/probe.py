"""The results of probing a network: measurements beyond the paper's.

This module needs no torch, so that stored probes can be read without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.embeddings import PrimeFourier
from primefourier.lab.networks import RowClassifier
from primefourier.lab.tasks import ModularArithmetic

KINDS: tuple[Kind, ...] = ("zero", "mean", "permute")
"""The kinds of ablation of a probe."""
_MOST_PAIRS = 10**7  # of a model
_BY_EPOCH = ("shift_violations", "shift_error", "off_block_energy", "relevant_share")
_ROUNDING = 1e-5
_STORED_NAMES = {"shift_violations": "answers_apart"}
"""Fields with another name in stored records."""


@dataclass(frozen=True)
class RowAblation:
    """Correct answers of a network over its test pairs, and the changes by each ablation.

    Args:
        correct: The number of correct answers before any ablation.
        lost: For each row or block, the number of correct answers that become wrong without it.
        gained: For each row or block, the number of wrong answers that become correct without it.
    """

    correct: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A probed network: three kinds of ablation of rows and blocks, and equivariance by epoch.

    Values by epoch start with the untrained network, so there is one more value than epochs. A
    value is None if the network had diverged; ``relevant_share`` is also None for a zero gradient.

    Args:
        test_size: The number of test pairs of the ablations.
        rows: For each kind of ablation, the counts of each row.
        blocks: For each kind of ablation, the counts of each (p, d), by prime and then by depth.
        shifted_size: The number of test pairs whose first operand was shifted.
        shift_violations: By epoch, the number of their answers that do not follow the shift.
        shift_error: By epoch, the distance of the logits from following the shift; 0 if they
            follow it, 1 if they are unrelated.
        off_block_energy: By epoch, the share of the second moment of the gradient that couples
            different blocks; 0 for a network that is equivariant around its inputs.
        relevant_share: By epoch, the share of the squared gradient on the channels whose period
            divides N.
    """

    test_size: int
    rows: Mapping[Kind, RowAblation]
    blocks: Mapping[Kind, RowAblation]
    shifted_size: int
    shift_violations: tuple[int | None, ...]
    shift_error: tuple[float | None, ...]
    off_block_energy: tuple[float | None, ...]
    relevant_share: tuple[float | None, ...]

    def __post_init__(self) -> None:
        sizes = (self.test_size, self.shifted_size)
        if not all(type(size) is int and 1 <= size <= _MOST_PAIRS for size in sizes):
            raise ValueError(f"a probe must have 1 to {_MOST_PAIRS} pairs, got {sizes}")
        for found in (*self.rows.values(), *self.blocks.values()):
            _require_numbers(int, (found.correct,), self.test_size)
            _require_numbers(int, found.lost, found.correct)
            _require_numbers(int, found.gained, self.test_size - found.correct)
        _require_numbers(int, _known(self.shift_violations), self.shifted_size)
        _require_numbers(float, _known(self.shift_error), 2**0.5)
        _require_numbers(float, _known(self.off_block_energy + self.relevant_share), 1)
        diverged = {tuple(v is None for v in getattr(self, name)) for name in _BY_EPOCH[:-1]}
        if len(diverged) > 1:
            raise ValueError("an epoch of a probe must have all measures or none")

    def row_drops(self, kind: Kind) -> tuple[float, ...]:
        """Return the drop of each row under one kind of ablation."""
        return _drops(self.rows[kind], self.test_size)

    def block_drops(self, kind: Kind) -> tuple[float, ...]:
        """Return the drop of each (p, d), by prime and then by depth."""
        return _drops(self.blocks[kind], self.test_size)

    @property
    def violation_share(self) -> tuple[float | None, ...]:
        """By epoch, the share of answers that do not follow a shift of the first operand."""
        counts = self.shift_violations
        return tuple(None if count is None else count / self.shifted_size for count in counts)

    def require_shape(self, *, rows: int, depth: int, epochs: int) -> None:
        """Raise ValueError unless the probe has values for these rows, this depth and epochs."""
        parts = [(found, rows) for found in self.rows.values()]
        parts += [(found, rows * depth) for found in self.blocks.values()]
        lengths = [(len(counts), n) for found, n in parts for counts in (found.lost, found.gained)]
        lengths += [(len(getattr(self, name)), epochs + 1) for name in _BY_EPOCH]
        if any(length != wanted for length, wanted in lengths):
            raise ValueError(
                f"a probe must have values for {rows} rows, depth {depth} and {epochs} epochs"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the probe as plain data, with the field names of stored records."""
        return {_STORED_NAMES.get(name, name): value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Probe:
        """Read the result of ``to_dict``; impossible values raise an error."""
        names = {stored: name for name, stored in _STORED_NAMES.items()}
        values = {names.get(name, name): value for name, value in data.items()}
        for name in ("rows", "blocks"):
            if set(values[name]) != set(KINDS):
                raise ValueError(f"{name} of a probe must be {KINDS}, got {list(values[name])}")
            values[name] = {kind: _read_counts(**values[name][kind]) for kind in KINDS}
        for name in _BY_EPOCH:
            values[name] = tuple(values[name])
        return cls(**values)


def _read_counts(correct: int, lost: list[int], gained: list[int]) -> RowAblation:
    return RowAblation(correct, tuple(lost), tuple(gained))


def _require_numbers(kind: type, values: Iterable[float], most: float) -> None:
    """Raise ValueError unless all values are of a type, and from 0 to a maximum."""
    for value in values:
        if type(value) is not kind or not 0 <= value <= most + _ROUNDING:
            raise ValueError(f"a number of a probe must be from 0 to {most:g}, got {value!r}")


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _drops(found: RowAblation, size: int) -> tuple[float, ...]:
    pairs = zip(found.lost, found.gained, strict=True)
    return tuple((lost - gained) / size for lost, gained in pairs)


def can_be_probed(config: ModelConfig) -> bool:
    """Return whether a network is the paper's, with rows of primes and two operands."""
    return (
        type(config.embedding) is PrimeFourier
        and isinstance(config.task, ModularArithmetic)
        and config.task.operands == 2
        and isinstance(config.network, RowClassifier)
    )
