"""Questions that the paper leaves open, and what probes answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from primefourier.analysis.ablation import Kind
from primefourier.lab.claims import Claim, Finding
from primefourier.lab.probe import KINDS
from primefourier.lab.studies.alias_bins import AliasBin, alias_bins
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper_claims import judge_claims, paper_cells
from primefourier.lab.studies.probe_groups import probed_groups
from primefourier.lab.studies.probe_means import (
    DepthDrops,
    EpochCurve,
    depth_drops,
    epoch_curves,
)

ABOUT_DROPS = ("E1.1", "E1.2", "E1.3", "E1.4", "E1.6", "E2.1", "E2.2", "E2.4", "T.2")
"""Claims that depend on the kind of ablation, of the experiments that can be probed."""


@dataclass(frozen=True)
class Answers:
    """What probes answer.

    Args:
        depths: The drop of each depth by itself.
        curves: How equivariance changes over the epochs.
        claims: The claims about drops under each kind of ablation.
        aliases: The drops of irrelevant blocks, by their distance from a harmonic of N.
        alias_pairs: The drops of those far from any harmonic, by their smallest distance together
            with another block.
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
    found = {kind: judge_claims(paper_cells(grids, kind=kind, probed=True)) for kind in KINDS}
    claims = [claim for claim in found["zero"] if claim.name in ABOUT_DROPS]
    return {claim: {kind: found[kind][claim] for kind in KINDS} for claim in claims}
