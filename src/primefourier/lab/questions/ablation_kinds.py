"""Does it matter what stands in for an ablated row? The claims about drops, judged three times."""

from __future__ import annotations

from collections.abc import Iterable

from primefourier.analysis.stand_in import Kind
from primefourier.lab.claims import Claim, Finding, judge_claims
from primefourier.lab.config import ModelConfig
from primefourier.lab.probing import KINDS
from primefourier.lab.record import Record

ABOUT_DROPS = ("E1.1", "E1.2", "E1.3", "E1.4", "E1.6", "E2.1", "E2.2", "E2.4", "T.2")
"""Claims that depend on the kind of ablation, of the experiments that can be probed."""


def claims_by_kind(
    planned: Iterable[ModelConfig], records: Iterable[Record]
) -> dict[Claim, dict[Kind, Finding]]:
    """Judge the claims about drops under each kind of ablation, by the same, probed models.

    Args:
        planned: The models that were asked for.
        records: The records that are there; those without a probe do not count.
    """
    asked = list(planned)
    probed = [record for record in records if record.probe is not None]
    found = {kind: judge_claims(asked, probed, kind=kind) for kind in KINDS}
    claims = [claim for claim in found["zero"] if claim.name in ABOUT_DROPS]
    return {claim: {kind: found[kind][claim] for kind in KINDS} for claim in claims}
