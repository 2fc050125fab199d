"""All claims of the paper, and the cells that they are judged by."""

from __future__ import annotations

from collections.abc import Iterable

from primefourier.analysis.ablation import Kind
from primefourier.lab.cells import Cell
from primefourier.lab.claims import Cells, Claim, Finding
from primefourier.lab.config import prime_parts
from primefourier.lab.studies.composite_claims import COMPOSITE_CLAIMS
from primefourier.lab.studies.grid import Grid, Place
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.paper_grids import (
    experiment_of,
    follows_paper,
    modulus_of,
    paper_places,
)
from primefourier.lab.studies.single_prime_claims import CONTROL_CLAIMS, SINGLE_PRIME_CLAIMS
from primefourier.lab.studies.theory_claims import THEORY_CLAIMS

CLAIMS: tuple[Claim, ...] = (
    *SINGLE_PRIME_CLAIMS,
    *CONTROL_CLAIMS,
    *COMPOSITE_CLAIMS,
    *THEORY_CLAIMS,
)


def judge_claims(cells: Cells) -> dict[Claim, Finding]:
    """Judge every claim by the cells of the paper's configurations."""
    return {claim: claim.judge(cells) for claim in CLAIMS}


def _is_whole(cell: Cell, place: Place, experiment: str) -> bool:
    """Return whether each seed of a cell has all models of the paper's cell."""
    asked = [prime_parts(config)[1].modulus for config in paper_places(experiment).get(place, ())]
    found: dict[int, list[int]] = {}
    for record in cell.records:
        found.setdefault(record.config.seed, []).append(modulus_of(record))
    return all(sorted(moduli) == sorted(asked) for moduli in found.values())


def paper_cells(
    grids: Iterable[Grid], *, kind: Kind = "zero", probed: bool = False
) -> dict[str, list[Cell]]:
    """Return the cells of the paper's own configurations, by experiment.

    Other settings do not count. Where both trainers measured a configuration, the fast one counts.

    Args:
        grids: The grids of a run, the paper's settings and the fast trainer first.
        kind: The kind of ablation: zero in the paper; the others need probes.
        probed: Whether only probed models count.
    """
    found: dict[str, dict[tuple[int, int], Cell]] = {name: {} for name in EXPERIMENTS}
    for grid in grids:
        experiment = experiment_of(grid)
        if experiment is not None and follows_paper(grid):
            name = experiment.short_name
            for place, cell in grid.cells_of(kind, probed=probed).items():
                if _is_whole(cell, place, name):
                    found[name].setdefault(place, cell)
    return {name: [cells[place] for place in sorted(cells)] for name, cells in found.items()}
