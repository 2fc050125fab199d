from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis


@given(st.integers(2, 10**6), st.integers(1, 4))
def test_relevant_channels_are_those_whose_period_divides(modulus: int, depth: int) -> None:
    basis = PrimeBasis((2, 3, 5, 7, 11), depth)
    plan = pf.plan(modulus, basis)
    brute = tuple((p, d) for p, d in basis.channels if modulus % p ** (d + 1) == 0)
    assert plan.relevant == brute
    assert plan.visible * plan.invisible == modulus
    assert modulus % plan.visible == 0
    assert plan.complete == (plan.invisible == 1) == (plan.missing == ())
    complete = pf.plan(modulus, plan.extended)
    assert complete.complete
    assert set(complete.relevant) == set(plan.relevant) | set(plan.missing)


@pytest.mark.parametrize("modulus", [15, 21, 33, 35, 55, 77, 105, 165, 231, 385])
def test_the_papers_moduli_need_one_channel_for_each_factor(modulus: int) -> None:
    plan = pf.plan(modulus, PAPER_BASIS)
    assert plan.relevant == tuple((p, 0) for p in (3, 5, 7, 11) if modulus % p == 0)
    assert plan.degenerate(100) == (modulus in (231, 385))
    assert not plan.degenerate(500)


@given(st.integers(2, 500), st.integers(1, 400))
def test_degenerate_means_that_no_sum_wraps(modulus: int, r: int) -> None:
    largest = max(a + b for a in (0, r - 1) for b in (0, r - 1))
    assert pf.plan(modulus, PAPER_BASIS).degenerate(r) == (largest < modulus)


def test_the_advice_on_a_degenerate_range_is_the_smallest_that_wraps() -> None:
    for modulus in (10, 231):
        plan = pf.plan(modulus, PAPER_BASIS)
        up_to = (modulus + 1) // 2
        assert f"use inputs up to {up_to} or more" in plan.explain(2)
        assert plan.degenerate(up_to)
        assert not plan.degenerate(up_to + 1)


@pytest.mark.parametrize(
    ("modulus", "basis", "words"),
    [
        (231, PAPER_BASIS, "Relevant: 3 of the 96 channels"),
        (231, PAPER_BASIS, "The basis sees all of 231."),
        (61, PAPER_BASIS, "it tells nothing about a mod 61. To see all of 61, add the prime 61."),
        (12, PAPER_BASIS, "cannot see the factor 4: it tells only a mod 3"),
        (8, PrimeBasis((2,), 2), "raise the depth from 2 to 3."),
        (27450, PrimeBasis((3, 5), 1), "add the primes 2, 61 and raise the depth from 1 to 2"),
        (
            3,
            PrimeBasis((3,), 2),
            "A linear map that respects addition mod 3 is zero on the other 1 channel.",
        ),
    ],
)
def test_the_plan_speaks_in_words(modulus: int, basis: PrimeBasis, words: str) -> None:
    assert words in pf.plan(modulus, basis).explain()


@pytest.mark.parametrize(
    ("modulus", "kind"),
    [(0, ValueError), (1, ValueError), (-15, ValueError), (1.5, TypeError), (True, TypeError)],
)
def test_moduli_below_two_are_refused(modulus: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="modulus must be an integer of at least 2, got"):
        pf.plan(modulus, PAPER_BASIS)


def test_ranges_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="input_range must be an integer of at least 1, got 0"):
        pf.plan(15, PAPER_BASIS).degenerate(0)
