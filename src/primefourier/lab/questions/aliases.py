"""Which other blocks does a network use, and could that be foreseen? By aliasing, before training.

A block whose period does not divide N is of no use over the whole group. Below r it may be: see
:mod:`primefourier.theory.aliases`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from primefourier.analysis.stand_in import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.results import find_variants
from primefourier.theory import alias_distance

EDGES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 4.0, np.inf)
_TURNS = 0.25
"""A block that turns less over the inputs is nearer to a constant than to any harmonic."""
USED = 0.1
"""A block that costs more than this is called used."""


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
    asked = {
        config.key
        for variant, configs in find_variants(planned).items()
        if variant.follows_paper
        for config in configs
        if not config.degenerate
    }
    found = [_blocks(r, kind) for r in records if r.config.key in asked and r.probe is not None]
    if not found:
        return []
    distances, drops = np.concatenate(found, axis=1)
    bins = []
    for low, high in pairwise(EDGES):
        here = drops[(distances >= low) & (distances < high)]
        if here.size:
            used = int((here > USED).sum())
            values = float(here.mean()), float(here.max())
            bins.append(AliasBin(kind, low, high, here.size, *values, used))
    return bins


def _blocks(record: Record, kind: Kind) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return distance and drop of each irrelevant block of one model that turns, (2, blocks)."""
    assert record.probe is not None  # only probed models are asked
    config = record.config
    distance = alias_distance(config.modulus, config.basis, input_range=config.input_range).ravel()
    periods = [period for row in config.basis.periods for period in row]
    chosen = [
        config.modulus % period != 0 and config.input_range >= _TURNS * period for period in periods
    ]
    return np.stack([distance, np.array(record.probe.block_drops(kind))])[:, chosen]
