"""Primes, factors and units: a sieve, known pseudoprimes, brute force, and sympy's vectors."""

from collections.abc import Callable
from itertools import islice
from math import gcd
from typing import Any

import numpy as np
import pytest
from sympy import factorint
from sympy.ntheory import primitive_root

from primefourier.arithmetic.primes import FIRST_DOUBTFUL, factorize, is_prime, primes_from
from primefourier.arithmetic.unit_group import LARGEST_MODULUS, unit_group

P, Q = 1_000_000_007, 998_244_353


def test_primes_below_10000_equal_a_sieve() -> None:
    sieve = bytearray([1]) * 10_000
    sieve[:2] = b"\0\0"
    for n in range(2, 100):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(sieve[n * n :: n]))
    expected = [n for n in range(10_000) if sieve[n]]
    assert [n for n in range(10_000) if is_prime(n)] == expected
    assert list(islice(primes_from(-5), len(expected))) == expected
    assert list(islice(primes_from(90), 2)) == [97, 101]


def test_strong_pseudoprimes_are_not_prime() -> None:
    """The smallest numbers that fool Miller-Rabin with the first k prime bases (OEIS A014233)."""
    liars = [2047, 1373653, 25326001, 3215031751, 2152302898747, 3474749660383, 341550071728321]
    liars += [3825123056546413051, 318665857834031151167461, (2**61 - 1) * (2**89 - 1)]
    assert not any(map(is_prime, liars))


def test_factorisations_equal_sympy(vectors: Callable[[str], Any]) -> None:
    for n, factors in vectors("factorisations"):
        assert factorize(n) == tuple(map(tuple, factors))
    assert factorize(P * P) == ((P, 2),)
    assert factorize(np.uint64(P * Q * 6)) == ((2, 1), (3, 1), (Q, 1), (P, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "n", "kind", "words"),
    [
        (is_prime, FIRST_DOUBTFUL, ValueError, "82 bits that may be prime"),  # passes all 13 tests
        (is_prime, 2.0, TypeError, "n must be an integer"),
        (factorize, (2**61 - 1) * (2**89 - 1), ValueError, "could not factor"),
        (factorize, 2**13287 + 1, ValueError, "could not factor a number of 13275 bits"),
        (factorize, 0, ValueError, "at least 1"),
        (unit_group, 1, ValueError, "moduli must be an integer of at least 2, got 1"),
        (unit_group, 6, ValueError, "must be prime powers, got 6 = 2 · 3; pass its prime powers"),
        (unit_group, LARGEST_MODULUS + 7, ValueError, r"1048576 = 2\^20, .* table, got 1048583"),
    ],
)
def test_what_cannot_be_decided_is_an_error(
    function: Callable[[Any], object], n: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        function(n)


def test_every_unit_has_one_tuple_of_logarithms() -> None:
    for modulus in (m for m in range(2, 130) if len(factorint(m)) == 1):
        group = unit_group(modulus)
        units = [a for a in range(modulus) if gcd(a, modulus) == 1]
        assert sorted(group.powers.reshape(-1).tolist()) == units
        for a in range(modulus):
            logarithms = group.logarithms[:, a].tolist()
            if a not in units:
                assert {*logarithms} <= {-1}
                continue
            product = 1
            for generator, logarithm in zip(group.generators, logarithms, strict=True):
                product = product * pow(generator, logarithm, modulus) % modulus
            assert product == a
            assert group.powers[tuple(logarithms)] == a
        assert modulus % 2 == 0 or group.generators == (primitive_root(modulus),)


@pytest.mark.parametrize("modulus", [LARGEST_MODULUS, 3**12, 40487])
def test_the_largest_tables_are_right(modulus: int) -> None:
    group = unit_group(modulus)
    assert np.unique(group.powers).size == group.powers.size
    for a in np.random.default_rng(0).integers(modulus, size=100).tolist():
        if gcd(a, modulus) == 1:
            product = 1
            for generator, logarithm in zip(group.generators, group.logarithms[:, a], strict=True):
                product = product * pow(generator, int(logarithm), modulus) % modulus
            assert product == a
