"""What probes measure, averaged over a group of models: drops by depth, equivariance by epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from primefourier.analysis import Interval, mean_interval
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import prime_parts
from primefourier.lab.probe import KINDS, Probe
from primefourier.lab.record import Record
from primefourier.lab.studies.paper_grids import modulus_of
from primefourier.lab.studies.probe_groups import Group


@dataclass(frozen=True)
class LargestDrop:
    """The block of another prime with the largest drop, and the model it belongs to."""

    drop: float
    prime: int
    depth: int
    modulus: int
    seed: int


@dataclass(frozen=True)
class DepthDrops:
    """The drop of single (p, d) blocks at each depth, under one kind of ablation.

    Args:
        group: The models.
        kind: The kind of ablation.
        relevant: For each depth, the mean drop of the blocks of primes that divide N.
        other: For each depth, the mean drop of the blocks of the other primes.
        largest: The largest drop of a single block of another prime in any of the models, which
            the means may hide.
    """

    group: Group
    kind: Kind
    relevant: tuple[Interval, ...]
    other: tuple[Interval, ...]
    largest: LargestDrop


def depth_drops(group: Group) -> list[DepthDrops]:
    """Return the drops of single blocks by depth, for each kind of ablation."""
    return [
        DepthDrops(
            group,
            kind,
            group.over_seeds(partial(_drops, kind=kind, relevant=True)),
            group.over_seeds(partial(_drops, kind=kind, relevant=False)),
            _largest(group, kind),
        )
        for kind in KINDS
    ]


def _drops(record: Record, *, kind: Kind, relevant: bool) -> list[float]:
    """Return a model's mean drop at each depth, over the relevant or over the other rows."""
    measured = record.measured
    assert record.probe is not None  # groups are made of probed models
    by_row = np.reshape(record.probe.block_drops(kind), (len(measured.row_names), -1))
    chosen = [(name in (measured.relevant or ())) is relevant for name in measured.row_names]
    means: list[float] = by_row[chosen].mean(axis=0).tolist()
    return means


def _largest(group: Group, kind: Kind) -> LargestDrop:
    return max(
        (
            LargestDrop(drop, prime, depth, modulus_of(record), record.config.seed)
            for records in group.by_seed.values()
            for record in records
            if record.probe is not None
            for (prime, depth), drop in zip(
                prime_parts(record.config)[0].basis.channels,
                record.probe.block_drops(kind),
                strict=True,
            )
            if modulus_of(record) % prime
        ),
        key=lambda found: found.drop,
    )


@dataclass(frozen=True)
class Measure:
    """A quantity that a probe measures after each epoch.

    Args:
        name: Its name in data.
        title: Its name in tables and figures.
        meaning: What its ends mean.
        read: Reads it from a probe, by epoch.
    """

    name: str
    title: str
    meaning: str
    read: Callable[[Probe], Sequence[float | None]]


MEASURES = (
    Measure(
        "share_apart",
        "answers that do not follow a shift",
        "0 if all follow",
        lambda probe: probe.violation_share,
    ),
    Measure(
        "shift_error",
        "shift error of the logits",
        "0 if equivariant, 1 if unrelated",
        lambda probe: probe.shift_error,
    ),
    Measure(
        "off_block_energy",
        "off-block energy of the gradient",
        "0 if no two blocks are coupled",
        lambda probe: probe.off_block_energy,
    ),
    Measure(
        "relevant_share",
        "gradient on relevant channels",
        "1 if on no others",
        lambda probe: probe.relevant_share,
    ),
)


@dataclass(frozen=True)
class EpochCurve:
    """One measure of a group of models, before training and after each epoch.

    Args:
        group: The models.
        measure: The measure.
        values: The mean over models, then over seeds; None where no model has a value.
        skipped: How many models the means skip at one epoch or more, because they had diverged.
    """

    group: Group
    measure: Measure
    values: tuple[Interval | None, ...]
    skipped: int


def epoch_curves(group: Group) -> list[EpochCurve]:
    """Return all measures of a group by epoch."""
    return [_curve(group, measure) for measure in MEASURES]


def _curve(group: Group, measure: Measure) -> EpochCurve:
    by_seed = [_read(records, measure) for records in group.by_seed.values()]
    means = np.ma.stack([values.mean(axis=0) for values in by_seed], axis=1)
    return EpochCurve(
        group,
        measure,
        tuple(mean_interval(at.compressed()) if at.count() else None for at in means),
        sum(int(np.ma.getmaskarray(values).any(axis=1).sum()) for values in by_seed),
    )


def _read(records: Sequence[Record], measure: Measure) -> np.ma.MaskedArray[Any, Any]:
    """Return a measure of some models by epoch, (models, epochs + 1), masked where it is None."""
    probes = [record.probe for record in records if record.probe is not None]
    return np.ma.masked_invalid(np.array([measure.read(probe) for probe in probes], dtype=float))
