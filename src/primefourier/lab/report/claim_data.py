"""The judged claims as plain data, with the cell that each piece of evidence stands in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from primefourier.lab.claims import claims_as_data, judge_claims
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.claims.table import verdict_so_far
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.results import Variant

_ABOUT = {"E1": ("exp1",), "C": ("control",), "E2": ("exp2",), "T": ("exp1", "exp2")}
"""Which experiments a claim is about, by how its name begins; exp1 and exp2 name cells apart."""


def claims_with_cells(
    planned: Iterable[ModelConfig], records: Sequence[Record], grids: Sequence[Variant]
) -> list[dict[str, Any]]:
    """Judge the claims, and tell of each piece of evidence which cell of which grid it is.

    Evidence that compares several cells, or that is not of a model, has none.

    Args:
        planned: The models that were asked for.
        records: The records that are there.
        grids: The variants that are shown, in order.
    """
    asked = list(planned)
    findings = judge_claims(asked, records)
    index = {(v.experiment, v.trainer): i for i, v in enumerate(grids) if v.follows_paper}
    places: dict[str, dict[str, list[int]]] = {}
    for experiment, cells in paper_cells(asked, records).items():
        places[experiment] = {
            cell.name: [
                index[experiment, cell.records[0].config.trainer],
                cell.row,
                cell.input_range,
            ]
            for cell in cells
        }
    claims = claims_as_data(findings)
    for claim, finding in zip(claims, findings.values(), strict=True):
        claim["verdict_so_far"] = verdict_so_far(finding)
        known = [places[experiment] for experiment in _ABOUT[claim["claim"].partition(".")[0]]]
        for evidence in claim["evidence"]:
            name = evidence["configuration"]
            evidence["cell"] = next((cells[name] for cells in known if name in cells), None)
    return claims
