from collections.abc import Sequence

import pytest

from lab_records import EXP1, EXP2, Value, records_of
from primefourier.lab.claims import Finding
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.claims.theory import THEORY_CLAIMS
from primefourier.lab.config import ModelConfig
from primefourier.theory import Check

THEOREM, RATIO = THEORY_CLAIMS
BOTH = [*EXP1, *EXP2]


def judge(
    configs: Sequence[ModelConfig] = BOTH, *, on: Value = 0.8, off: Value = 0.1,
    test_size: int | None = None,
) -> Finding:  # fmt: skip
    records = records_of(configs, on=on, off=off, test_size=test_size)
    return RATIO.judge(paper_cells(configs, records))


def test_the_theorem_holds_without_any_records() -> None:
    found = THEOREM.judge(paper_cells([], []))
    assert (found.verdict, found.complete) == ("holds", True)
    count = len(found.evidence)
    assert count >= 5
    assert found.measured == f"{count} of {count} checks on the paper's basis"


@pytest.mark.parametrize(
    ("numbers", "verdict"), [((0.0, 0.5), "holds"), ((0.0, 1.0), "does not hold")]
)
def test_the_theorem_is_judged_by_its_checks(
    monkeypatch: pytest.MonkeyPatch, numbers: tuple[float, ...], verdict: str
) -> None:
    checks = [Check(f"check {i}", "numerical", x, "≤", bound=0.5) for i, x in enumerate(numbers)]
    monkeypatch.setattr("primefourier.lab.claims.theory._check_paper_basis", lambda: checks)
    assert THEOREM.judge(paper_cells([], [])).verdict == verdict


def test_without_records_no_ratio_is_judged() -> None:
    assert judge([]) == Finding("not measured yet", "", (), 83)


def test_a_ratio_that_can_be_told_is_compared_with_500() -> None:
    found = judge()
    assert (found.verdict, len(found.evidence), found.complete) == ("does not hold", 83, True)
    assert found.measured == "above 500 in 0 of 83 configurations; 8.0 in 83"
    assert all(e.agrees is False for e in found.evidence)


def test_noise_below_the_floor_neither_confirms_nor_refutes() -> None:
    found = judge(off=0.0001)
    assert found.verdict == "cannot be told"
    assert all(e.agrees is None for e in found.evidence)
    assert found.measured == (
        "above 500 in 0 of 83 configurations; 83 have an off drop below the noise floor, which "
        "only bounds it"
    )
    assert found.evidence[1].value == "> 71"  # 0.8 / 0.01118


def test_one_ratio_that_can_be_told_refutes() -> None:
    found = judge(off=lambda c: 0.1 if c.modulus == 15 and c.input_range == 500 else 0.0)
    assert found.verdict == "does not hold"
    assert "8.0 in 1; 82 have" in found.measured


def test_many_test_pairs_could_confirm_it() -> None:
    size = 4 * 10**6  # a noise floor of 0.0007
    assert judge(on=0.8, off=0.001, test_size=size).verdict == "holds"
    assert judge(on=0.8, off=0.0, test_size=size).verdict == "holds"
    at = judge(on=0.5, off=0.001, test_size=size)
    assert (at.verdict, at.evidence[0].value) == ("does not hold", "500")
    part = judge(on=lambda c: 0.8 if c in EXP1 else 0.3, off=0.001, test_size=size)
    assert part.verdict == "holds in part"
    assert part.measured == "above 500 in 35 of 83 configurations; 300.0–800.0 in 83"


def test_degenerate_configurations_do_not_count() -> None:
    alone = [c for c in EXP2 if c.degenerate]
    assert judge(alone).verdict == "not measured yet"
    assert len(judge(EXP2).evidence) == 48
    assert not judge(EXP2).complete
