from dataclasses import replace

import pytest

from lab_records import CONTROL, EXP1, EXP2, PAPER, plausible
from primefourier.lab.claims import claims_as_data, judge_claims
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS
from primefourier.lab.report.claim_data import claims_with_cells
from primefourier.lab.results import Variant, find_variants, paper_variant

GRIDS = [paper_variant(name) for name in EXPERIMENTS]
SEVERAL_CELLS = ("E1.6", "E2.4", "T.1")
"""Claims whose evidence is not of one cell."""


def plain(configs: list[ModelConfig]) -> list[ModelConfig]:
    return [replace(config, trainer="plain") for config in configs]


def grids_of(configs: list[ModelConfig]) -> list[Variant]:
    return list(dict.fromkeys([*GRIDS, *find_variants(configs)]))


def test_the_claims_are_those_of_pfe_claims_with_their_cells() -> None:
    records = plausible(PAPER)
    found = claims_with_cells(PAPER, records, GRIDS)
    for claim in found:
        assert claim.pop("verdict_so_far") == claim["verdict"]
        for evidence in claim["evidence"]:
            evidence.pop("cell")
    assert found == claims_as_data(judge_claims(PAPER, records))


def test_every_piece_of_evidence_points_to_the_cell_it_names() -> None:
    for claim in claims_with_cells(PAPER, plausible(PAPER), GRIDS):
        assert claim["evidence"]
        for evidence in claim["evidence"]:
            if claim["claim"] in SEVERAL_CELLS:
                assert evidence["cell"] is None
                continue
            grid, row, r = evidence["cell"]
            letter = "N" if grid == 2 else "|P|"
            assert evidence["configuration"] == f"{letter} = {row}, r = {r}"
            begins = {0: ("E1", "T"), 1: ("C",), 2: ("E2", "T")}[grid]
            assert claim["claim"].startswith(begins)


def test_evidence_of_the_plain_trainer_points_to_its_grid() -> None:
    configs = [*EXP1[:4], *plain(EXP1[:8]), *plain(CONTROL[:4]), *plain(EXP2[:1])]
    variants = grids_of(configs)
    found = {c["claim"]: c for c in claims_with_cells(configs, plausible(configs), variants)}
    cells = [evidence["cell"] for evidence in found["E1.1"]["evidence"]]
    assert [cell[1:] for cell in cells] == [[4, 100], [4, 500]]
    assert [variants[cell[0]].trainer for cell in cells] == ["fast", "plain"]
    for name, experiment in (("C.1", "control"), ("E2.1", "exp2")):
        ((grid, *_),) = [evidence["cell"] for evidence in found[name]["evidence"]]
        assert (variants[grid].experiment, variants[grid].trainer) == (experiment, "plain")


@pytest.mark.parametrize("planned", [[], PAPER])
def test_without_records_only_the_theorem_has_evidence(planned: list[ModelConfig]) -> None:
    found = claims_with_cells(planned, [], GRIDS)
    assert [claim["claim"] for claim in found if claim["evidence"]] == ["T.1"]
    assert {claim["verdict_so_far"] for claim in found} == {"holds", "not measured yet"}


def test_a_verdict_on_part_of_the_paper_is_one_so_far() -> None:
    first = claims_with_cells(EXP1[:4], plausible(EXP1[:4]), GRIDS)[0]
    assert (first["verdict"], first["verdict_so_far"]) == ("holds", "holds so far")
