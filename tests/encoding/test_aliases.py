"""Alias distances against all harmonics, and against the phases of real codes."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier import PAPER_BASIS, PrimeBasis, encode, plan
from primefourier.encoding.aliases import find_alias_pairs, find_aliases
from primefourier.theory import alias_distance

BASIS = PrimeBasis((2, 3, 5, 7, 23), depth=3)


@given(st.integers(2, 10**6), st.integers(1, 10**6))
def test_the_distance_is_zero_exactly_if_the_period_divides_the_modulus(n: int, r: int) -> None:
    found = alias_distance(n, BASIS, input_range=r)
    divides = [[n % period == 0 for period in row] for row in BASIS.periods]
    assert (found == 0).tolist() == divides


def test_the_distance_bounds_the_phase_drift() -> None:
    a, n, r = np.arange(500), 231, 500
    basis = PrimeBasis((23,), depth=1)
    ((distance,),) = alias_distance(n, basis, input_range=r)
    turns = 10 * a / n  # the tenth harmonic, since 10 / 231 is near 1 / 23
    harmonic = np.stack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)], axis=-1)
    apart = np.linalg.norm(encode(a, basis, "float64")[:, 0, 0] - harmonic, axis=-1)
    assert apart.max() <= 2 * np.sin(np.pi * distance)
    assert apart.max() == pytest.approx(2 * np.sin(np.pi * distance), rel=0.01)


def test_large_periods_are_compared_exactly() -> None:
    huge = PrimeBasis((59,), depth=60)
    found = alias_distance(59**50, huge, input_range=100)[0]
    assert (found[:50] == 0).all()
    assert (found[50:] > 0).all()


def test_products_of_a_pair_stay_near_the_harmonic() -> None:
    """7 and 37 know a modulo 53 together, as 1/7 + 1/37 is near 9/53; neither does alone."""
    a, r = np.arange(1000), 1000
    basis = PrimeBasis((7, 37), depth=1)
    first, second = encode(a, basis, "float64")[:, :, 0].transpose(1, 2, 0)
    cosine = first[0] * second[0] - first[1] * second[1]
    sine = first[0] * second[1] + first[1] * second[0]
    harmonic = np.stack([np.cos(2 * np.pi * 9 * a / 53), np.sin(2 * np.pi * 9 * a / 53)])
    apart = np.linalg.norm(np.stack([cosine, sine]) - harmonic, axis=0)
    (pair,) = find_alias_pairs(53, basis, input_range=r)
    assert apart.max() == pytest.approx(2 * np.sin(np.pi * pair.drift), rel=0.01)
    assert pair.drift < 0.1 < 8 < alias_distance(53, basis, input_range=r).min()


@pytest.mark.parametrize(("n", "r"), [(53, 1000), (231, 500), (385, 100), (6, 10**400)])
def test_aliases_are_the_turning_blocks_by_their_drift(n: int, r: int) -> None:
    found = find_aliases(n, BASIS, input_range=r)
    blocks = {t for row in BASIS.periods for t in row if n % t and 4 * r >= t}
    assert {alias.period for alias in found} == blocks
    assert [alias.drift for alias in found] == sorted(alias.drift for alias in found)
    for alias in found:
        ((prime, d),) = alias.channels
        assert prime ** (d + 1) == alias.period
        nearest = min(range(1, n), key=lambda k: abs(Fraction(k, n) - Fraction(1, alias.period)))
        off = abs(Fraction(alias.harmonic, n) - Fraction(1, alias.period))
        assert off == abs(Fraction(nearest, n) - Fraction(1, alias.period))
        i = BASIS.primes.index(prime)
        assert alias_distance(n, BASIS, input_range=r)[i, d] == alias.drift
        if r < 10**300:
            assert alias.drift == float(r * off)


@pytest.mark.parametrize(("n", "r"), [(53, 1000), (231, 500)])
def test_pairs_are_sums_or_differences_of_first_powers(n: int, r: int) -> None:
    found = find_alias_pairs(n, BASIS, input_range=r)
    first = [p for p in BASIS.primes if n % p]
    assert {tuple(map(abs, pair.periods)) for pair in found} == set(combinations(first, 2))
    for pair in found:
        t, u = pair.periods
        drifts = [
            r * abs((Fraction(1, t) + Fraction(sign, abs(u))) % 1 - Fraction(k, n))
            for sign in (1, -1)
            for k in range(1, n)
        ]
        assert pair.drift == pytest.approx(float(min(drifts)))
        rate = (Fraction(1, t) + Fraction(1, u)) % 1
        assert pair.drift == pytest.approx(float(r * abs(rate - Fraction(pair.harmonic, n))))


def test_a_plan_knows_the_aliases_in_reach() -> None:
    basis = PrimeBasis(PAPER_BASIS.primes[:8], depth=6)
    found = plan(231, basis, input_range=500)
    assert found.aliases == tuple(
        alias for alias in find_aliases(231, basis, input_range=500) if alias.drift < 1
    )
    assert found.alias_pairs == tuple(find_alias_pairs(231, basis, input_range=500)[:5])
    words = found.explain()
    assert "1/23 ≈ 10/231, drift 0.094 turns" in words
    assert "With a range of 21252 or more the nearest alias drifts by 4 turns." in words
    assert find_aliases(231, basis, input_range=21252)[0].drift >= 4
    assert find_aliases(231, basis, input_range=21251)[0].drift < 4
    silent = plan(231, PAPER_BASIS)
    assert (silent.aliases, silent.alias_pairs) == ((), ())
    with pytest.raises(ValueError, match="input_range must be an integer of at least 1, got 0"):
        plan(231, PAPER_BASIS, input_range=0)


def test_a_plan_names_a_basis_without_aliases_and_slow_circles() -> None:
    for n, basis, r, cause in (
        (231, PAPER_BASIS, 500, "aliases and slow circles"),
        (7, PrimeBasis((3, 7), depth=6), 1000, "slow circles"),  # 3^6 turns, 7^5 does not
        (97, PrimeBasis((47, 53), depth=1), 1000, "aliases"),  # which also lacks 97
    ):
        own = PrimeBasis(tuple(p for p, _ in plan(n, basis).factors), 1)
        words = plan(n, basis, input_range=r).explain()
        assert f"To avoid {cause}, use only the primes of N, {own}." in words
        assert "To avoid" not in plan(n, own, input_range=r).explain()
        assert ("With a range of" in words) == (n == 231)
    slow = sum(period > 1000 for row in PAPER_BASIS.periods for period in row)
    words = plan(7, PAPER_BASIS, input_range=1000).explain()
    assert f"Slow circles: {slow} of the 96 make less than one turn." in words
    # 25 is an alias of 45 that the primes of 45 at depth 2 cannot avoid
    assert "To avoid" not in plan(45, PrimeBasis((3, 5), 2), input_range=100).explain()
