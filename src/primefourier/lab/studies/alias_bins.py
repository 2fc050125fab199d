"""Which irrelevant blocks does a network use, and can that be predicted before training?

A block whose period does not divide N is of no use over the whole group. Over inputs below r it may
be, by itself or together with another block: see :mod:`primefourier.encoding.aliases`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from primefourier.analysis.ablation import Kind
from primefourier.encoding import PrimeBasis
from primefourier.encoding.aliases import LEAST_TURN
from primefourier.lab.config import prime_parts
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper_grids import follows_paper
from primefourier.theory import alias_distance, pair_alias_distance

EDGES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 4.0, np.inf)
FAR = 2.0
"""Blocks at a greater distance than this from any harmonic by themselves are sorted by pairs."""
USED = 0.1
"""A block with a larger drop than this counts as used."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AliasBin:
    """Blocks whose distance from a harmonic of N lies in one interval.

    Args:
        kind: The kind of ablation.
        low: The lower end of the interval.
        high: Its upper end.
        blocks: How many blocks there are.
        mean: Their mean drop.
        largest: Their largest drop.
        used: How many have a drop above ``USED``.
    """

    kind: Kind
    low: float
    high: float
    blocks: int
    mean: float
    largest: float
    used: int


def alias_bins(
    grids: Iterable[Grid], *, kind: Kind = "permute"
) -> tuple[list[AliasBin], list[AliasBin]]:
    """Sort the irrelevant blocks of all probed models by their distance from a harmonic of N.

    Degenerate models are left out, and so are blocks that hardly turn over the inputs.

    Args:
        grids: The grids of a run; those with other settings than the paper's do not count.
        kind: The kind of ablation.

    Returns:
        All blocks by their own distance; and those far from any harmonic, by their smallest
        distance together with another block.
    """
    records = {
        record.config.key: record
        for grid in grids
        if follows_paper(grid)
        for record in grid.found(grid.planned)
        if record.probe is not None and not record.config.degenerate
    }
    found = [_blocks(record, kind) for record in records.values()]
    alone, together, drops = np.concatenate([np.empty((3, 0)), *found], axis=1)
    far = alone >= FAR
    return _bins(alone, drops, kind), _bins(together[far], drops[far], kind)


def _bins(distances: _Floats, drops: _Floats, kind: Kind) -> list[AliasBin]:
    bins = []
    for low, high in pairwise(EDGES):
        here = drops[(distances >= low) & (distances < high)]
        if here.size:
            used = int((here > USED).sum())
            values = float(here.mean()), float(here.max())
            bins.append(AliasBin(kind, low, high, here.size, *values, used))
    return bins


def _blocks(record: Record, kind: Kind) -> _Floats:
    """Return both distances and the drop of each irrelevant block of one model, (3, blocks)."""
    assert record.probe is not None  # only probed models count
    config = record.config
    embedding, task = prime_parts(config)
    distances = _distances(task.modulus, embedding.basis, task.input_range)
    periods = [period for row in embedding.basis.periods for period in row]
    chosen = [
        task.modulus % period != 0 and task.input_range >= LEAST_TURN * period for period in periods
    ]
    return np.stack([*distances, np.array(record.probe.block_drops(kind))])[:, chosen]


@cache  # models of other seeds have the same distances
def _distances(modulus: int, basis: PrimeBasis, input_range: int) -> _Floats:
    """Return the distance of every block from a harmonic of N, alone and with another block."""
    measures = (alias_distance, pair_alias_distance)
    return np.stack([far(modulus, basis, input_range=input_range).ravel() for far in measures])
