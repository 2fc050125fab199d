from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest

from primefourier.arithmetic.primes import FIRST_DOUBTFUL, factorize, is_prime, primes_from


def test_primes_below_10000_equal_a_sieve() -> None:
    sieve = bytearray([1]) * 10_000
    sieve[:2] = b"\0\0"
    for n in range(2, 100):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(sieve[n * n :: n]))
    assert [n for n in range(10_000) if is_prime(n)] == [n for n in range(10_000) if sieve[n]]


# The smallest numbers that fool Miller-Rabin with the first k prime bases (OEIS A014233).
@pytest.mark.parametrize(
    "liar",
    [2047, 1373653, 25326001, 3215031751, 2152302898747, 3474749660383, 341550071728321,
     3825123056546413051, 318665857834031151167461],
)  # fmt: skip
def test_strong_pseudoprimes_are_not_prime(liar: int) -> None:
    assert not is_prime(liar)


def test_large_numbers_are_decided_or_refused() -> None:
    assert is_prime(2**61 - 1)
    assert not is_prime((2**61 - 1) * (2**89 - 1))
    with pytest.raises(ValueError, match="89 bits that may be prime"):
        is_prime(2**89 - 1)
    with pytest.raises(ValueError, match="82 bits that may be prime"):
        is_prime(FIRST_DOUBTFUL)  # composite, but it passes all 13 tests


def test_factorisations_equal_sympy(vectors: Callable[[str], Any]) -> None:
    for n, factors in vectors("factorisations"):
        assert factorize(n) == tuple(map(tuple, factors))


def test_squares_and_products_of_large_primes_are_split() -> None:
    p, q = 1_000_000_007, 998_244_353
    assert factorize(p * p) == ((p, 2),)
    assert factorize(p * q * 6) == ((2, 1), (3, 1), (q, 1), (p, 1))


def test_factors_out_of_reach_are_an_error() -> None:
    with pytest.raises(ValueError, match="could not factor"):
        factorize((2**61 - 1) * (2**89 - 1))
    with pytest.raises(ValueError, match="could not factor a number of 13275 bits"):
        factorize(2**13287 + 1)
    with pytest.raises(ValueError, match="at least 1"):
        factorize(0)


def test_primes_come_in_order_from_anywhere() -> None:
    assert list(islice(primes_from(-5), 6)) == [2, 3, 5, 7, 11, 13]
    assert list(islice(primes_from(90), 2)) == [97, 101]


def test_only_integers_are_primes_or_have_factors() -> None:
    assert is_prime(np.int64(2**61 - 1))  # type: ignore[arg-type]
    assert factorize(np.uint8(12)) == ((2, 2), (3, 1))  # type: ignore[arg-type]
    for bad in (2.0, True, "7"):
        with pytest.raises(TypeError, match="n must be an integer"):
            is_prime(bad)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="n must be an integer of at least 1"):
            factorize(bad)  # type: ignore[arg-type]
