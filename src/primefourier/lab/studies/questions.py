"""Questions that the paper leaves open, and what probes answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from primefourier.analysis.ablation import Kind
from primefourier.encoding import PrimeBasis
from primefourier.encoding.aliases import LEAST_TURN
from primefourier.lab.claims import Claim, Finding
from primefourier.lab.config import prime_parts
from primefourier.lab.probe import KINDS
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper_cells import paper_cells
from primefourier.lab.studies.paper_claims import judge_claims
from primefourier.lab.studies.paper_grids import follows_paper
from primefourier.lab.studies.probe_means import (
    DepthDrops,
    EpochCurve,
    depth_drops,
    epoch_curves,
    known_probe,
    measured_of,
    probed_groups,
)
from primefourier.theory import alias_distance, pair_alias_distance

ABOUT_DROPS = ("E1.1", "E1.2", "E1.3", "E1.4", "E1.6", "E2.1", "E2.2", "E2.4", "T.2")
"""Claims that depend on the kind of ablation, of the experiments that can be probed."""
EDGES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 4.0, np.inf)
FAR = 2.0
"""Blocks at a greater distance than this from any harmonic by themselves are sorted by pairs."""
USED = 0.1
"""A block with a larger drop than this counts as used."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AliasBin:
    """Blocks whose distance from a harmonic of N is from ``low`` to below ``high``.

    They have a mean and a largest drop; ``used`` is how many have a drop above ``USED``.
    """

    kind: Kind
    low: float
    high: float
    blocks: int
    mean: float
    largest: float
    used: int


@dataclass(frozen=True)
class Answers:
    """What probes answer: drops by depth, equivariance by epoch, claims by kind of ablation.

    ``aliases`` and ``alias_pairs`` are the two results of :func:`alias_bins`.
    """

    depths: Sequence[DepthDrops]
    curves: Sequence[EpochCurve]
    claims: Mapping[Claim, Mapping[Kind, Finding]]
    aliases: Sequence[AliasBin]
    alias_pairs: Sequence[AliasBin]


def answer_questions(grids: Sequence[Grid]) -> Answers | None:
    """Answer the questions by probes; None if no configuration is probed completely."""
    groups = probed_groups(grids)
    if not groups:
        return None
    return Answers(
        [found for group in groups for found in depth_drops(group)],
        [curve for group in groups for curve in epoch_curves(group)],
        claims_by_kind(grids),
        *alias_bins(grids),
    )


def claims_by_kind(grids: Sequence[Grid]) -> dict[Claim, dict[Kind, Finding]]:
    """Judge the claims about drops under each kind of ablation, by the same probed models."""
    records = measured_of(grids)
    found = {kind: judge_claims(paper_cells(records, kind=kind, probed=True)) for kind in KINDS}
    claims = [claim for claim in found["zero"] if claim.name in ABOUT_DROPS]
    return {claim: {kind: found[kind][claim] for kind in KINDS} for claim in claims}


def alias_bins(
    grids: Iterable[Grid], *, kind: Kind = "permute"
) -> tuple[list[AliasBin], list[AliasBin]]:
    """Sort the irrelevant blocks of all probed models by their distance from a harmonic of N.

    A block whose period does not divide N is of no use over the whole group. Over inputs below r it
    may be, by itself or with another block: see :mod:`primefourier.encoding.aliases`. Degenerate
    models are left out, and so are blocks that hardly turn over the inputs.

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
    embedding, task = prime_parts(record.config)
    distances = _distances(task.modulus, embedding.basis, task.input_range)
    periods = (period for row in embedding.basis.periods for period in row)
    chosen = [
        task.modulus % period != 0 and task.input_range >= LEAST_TURN * period for period in periods
    ]
    return np.stack([*distances, np.array(known_probe(record).block_drops(kind))])[:, chosen]


@cache  # models of other seeds have the same distances
def _distances(modulus: int, basis: PrimeBasis, input_range: int) -> _Floats:
    """Return the distance of every block from a harmonic of N, alone and with another block."""
    measures = (alias_distance, pair_alias_distance)
    return np.stack([far(modulus, basis, input_range=input_range).ravel() for far in measures])
