"""Primes: proof of primality, factorisation, and the sequence of primes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import takewhile

from primefourier.arithmetic.integers import as_integer, format_integer

# Miller-Rabin with the first 13 primes as bases proves primality below FIRST_DOUBTFUL, the smallest
# composite that passes all of them (Sorenson and Webster, "Strong pseudoprimes to twelve prime
# bases", 2015).
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
FIRST_DOUBTFUL = 3_317_044_064_679_887_385_961_981
_RHO_STEPS = 1 << 20  # up to 128 bits; fewer for larger numbers, whose steps take longer
_MOST_BITS = 4096


def is_prime(n: int) -> bool:
    """Return whether n is prime, by the deterministic Miller-Rabin test.

    Args:
        n: Any integer.

    Raises:
        ValueError: If n is at least 3.3·10^24 and passes all tests; for such numbers they prove
            compositeness only.

    >>> [n for n in range(30) if is_prime(n)]
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    >>> is_prime(2**61 - 1), is_prime(3215031751)  # the second fools the bases 2, 3, 5, 7
    (True, False)
    """
    n = as_integer(n, "n")
    if n < 2:
        return False
    for p in _BASES:
        if n % p == 0:
            return n == p
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    if not all(_passes(n, base, odd, twos) for base in _BASES):
        return False
    if n >= FIRST_DOUBTFUL:
        raise ValueError(
            f"primality can be proven below {FIRST_DOUBTFUL} (about 3.3e24) only, got a number of "
            f"{n.bit_length()} bits that may be prime"
        )
    return True


def _passes(n: int, base: int, odd: int, twos: int) -> bool:
    """Run one round of Miller-Rabin, with n - 1 = odd * 2**twos."""
    x = pow(base, odd, n)
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


def factorize(n: int) -> tuple[tuple[int, int], ...]:
    """Return the prime factorisation of n ≥ 1 as ((prime, exponent), …), primes ascending.

    Raises:
        ValueError: If n < 1, or if n has two large prime factors that could not be separated.

    >>> factorize(360)
    ((2, 3), (3, 2), (5, 1))
    >>> factorize(1)
    ()
    """
    n = as_integer(n, "n", at_least=1)
    small, n = divide_out(n, takewhile(lambda p: p <= 1000, primes_from(2)))
    found = dict(small)
    if n.bit_length() > _MOST_BITS:
        raise _out_of_reach(n)
    pending = [n] if n > 1 else []
    while pending:
        m = pending.pop()
        if m < 1_000_000 or is_prime(m):  # no factor below 1000 is left
            found[m] = found.get(m, 0) + 1
        else:
            divisor = _divisor(m)
            pending += [divisor, m // divisor]
    return tuple(sorted(found.items()))


def divide_out(n: int, primes: Iterable[int]) -> tuple[tuple[tuple[int, int], ...], int]:
    """Divide n ≥ 1 by some ascending primes; return their exponents and the remaining factor."""
    found: dict[int, int] = {}
    for p in primes:
        if n == 1:
            break
        while n % p == 0:
            n //= p
            found[p] = found.get(p, 0) + 1
    return tuple(found.items()), n


def format_factors(factors: tuple[tuple[int, int], ...]) -> str:
    """Format a factorisation with superscript exponents, as in 2³ · 5."""
    digits = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    return " · ".join(
        f"{format_integer(p)}{str(e).translate(digits) if e > 1 else ''}" for p, e in factors
    )


def _divisor(n: int) -> int:
    """Find a proper divisor of a composite n: a square root, or Pollard's rho."""
    root = math.isqrt(n)
    if root * root == n:
        return root
    batches = _RHO_STEPS // 128 * 128**2 // max(128, n.bit_length()) ** 2
    for c in range(1, 20):
        x = y = 2  # y runs twice as fast as x; they meet modulo a factor before they meet modulo n
        for _ in range(batches):
            # one gcd for the product of 128 differences, since a gcd costs more than a step
            x0, y0, product = x, y, 1
            for _ in range(128):
                x = (x * x + c) % n
                y = (y * y + c) % n
                y = (y * y + c) % n
                product = product * (x - y) % n
            divisor = math.gcd(product, n)
            if divisor == n:  # both factors in one batch: repeat it step by step
                x, y, divisor = x0, y0, 1
                while divisor == 1:
                    x = (x * x + c) % n
                    y = (y * y + c) % n
                    y = (y * y + c) % n
                    divisor = math.gcd(x - y, n)
            if divisor == n:
                break  # this sequence finds n itself only; take the next one
            if divisor > 1:
                return divisor
        else:
            break
    raise _out_of_reach(n)


def _out_of_reach(n: int) -> ValueError:
    return ValueError(
        f"could not factor a number of {n.bit_length()} bits: its prime factors are too large; "
        "choose the primes of the basis yourself"
    )


def primes_from(start: int) -> Iterator[int]:
    """Yield all primes from ``start`` on, in ascending order."""
    n = max(start, 2)
    while True:
        if is_prime(n):
            yield n
        n += 1 if n == 2 else 1 + n % 2
