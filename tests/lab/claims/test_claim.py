import pytest

from primefourier.lab.claims.claim import (
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
    in_range,
    judge_all,
    spread,
)


def evidence(*agrees: bool | None) -> tuple[Evidence, ...]:
    return tuple(Evidence(str(i), "", agrees=value) for i, value in enumerate(agrees))


@pytest.mark.parametrize(
    ("agrees", "verdict"),
    [
        ([], "not measured yet"),
        ([True], "holds"),
        ([True, True], "holds"),
        ([True, False], "holds in part"),
        ([False, True, None], "holds in part"),
        ([True, None], "holds in part"),
        ([False, False], "does not hold"),
        ([False, None], "does not hold"),
    ],
)
def test_a_claim_about_all_needs_all(agrees: list[bool | None], verdict: Verdict) -> None:
    assert judge_all(evidence(*agrees)) == verdict


def test_what_cannot_be_told_does_not_agree() -> None:
    assert count_agreeing(evidence(True, None, False, True)) == 2


@pytest.mark.parametrize(
    ("value", "inside"),
    [
        (0.5949, False), (0.5951, True), (0.6, True), (0.92, True), (0.9249, True),
        (0.9251, False), (-0.6, False), (0.0, False), (1.0, False),
    ],
)  # fmt: skip
def test_a_range_holds_what_two_decimals_show(value: float, inside: bool) -> None:
    assert in_range(value, 0.60, 0.92) is inside


@pytest.mark.parametrize(
    ("values", "text"),
    [([0.5], "0.50"), ([0.9, -0.004, 0.2], "0.00–0.90"), ([-0.02, 0.1], "-0.02–0.10")],
)
def test_a_spread_has_no_negative_zero(values: list[float], text: str) -> None:
    assert spread(values) == text


def test_a_finding_is_complete_when_all_of_the_claim_is_measured() -> None:
    assert not Finding("holds", "", evidence(True), 2).complete
    assert Finding("holds", "", evidence(True, True), 2).complete
    assert not Finding("holds", "", evidence(True, True), 2, unfinished=1).complete
