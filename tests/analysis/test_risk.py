"""What the counts of published networks say about a plan; test_published counts them again."""

import pytest

from primefourier import PAPER_BASIS, PrimeBasis, plan
from primefourier.analysis import PublishedRisk, published_risk


@pytest.mark.parametrize(
    ("modulus", "input_range", "expected", "near"),
    [
        (231, 500, PublishedRisk(34, 39, 0, 0.1), "by 0 to 0.1 turns, 34 used"),
        (7, 1000, PublishedRisk(0, 550, 4, float("inf")), "by more than 4 turns, 0 used"),
    ],
)
def test_a_plan_has_the_risk_of_networks_with_as_near_an_alias(
    modulus: int, input_range: int, expected: PublishedRisk, near: str
) -> None:
    basis = PrimeBasis(PAPER_BASIS.primes[:8], depth=6)
    found = published_risk(plan(modulus, basis, input_range=input_range))
    assert found == expected
    assert found.share == expected.used / expected.networks
    assert f"published networks whose nearest alias drifts {near} a circle" in found.explain()


@pytest.mark.parametrize(
    ("modulus", "basis", "input_range"),
    [
        (231, PAPER_BASIS, None),
        (231, PAPER_BASIS, 100),  # no sum wraps around
        (61 * 3, PAPER_BASIS, 1000),  # the basis lacks 61
        (21, PrimeBasis((3, 7), 1), 100),  # every circle is needed
    ],
)
def test_a_plan_unlike_those_of_the_networks_has_no_risk(
    modulus: int, basis: PrimeBasis, input_range: int | None
) -> None:
    assert published_risk(plan(modulus, basis, input_range=input_range)) is None
