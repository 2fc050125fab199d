"""A basis is validated when it is made, and a plan says which of its channels a modulus needs."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from strategies import BASES

DOUBTFUL = 2**89 - 1  # a prime that cannot be proven prime


def test_sizes_follow_from_primes_and_depth() -> None:
    assert (PAPER_BASIS.primes[::15], PAPER_BASIS.depth, PAPER_BASIS.dim) == ((3, 59), 6, 192)
    basis = PrimeBasis((2, 59), depth=12)
    assert (basis.shape, basis.dim, basis.range) == ((2, 12, 2), 48, 118**12)
    assert basis.periods[1][-1] == 59**12
    assert type(basis.periods[1][-1]) is int
    assert basis.channels == tuple((p, d) for p in (2, 59) for d in range(12))


def test_a_basis_is_a_frozen_hashable_value() -> None:
    basis = PrimeBasis((3, 5), 2)
    assert basis == PrimeBasis(primes=[3, 5], depth=np.int64(2))  # type: ignore[arg-type]
    assert hash(basis) == hash(PrimeBasis((3, 5), 2))
    assert type(basis.depth) is int
    assert pickle.loads(pickle.dumps(basis)) == basis
    with pytest.raises(AttributeError):
        basis.depth = 3  # type: ignore[misc]


@given(BASES)
def test_a_basis_survives_json_and_its_use_leaves_no_trace(basis: PrimeBasis) -> None:
    pickled = pickle.dumps(basis)
    assert basis.range > 1
    assert PrimeBasis.from_dict(json.loads(json.dumps(basis.to_dict()))) == basis
    assert pickle.dumps(basis) == pickled


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"primes": [3], "depth": 1, "dtype": "float32"}, r"got \['depth', 'dtype', 'primes'\]"),
        ([3, 5], "a basis has the keys 'primes' and 'depth', got list"),
        ({"primes": [9], "depth": 1}, "got 9 = 3²"),
    ],
)
def test_plain_data_is_validated_like_any_basis(data: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PrimeBasis.from_dict(data)


@pytest.mark.parametrize(
    ("modulus", "primes", "depth"),
    [(2, (2,), 1), (15, (3, 5), 1), (360, (2, 3, 5), 3), (2**61 - 1, (2**61 - 1,), 1)],
)
def test_for_modulus_is_the_smallest_complete_basis(
    modulus: int, primes: tuple[int, ...], depth: int
) -> None:
    basis = PrimeBasis.for_modulus(modulus)
    assert (basis.primes, basis.depth) == (primes, depth)
    assert pf.plan(modulus, basis).complete
    if depth > 1:
        assert not pf.plan(modulus, PrimeBasis(primes, depth - 1)).complete


@pytest.mark.parametrize(
    ("primes", "depth", "kind", "words"),
    [
        ((9,), 1, ValueError, "got 9 = 3²; use depth for prime powers"),
        ((1,), 1, ValueError, "got 1; the smallest prime is 2"),
        ((2**9689 - 1,), 1, ValueError, "below 3317.*3.3e24.*got .* digits"),
        ((3, 3), 1, ValueError, "got 3 twice"),
        ((5, 3), 1, ValueError, "got 5 before 3; pass them sorted"),
        ((), 1, ValueError, "at least one prime"),
        ((3,), 0, ValueError, "depth must be an integer of at least 1, got 0"),
        ((3,), 10_001, ValueError, "depth must be at most 10000, got 10001"),
        ((3,), 1.5, TypeError, "depth must be an integer of at least 1, got a float"),
        ((3.0,), 1, TypeError, "integers are required, got a float"),
        ([[3, 5], [7, 11]], 1, ValueError, r"one sequence, got an array of shape \(2, 2\)"),
    ],
)
def test_a_wrong_basis_is_refused(
    primes: Any, depth: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        PrimeBasis(primes, depth)


@given(st.integers(2, 10**6), st.integers(1, 4))
def test_relevant_channels_are_those_whose_period_divides_the_modulus(
    modulus: int, depth: int
) -> None:
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


@given(st.integers(2, 500), st.integers(1, 400))
def test_a_plan_is_degenerate_if_no_sum_wraps(modulus: int, r: int) -> None:
    plan = pf.plan(modulus, PAPER_BASIS)
    assert plan.degenerate(r) == (2 * (r - 1) < modulus)
    if plan.degenerate(2):  # the advice is the smallest range that wraps
        enough = (modulus + 1) // 2 + 1
        words = pf.plan(modulus, PAPER_BASIS, input_range=2).explain()
        assert f"use a range of {enough} or more" in words
        assert plan.degenerate(enough - 1)
        assert not plan.degenerate(enough)


@pytest.mark.parametrize(
    ("modulus", "basis", "words"),
    [
        (231, PAPER_BASIS, "Relevant: 3 of the 96 channels"),
        (61, PAPER_BASIS, "nothing about a mod 61. To see all of 61, add the prime 61."),
        (12, PAPER_BASIS, "cannot see the factor 4: it determines only a mod 3"),
        (8, PrimeBasis((2,), 2), "raise the depth from 2 to 3."),
        (27450, PrimeBasis((3, 5), 1), "add the primes 2, 61 and raise the depth from 1 to 2"),
        (3, PrimeBasis((3,), 2), "respects addition mod 3 is zero on the other channel."),
        pytest.param(
            3**20_000,
            PrimeBasis((3, 5), 2),
            "an integer of 31700 bits = 3²⁰⁰⁰⁰\nRelevant: 2 of",
            id="huge",
        ),
    ],
)
def test_a_plan_explains_itself(modulus: int, basis: PrimeBasis, words: str) -> None:
    assert words in pf.plan(modulus, basis).explain()
    assert words in pf.plan(modulus, basis, input_range=10**5000).explain()


def test_an_unfactored_modulus_is_planned_by_divisibility() -> None:
    basis = PrimeBasis((3, 5, 7), depth=1)
    found = pf.plan(9 * 5 * DOUBTFUL, basis)
    assert found.relevant == ((3, 0), (5, 0))
    assert found.missing == ((3, 1),)
    assert (found.visible, found.invisible, found.unfactored) == (15, 3 * DOUBTFUL, DOUBTFUL)
    assert not found.complete
    words = found.explain()
    assert words.splitlines()[0] == f"{45 * DOUBTFUL} = 3² · 5 · {DOUBTFUL} (not factored)"
    assert f"add the primes of {DOUBTFUL} and raise the depth from 1 to 2" in words
    with pytest.raises(ValueError, match=f"the primes of {DOUBTFUL}, a divisor of the modulus"):
        found.extended  # noqa: B018
    alone = pf.plan(DOUBTFUL, basis)
    assert (alone.relevant, alone.missing, alone.visible, alone.complete) == ((), (), 1, False)
    assert alone.explain().startswith(f"{DOUBTFUL} = {DOUBTFUL} (not factored)\nRelevant: none")


@pytest.mark.parametrize(
    ("modulus", "kind"),
    [(0, ValueError), (1, ValueError), (-15, ValueError), (1.5, TypeError), (True, TypeError)],
)
def test_wrong_moduli_and_ranges_are_refused(modulus: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="modulus must be an integer of at least 2, got"):
        pf.plan(modulus, PAPER_BASIS)
    with pytest.raises(kind, match="modulus must be an integer of at least 2, got"):
        PrimeBasis.for_modulus(modulus)
    with pytest.raises(ValueError, match="input_range must be an integer of at least 1, got 0"):
        pf.plan(15, PAPER_BASIS).degenerate(0)
    with pytest.raises(TypeError, match="basis must be a PrimeBasis, got a tuple"):
        pf.plan(5, (3, 5))  # type: ignore[arg-type]
