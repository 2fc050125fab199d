"""All claims of the paper, and the cells that they are judged by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial

from primefourier.analysis.ablation import Kind
from primefourier.arithmetic.primes import factorize
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.cells import Cell
from primefourier.lab.claims import Cells, Claim, Evidence, Finding, Verdict
from primefourier.lab.config import prime_parts
from primefourier.lab.studies import claim_judges as judges
from primefourier.lab.studies.grid import Grid, Place
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.paper_grids import (
    experiment_of,
    follows_paper,
    modulus_of,
    paper_places,
)
from primefourier.theory import Check, check_theorem

_Judge = Callable[[list[Cell], int], Finding]
_Choice = Callable[[int, int], bool]


def _about(
    judge: _Judge,
    *experiments: str,
    where: _Choice = lambda _row, _range: True,
    counted: _Choice = lambda _row, _range: True,
) -> Callable[[Cells], Finding]:
    """Return a judge of the configurations of experiments that are not degenerate.

    ``where`` chooses them by row and input range; those that ``counted`` chooses of the paper's are
    what the claim is about.
    """

    def judge_chosen(cells: Cells) -> Finding:
        every = (item for name in experiments for item in paper_places(name).items())
        places = [place for place, configs in every if not all(c.degenerate for c in configs)]
        asked = sum(where(*place) and counted(*place) for place in places)
        found = (cell for name in experiments for cell in cells[name])
        chosen = [c for c in found if not c.degenerate and where(c.row, c.column)]
        return judge(chosen, asked)

    return judge_chosen


def _judge_theorem(_cells: Cells) -> Finding:
    evidence = [
        Evidence(check.statement, f"{check.measured:.3g}", check.holds)
        for check in _check_paper_basis()
        if check.relation is not None
    ]
    good = sum(item.agrees is True for item in evidence)
    measured = f"{good} of {len(evidence)} checks on the paper's basis"
    verdict: Verdict = "holds" if good == len(evidence) else "does not hold"
    return Finding(verdict, measured, tuple(evidence), len(evidence))


@cache  # it depends on no record, and takes a second
def _check_paper_basis() -> tuple[Check, ...]:
    return check_theorem(PAPER_BASIS)


def _is_large(size: int, _range: int) -> bool:
    return size >= judges.MANY


def _is_smallest_range(_row: int, input_range: int) -> bool:
    return input_range == judges.SMALLEST_RANGE


CLAIMS = (
    Claim(
        "E1.1",
        "diagonal drop far above off-diagonal drop in all 35 configurations",
        "35 of 35",
        f"the diagonal drop is at least {judges.FAR_ABOVE} times the off-diagonal one (our "
        "threshold), and above both it and zero by more than the noise floor",
        _about(judges.far_above, "exp1"),
    ),
    Claim(
        "E1.2",
        "diagonal drops lie in the paper's three ranges",
        "0.60–0.92 (abstract), 0.54–0.93 (control section), 0.82–0.92 at |P| ≥ 10",
        "a configuration agrees if its drop, to two decimals, is in every range that is about it",
        _about(judges.in_diagonal_ranges, "exp1"),
    ),
    Claim(
        "E1.3",
        "off-diagonal drop below the noise floor in the majority of configurations with |P| ≤ 8",
        "more than half of 15",
        "with each seed alone, |drop| is below the noise floor in more than half of them; a "
        "configuration agrees if most of its seeds are below",
        _about(partial(judges.below_floor, least=0.5), "exp1", where=lambda size, _r: size <= 8),
    ),
    Claim(
        "E1.4",
        "off-diagonal drops of 0.03–0.09 at |P| ≥ 10",
        "0.03–0.09",
        "the drop, to two decimals, is in the range",
        _about(
            partial(judges.in_range, read=judges.other_drop, low=0.03, high=0.09),
            "exp1",
            where=_is_large,
        ),
    ),
    Claim(
        "E1.5",
        "convergence above 0.85 in every configuration once r exceeds the task prime",
        "all",
        "every model with r > p exceeds 0.85 test accuracy after some epoch",
        _about(judges.converging, "exp1"),
    ),
    Claim(
        "E1.6",
        "selectivity is lower at r = 100 with many primes",
        "lower",
        "for each |P| ≥ 10, diagonal less off-diagonal drop is lower at r = 100 than its mean over "
        "the larger ranges",
        _about(
            partial(judges.lower_at_100_by_row, name="|P|", noun="sizes", other=-1),
            "exp1",
            where=_is_large,
            counted=_is_smallest_range,
        ),
    ),
    Claim(
        "C.1",
        "control: diagonal drops of 0.10–0.55",
        "0.10–0.55",
        "the drop, to two decimals, is in the range",
        _about(partial(judges.in_range, read=judges.relevant_drop, low=0.10, high=0.55), "control"),
    ),
    Claim(
        "C.2",
        "control: off-diagonal drops of 0.14–0.46, comparable to the diagonal ones",
        "0.14–0.46",
        "the drop, to two decimals, is in the range, and the diagonal one within a factor of "
        f"{judges.COMPARABLE} (our threshold)",
        _about(judges.comparable, "control"),
    ),
    Claim(
        "E2.1",
        "nonfactor drop below the noise floor in 77 % of the 48 configurations",
        "77 %: 37 of 48",
        "with each seed alone, |drop| is below the noise floor in at least 77 % of them; a "
        "configuration agrees if most of its seeds are below",
        _about(partial(judges.below_floor, least=0.77), "exp2"),
    ),
    Claim(
        "E2.2",
        "factor drops of 0.29–0.88",
        "0.29–0.88",
        "the drop, to two decimals, is in the range",
        _about(partial(judges.in_range, read=judges.relevant_drop, low=0.29, high=0.88), "exp2"),
    ),
    Claim(
        "E2.3",
        "test accuracy 1.00 in every non-degenerate configuration at r ≥ 500",
        "1.00",
        "the accuracy, to two decimals, is 1.00",
        _about(
            judges.fully_accurate, "exp2", where=lambda _modulus, input_range: input_range >= 500
        ),
    ),
    Claim(
        "E2.4",
        "three-factor moduli: factor drops lower at r = 100",
        "lower",
        "for each such N that is not degenerate at r = 100, the factor drop there is lower than "
        "its mean over the larger ranges",
        _about(
            partial(judges.lower_at_100_by_row, name="N", noun="moduli", other=0),
            "exp2",
            where=lambda modulus, _range: len(factorize(modulus)) == 3,
            counted=_is_smallest_range,
        ),
    ),
    Claim(
        "T.1",
        "every linear map that commutes with addition is block-diagonal, one block for each (p, d)",
        "proven",
        "every check of the theorem on the paper's basis holds",
        _judge_theorem,
    ),
    Claim(
        "T.2",
        "specialisation ratio (relevant over other drop) above 500 (an earlier abstract)",
        "> 500",
        "the relevant drop exceeds 500 times the other one anywhere within exact 95 % bounds on "
        "both, from the answers lost and gained by every row; undecided if only in part of them. "
        "The 5 % are divided among all rows of a configuration, lost and gained answers, and both "
        "ends",
        _about(judges.specialised, "exp1", "exp2"),
    ),
)


def judge_claims(cells: Cells) -> dict[Claim, Finding]:
    """Judge every claim by the cells of the paper's configurations."""
    return {claim: claim.judge(cells) for claim in CLAIMS}


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
    found: dict[str, dict[Place, Cell]] = {name: {} for name in EXPERIMENTS}
    for grid in grids:
        experiment = experiment_of(grid)
        if experiment is not None and follows_paper(grid):
            name = experiment.short_name
            for place, cell in grid.cells_of(kind, probed=probed).items():
                if _is_whole(cell, place, name):
                    found[name].setdefault(place, cell)
    return {name: [cells[place] for place in sorted(cells)] for name, cells in found.items()}


def _is_whole(cell: Cell, place: Place, experiment: str) -> bool:
    """Return whether each seed of a cell has all models of the paper's cell."""
    asked = [prime_parts(config)[1].modulus for config in paper_places(experiment).get(place, ())]
    found: dict[int, list[int]] = {}
    for record in cell.records:
        found.setdefault(record.config.seed, []).append(modulus_of(record))
    return all(sorted(moduli) == sorted(asked) for moduli in found.values())
