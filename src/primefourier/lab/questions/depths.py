"""Which depths of a row carry the answer? Each (p, d) block is ablated by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from primefourier.analysis import Interval
from primefourier.analysis.stand_in import Kind
from primefourier.lab.probing import KINDS
from primefourier.lab.questions.groups import Group
from primefourier.lab.record import Record


@dataclass(frozen=True)
class DepthDrops:
    """What each depth is worth by itself, under one kind of ablation.

    Args:
        group: Of which models.
        kind: What stood in for the block.
        relevant: For each depth, the mean drop of the blocks of primes that divide N.
        other: For each depth, the mean drop of the blocks of the other primes.
        largest: The largest drop of a single block of another prime, in any of the models, which
            the means may hide.
    """

    group: Group
    kind: Kind
    relevant: tuple[Interval, ...]
    other: tuple[Interval, ...]
    largest: LargestDrop


@dataclass(frozen=True)
class LargestDrop:
    """The block of another prime whose ablation costs most, and the model it belongs to."""

    drop: float
    prime: int
    depth: int
    modulus: int
    seed: int


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


def _largest(group: Group, kind: Kind) -> LargestDrop:
    return max(
        (
            LargestDrop(drop, prime, depth, record.config.modulus, record.config.seed)
            for records in group.by_seed.values()
            for record in records
            if record.probe is not None
            for (prime, depth), drop in zip(
                record.config.basis.channels, record.probe.block_drops(kind), strict=True
            )
            if prime not in record.config.relevant
        ),
        key=lambda found: found.drop,
    )


def _drops(record: Record, *, kind: Kind, relevant: bool) -> list[float]:
    """Return a model's mean drop at each depth, over the rows that matter or over the others."""
    config = record.config
    assert record.probe is not None  # groups are made of probed models
    by_row = np.reshape(record.probe.block_drops(kind), (len(config.primes), config.depth))
    chosen = [(p in config.relevant) is relevant for p in config.primes]
    means: list[float] = by_row[chosen].mean(axis=0).tolist()
    return means
