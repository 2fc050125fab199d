import pytest

from primefourier.lab.claims.claim import (
    Evidence,
    Finding,
    Verdict,
    count_agreeing,
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
    ("values", "text"),
    [([0.5], "0.50"), ([0.9, -0.004, 0.2], "0.00–0.90"), ([-0.02, 0.1], "-0.02–0.10")],
)
def test_a_spread_has_no_negative_zero(values: list[float], text: str) -> None:
    assert spread(values) == text


def test_a_finding_is_complete_when_all_of_the_claim_is_measured() -> None:
    assert not Finding("holds", "", evidence(True), 2).complete
    assert Finding("holds", "", evidence(True, True), 2).complete
    assert not Finding("holds", "", evidence(True, True), 2, unfinished=1).complete


def test_an_interval_that_reaches_both_answers_may_count_either_way() -> None:
    answers = [
        (True, True),
        (True, False),
        (False, False),
        (False, True),
        (True, None),
        (None, False),
    ]
    found = tuple(Evidence("", "", agrees, settled) for agrees, settled in answers)
    finding = Finding("holds in part", "", found, 6)
    assert finding.agreeing == (2, 5)
    assert finding.intervals == 5
    assert [item.doubtful for item in found] == [False, True, True, False, False, False]
