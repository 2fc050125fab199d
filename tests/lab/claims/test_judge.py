from dataclasses import replace
from typing import Any

import pytest

from lab_records import CONTROL, EXP1, EXP2, PAPER, configs_of, failed, plausible, records_of
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.claims import CLAIMS, judge_claims
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.results import Cell

SMALL = [*EXP1[:4], *CONTROL[:4], *EXP2[:1]]
"""One configuration of each experiment."""


def summary(cells: dict[str, list[Cell]]) -> dict[str, list[tuple[int, int, object, object]]]:
    return {name: [(c.row, c.input_range, c.on, c.off) for c in of] for name, of in cells.items()}


def test_the_claims_are_those_of_the_protocol_and_a_full_grid_judges_all() -> None:
    names = [
        "E1.1",
        "E1.2",
        "E1.3",
        "E1.4",
        "E1.5",
        "E1.6",
        "C.1",
        "C.2",
        "E2.1",
        "E2.2",
        "E2.3",
        "E2.4",
        "T.1",
        "T.2",
    ]
    assert [claim.name for claim in CLAIMS] == names
    found = judge_claims(PAPER, plausible(PAPER))
    assert list(found) == list(CLAIMS)
    assert all(finding.complete and finding.evidence for finding in found.values())


def test_the_cells_are_the_papers_grid() -> None:
    cells = paper_cells(PAPER, plausible(PAPER))
    sizes, ranges = (4, 6, 8, 10, 12, 14, 16), (100, 500, 1000, 2000, 4000)
    grid = [(size, r) for size in sizes for r in ranges]
    assert [(c.row, c.input_range) for c in cells["exp1"]] == grid
    assert [(c.row, c.input_range) for c in cells["control"]] == grid
    moduli = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
    assert [(c.row, c.input_range) for c in cells["exp2"]] == [
        (n, r) for n in moduli for r in ranges
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"depth": 5}, {"operation": "subtract"}, {"operation": "multiply"}, {"epochs": 30},
        {"batch_size": 512}, {"learning_rate": 0.001}, {"pairs": 40_000},
        {"experiment": "something else"},
    ],
)  # fmt: skip
def test_records_of_other_settings_do_not_count(change: dict[str, Any]) -> None:
    other = [replace(config, **change) for config in SMALL]
    alone = paper_cells(other, records_of(other))
    assert alone == {"exp1": [], "control": [], "exp2": []}
    right, wrong = records_of(SMALL, on=0.5), records_of(other, on=0.9)
    assert summary(paper_cells([*other, *SMALL], [*wrong, *right])) == summary(
        paper_cells(SMALL, right)
    )


def test_other_primes_sizes_ranges_moduli_and_shuffles_do_not_count() -> None:
    p0 = PAPER_BASIS.primes
    other = [
        *configs_of("exp1", sizes=(5,), ranges=(100,)),
        *configs_of("exp1", sizes=(4,), ranges=(300,)),
        *configs_of("exp1", primes=(3, 5, 7, 13), sizes=(4,), ranges=(100,)),
        *configs_of("exp1", primes=(*p0, 61), sizes=(17,), ranges=(100,)),
        *configs_of("control", sizes=(4,), ranges=(100,), embedding="shuffled-pair"),
        *configs_of("exp2", moduli=(30,), ranges=(100,)),
        *configs_of("exp2", moduli=(15,), ranges=(100,), primes=p0[:4]),
        *configs_of("exp2", moduli=(15,), ranges=(100,), primes=p0[:16]),
    ]
    assert paper_cells(other, records_of(other)) == {"exp1": [], "control": [], "exp2": []}
    right, wrong = records_of(SMALL, on=0.5), records_of(other, on=0.9)
    assert summary(paper_cells([*other, *SMALL], [*wrong, *right])) == summary(
        paper_cells(SMALL, right)
    )


def test_where_both_trainers_measured_the_fast_one_counts() -> None:
    plain = [replace(config, trainer="plain") for config in SMALL]
    slow, fast = records_of(plain, on=0.25), records_of(SMALL, on=0.75)
    both = paper_cells([*plain, *SMALL], [*slow, *fast])
    assert summary(both) == summary(paper_cells(SMALL, fast))
    assert summary(paper_cells(plain, slow)) == summary(
        paper_cells(SMALL, records_of(SMALL, on=0.25))
    )
    gap = [record for record in fast if record.config != SMALL[0]] + [failed(SMALL[0])]
    mixed = paper_cells([*plain, *SMALL], [*slow, *gap])
    assert [cell.on.mean for cell in mixed["exp1"] if cell.on] == [0.25]
    assert [cell.on.mean for cell in mixed["control"] if cell.on] == [0.75]


def test_the_order_of_models_and_records_does_not_matter() -> None:
    configs = [*EXP1[:10], *EXP2[:6]]
    records = plausible(configs)
    assert summary(paper_cells(configs[::-1], records[::-1])) == summary(
        paper_cells(configs, records)
    )


@pytest.mark.parametrize(
    ("claim", "experiment", "steady", "wavering"),
    [
        ("E1.1", "exp1", {"on": 0.8, "off": 0.1}, {"on": (0.8, 0.8), "off": (0.1, 0.5)}),
        ("E1.2", "exp1", {"on": 0.8}, {"on": (0.7, 0.95)}),
        ("E1.3", "exp1", {"off": 0.001}, {"off": (0.0, 0.3)}),
        ("E1.5", "exp1", {"accuracy": 1.0}, {"accuracy": (1.0, 0.3)}),
        ("C.1", "control", {"on": 0.3}, {"on": (0.3, 0.9)}),
        ("C.2", "control", {"on": 0.3, "off": 0.3}, {"on": (0.3, 0.3), "off": (0.3, 0.15)}),
        ("E2.1", "exp2", {"off": 0.001}, {"off": (0.0, 0.3)}),
        ("E2.2", "exp2", {"on": 0.8}, {"on": (0.8, 0.2)}),
        ("E2.3", "exp2", {"accuracy": 1.0}, {"accuracy": (1.0, 0.9)}),
        ("T.2", "exp2", {"on": 0.8, "off": 0.1}, {"on": (0.8, 0.8), "off": (0.0, 0.1)}),
    ],
)  # fmt: skip
def test_seeds_that_disagree_leave_a_configuration_unsettled(
    claim: str, experiment: str, steady: dict[str, Any], wavering: dict[str, Any]
) -> None:
    row: dict[str, Any] = {"moduli": (15,)} if experiment == "exp2" else {"sizes": (4,)}
    configs = configs_of(experiment, **row, ranges=(500,), seeds=(1, 2))
    judge = next(c.judge for c in CLAIMS if c.name == claim)
    (sure,) = judge(paper_cells(configs, records_of(configs, **steady))).evidence
    assert sure.settled is True
    alone = configs_of(experiment, **row, ranges=(500,), seeds=(1,))
    (unknown,) = judge(paper_cells(alone, records_of(alone, **steady))).evidence
    assert (unknown.agrees, unknown.settled) == (sure.agrees, None)

    def by_seed(pair: tuple[float, float]) -> Any:
        return lambda config: pair[config.seed - 1]

    values = {name: by_seed(pair) for name, pair in wavering.items()}
    (unsure,) = judge(paper_cells(configs, records_of(configs, **values))).evidence
    assert unsure.settled is False
