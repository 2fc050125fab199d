"""Which other blocks does a network use, and could that be foreseen? By aliasing, before training.

A block whose period does not divide N is of no use over the whole group. Below r it may be, by
itself or together with another: see :mod:`primefourier.theory.aliases`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from primefourier.analysis.stand_in import Kind
from primefourier.encoding import PrimeBasis
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.results import find_variants
from primefourier.theory import alias_distance, pair_alias_distance
from primefourier.theory.aliases import LEAST_TURN

EDGES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 4.0, np.inf)
FAR = 2.0
"""Blocks that are further than this from any harmonic by themselves are sorted by pairs."""
USED = 0.1
"""A block that costs more than this is called used."""


_Column = NDArray[np.float64]
_Columns = NDArray[np.float64]
"""Rows of distances alone and together, and of drops."""


@dataclass(frozen=True)
class AliasBin:
    """Blocks whose distance from a harmonic of N lies in one interval.

    Args:
        kind: What stood in for them.
        low: Where the interval begins.
        high: Where it ends.
        blocks: How many there are.
        mean: Their mean drop.
        largest: Their largest drop.
        used: How many cost more than ``USED``.
    """

    kind: Kind
    low: float
    high: float
    blocks: int
    mean: float
    largest: float
    used: int


def alias_bins(
    planned: Iterable[ModelConfig], records: Iterable[Record], *, kind: Kind = "permute"
) -> list[AliasBin]:
    """Sort the irrelevant blocks of all probed models by their distance from a harmonic of N.

    Degenerate models are left out, and so are blocks that hardly turn over the inputs.

    Args:
        planned: The models that were asked for.
        records: The records that are there; those without a probe do not count.
        kind: What stood in for the block.
    """
    alone, _, drops = _all_blocks(planned, records, kind)
    return _bins(alone, drops, kind)


def pair_bins(
    planned: Iterable[ModelConfig], records: Iterable[Record], *, kind: Kind = "permute"
) -> list[AliasBin]:
    """Sort those of them that are far from any harmonic by how near they come with another block.

    Args:
        planned: The models that were asked for.
        records: The records that are there; those without a probe do not count.
        kind: What stood in for the block.
    """
    alone, together, drops = _all_blocks(planned, records, kind)
    return _bins(together[alone >= FAR], drops[alone >= FAR], kind)


def _all_blocks(planned: Iterable[ModelConfig], records: Iterable[Record], kind: Kind) -> _Columns:
    """Return the distances, alone and together, and the drop of every block that counts."""
    asked = {
        config.key
        for variant, configs in find_variants(planned).items()
        if variant.follows_paper
        for config in configs
        if not config.degenerate
    }
    found = [_blocks(r, kind) for r in records if r.config.key in asked and r.probe is not None]
    return np.concatenate([np.empty((3, 0)), *found], axis=1)


def _bins(distances: _Column, drops: _Column, kind: Kind) -> list[AliasBin]:
    bins = []
    for low, high in pairwise(EDGES):
        here = drops[(distances >= low) & (distances < high)]
        if here.size:
            used = int((here > USED).sum())
            values = float(here.mean()), float(here.max())
            bins.append(AliasBin(kind, low, high, here.size, *values, used))
    return bins


def _blocks(record: Record, kind: Kind) -> _Columns:
    """Return both distances and drop of each irrelevant block of one model that turns."""
    assert record.probe is not None  # only probed models are asked
    config = record.config
    distances = _distances(config.modulus, config.basis, config.input_range)
    periods = [period for row in config.basis.periods for period in row]
    chosen = [
        config.modulus % period != 0 and config.input_range >= LEAST_TURN * period
        for period in periods
    ]
    return np.stack([*distances, np.array(record.probe.block_drops(kind))])[:, chosen]


@cache  # models of other seeds have the same
def _distances(modulus: int, basis: PrimeBasis, input_range: int) -> _Columns:
    """Return how far every block is from a harmonic of N, alone and together with another."""
    measures = (alias_distance, pair_alias_distance)
    return np.stack([far(modulus, basis, input_range=input_range).ravel() for far in measures])
