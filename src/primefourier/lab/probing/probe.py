"""What a probe holds: more about a trained network than the paper measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from primefourier.analysis.stand_in import Kind
from primefourier.lab.row_ablation import RowAblation

KINDS: tuple[Kind, ...] = get_args(Kind)
_MOST_PAIRS = 10**7  # that a model may have
_BY_EPOCH = ("answers_apart", "shift_error", "off_block_energy", "relevant_share")


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A network taken apart: three ways of ablation, each block by itself, equivariance over time.

    Values by epoch begin with the untrained network, so there is one more than epochs.

    Args:
        test_size: Number of test pairs of the ablations.
        rows: For each kind of ablation, the counts of each row.
        blocks: For each kind of ablation, the counts of each (p, d), by prime and then by depth.
        shifted_size: Number of test pairs whose first operand was exchanged.
        answers_apart: By epoch, how many of their answers do not follow the exchange.
        shift_error: By epoch, how far the logits are from following it; 0 if they do, 1 if
            unrelated.
        off_block_energy: By epoch, the share of the gradient's second moment that couples different
            blocks; 0 for a network that is equivariant around its inputs.
        relevant_share: By epoch, the share of the gradient's square on the channels whose period
            divides N.
    """

    test_size: int
    rows: Mapping[Kind, RowAblation]
    blocks: Mapping[Kind, RowAblation]
    shifted_size: int
    answers_apart: tuple[int, ...]
    shift_error: tuple[float, ...]
    off_block_energy: tuple[float, ...]
    relevant_share: tuple[float, ...]

    def row_drops(self, kind: Kind) -> tuple[float, ...]:
        """Return the drop of each row under one kind of ablation."""
        return _drops(self.rows[kind], self.test_size)

    def block_drops(self, kind: Kind) -> tuple[float, ...]:
        """Return the drop of each (p, d), by prime and then by depth."""
        return _drops(self.blocks[kind], self.test_size)

    @property
    def share_apart(self) -> tuple[float, ...]:
        """By epoch, the share of answers that do not follow an exchanged operand."""
        return tuple(count / self.shifted_size for count in self.answers_apart)

    def require_shape(self, *, rows: int, depth: int, epochs: int) -> None:
        """Refuse a probe that is not of a network with so many rows, depths and epochs."""
        parts = [(found, rows) for found in self.rows.values()]
        parts += [(found, rows * depth) for found in self.blocks.values()]
        lengths = [(len(counts), n) for found, n in parts for counts in (found.lost, found.gained)]
        lengths += [(len(getattr(self, name)), epochs + 1) for name in _BY_EPOCH]
        if any(length != wanted for length, wanted in lengths):
            raise ValueError(
                f"a probe of {rows} rows, depth {depth}, {epochs} epochs must have as many values"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the probe as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Probe:
        """Read what ``to_dict`` wrote; what cannot have been measured is refused."""
        values = dict(data)
        for name in ("rows", "blocks"):
            found = {kind: _read_counts(name, values[name][kind]) for kind in KINDS}
            if len(found) != len(values[name]):
                raise ValueError(f"{name} of a probe must be of {KINDS}, got {list(values[name])}")
            values[name] = found
        for name in _BY_EPOCH:
            wanted = int if name == "answers_apart" else float
            values[name] = tuple(values[name])
            if not all(type(value) is wanted and _is_size(value) for value in values[name]):
                raise ValueError(f"{name} of a probe must be numbers from 0 on, got {values[name]}")
        for name in ("test_size", "shifted_size"):
            if type(values[name]) is not int or not 1 <= values[name] <= _MOST_PAIRS:
                raise ValueError(f"{name} of a probe must be at least 1, and at most {_MOST_PAIRS}")
        probe = cls(**values)
        probe._require_possible()
        return probe

    def _require_possible(self) -> None:
        """Refuse more answers than there are pairs."""
        size = self.test_size
        parts = (*self.rows.values(), *self.blocks.values())
        if (
            any(count > self.shifted_size for count in self.answers_apart)
            or any(lost > found.correct for found in parts for lost in found.lost)
            or any(gained > size - found.correct for found in parts for gained in found.gained)
            or any(found.correct > size for found in parts)
        ):
            raise ValueError("a probe must not count more answers than it has pairs")


def _is_size(value: float) -> bool:
    return 0 <= value < math.inf


def _read_counts(name: str, data: Mapping[str, Any]) -> RowAblation:
    lost, gained = tuple(data["lost"]), tuple(data["gained"])
    if len(data) != len(fields(RowAblation)) or not all(
        type(count) is int and count >= 0 for count in (data["correct"], *lost, *gained)
    ):
        raise ValueError(f"{name} of a probe must be made of counts")
    return RowAblation(data["correct"], lost, gained)


def _drops(found: RowAblation, size: int) -> tuple[float, ...]:
    pairs = zip(found.lost, found.gained, strict=True)
    return tuple((lost - gained) / size for lost, gained in pairs)
