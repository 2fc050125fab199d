"""Judge every claim of the paper by a set of records."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from primefourier.analysis.stand_in import Kind
from primefourier.lab.claims.claim import Claim, Finding
from primefourier.lab.claims.composite_moduli import COMPOSITE_CLAIMS
from primefourier.lab.claims.shuffled_control import CONTROL_CLAIMS
from primefourier.lab.claims.single_prime import SINGLE_PRIME_CLAIMS
from primefourier.lab.claims.theory import THEORY_CLAIMS
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS
from primefourier.lab.record import Record
from primefourier.lab.results import Cell, find_variants, make_cells
from primefourier.lab.results.cells import cell_of

CLAIMS: tuple[Claim, ...] = (
    *SINGLE_PRIME_CLAIMS,
    *CONTROL_CLAIMS,
    *COMPOSITE_CLAIMS,
    *THEORY_CLAIMS,
)


def judge_claims(
    planned: Iterable[ModelConfig], records: Iterable[Record], *, kind: Kind = "zero"
) -> dict[Claim, Finding]:
    """Judge every claim by the records that follow the paper's protocol; others do not count.

    Args:
        planned: The models that were asked for.
        records: The records that are there.
        kind: What stood in for ablated rows: zeros in the paper; others need probes.
    """
    cells = paper_cells(planned, records, kind=kind)
    return {claim: claim.judge(cells) for claim in CLAIMS}


def paper_cells(
    planned: Iterable[ModelConfig], records: Iterable[Record], *, kind: Kind = "zero"
) -> dict[str, list[Cell]]:
    """Return the cells of the paper's own configurations, by experiment.

    Where both trainers measured a configuration, the fast one counts.
    """
    by_key = {record.config.key: record for record in records}
    found: dict[str, dict[tuple[int, int], Cell]] = {name: {} for name in EXPERIMENTS}
    for variant, configs in find_variants(planned).items():
        if variant.follows_paper:
            for place, cell in make_cells(configs, by_key, kind=kind).items():
                if place in _grid(variant.experiment):
                    found[variant.experiment].setdefault(place, cell)
    return {name: [cells[place] for place in sorted(cells)] for name, cells in found.items()}


@cache
def _grid(experiment: str) -> set[tuple[int, int]]:
    return {cell_of(config) for config in EXPERIMENTS[experiment]().configs()}
