"""All that probes say about the questions which the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from primefourier.analysis.stand_in import Kind
from primefourier.lab.claims import Claim, Finding
from primefourier.lab.config import ModelConfig
from primefourier.lab.questions.ablation_kinds import claims_by_kind
from primefourier.lab.questions.aliases import AliasBin, alias_bins, pair_bins
from primefourier.lab.questions.depths import DepthDrops, depth_drops
from primefourier.lab.questions.equivariance import EpochCurve, epoch_curves
from primefourier.lab.questions.groups import probed_groups
from primefourier.lab.record import Record


@dataclass(frozen=True)
class Answers:
    """What probes say.

    Args:
        depths: What each depth is worth by itself.
        curves: How equivariance changes over the epochs.
        claims: The claims about drops under each kind of ablation.
        aliases: What irrelevant blocks cost, by their distance from a harmonic of N.
        alias_pairs: What those of them cost that are far from any, by how near they come to one
            together with another block.
    """

    depths: Sequence[DepthDrops]
    curves: Sequence[EpochCurve]
    claims: Mapping[Claim, Mapping[Kind, Finding]]
    aliases: Sequence[AliasBin]
    alias_pairs: Sequence[AliasBin]


def answer_questions(planned: Sequence[ModelConfig], records: Sequence[Record]) -> Answers | None:
    """Answer the questions by the probes of a run; None if no whole configuration was probed.

    Args:
        planned: The models that were asked for.
        records: The records that are there.
    """
    groups = probed_groups(planned, records)
    if not groups:
        return None
    return Answers(
        [found for group in groups for found in depth_drops(group)],
        [curve for group in groups for curve in epoch_curves(group)],
        claims_by_kind(planned, records),
        alias_bins(planned, records),
        pair_bins(planned, records),
    )
