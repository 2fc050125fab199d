"""Primality and factorisation: a sieve, known pseudoprimes, and sympy's vectors."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest

from primefourier.arithmetic.primes import FIRST_DOUBTFUL, factorize, is_prime, primes_from

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


# The smallest numbers that fool Miller-Rabin with the first k prime bases (OEIS A014233).
@pytest.mark.parametrize(
    "liar",
    [2047, 1373653, 25326001, 3215031751, 2152302898747, 3474749660383, 341550071728321,
     3825123056546413051, 318665857834031151167461, (2**61 - 1) * (2**89 - 1)],
)  # fmt: skip
def test_strong_pseudoprimes_are_not_prime(liar: int) -> None:
    assert not is_prime(liar)


def test_factorisations_equal_sympy(vectors: Callable[[str], Any]) -> None:
    for n, factors in vectors("factorisations"):
        assert factorize(n) == tuple(map(tuple, factors))


def test_numpy_integers_and_products_of_large_primes_are_factored() -> None:
    assert is_prime(np.int64(2**61 - 1))  # type: ignore[arg-type]
    assert factorize(np.uint8(12)) == ((2, 2), (3, 1))  # type: ignore[arg-type]
    assert factorize(P * P) == ((P, 2),)
    assert factorize(P * Q * 6) == ((2, 1), (3, 1), (Q, 1), (P, 1))


@pytest.mark.parametrize(
    ("function", "n", "kind", "words"),
    [
        (is_prime, 2**89 - 1, ValueError, "89 bits that may be prime"),
        (is_prime, FIRST_DOUBTFUL, ValueError, "82 bits that may be prime"),  # passes all 13 tests
        (factorize, (2**61 - 1) * (2**89 - 1), ValueError, "could not factor"),
        (factorize, 2**13287 + 1, ValueError, "could not factor a number of 13275 bits"),
        (factorize, 0, ValueError, "at least 1"),
        *((is_prime, bad, TypeError, "n must be an integer") for bad in (2.0, True, "7")),
        *((factorize, bad, TypeError, "n must be an integer of at least 1") for bad in (2.0, "7")),
    ],
)
def test_what_cannot_be_decided_is_an_error(
    function: Callable[[Any], object], n: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        function(n)
