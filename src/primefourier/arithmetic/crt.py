"""Integers to residues, exactly, and back by the Chinese Remainder Theorem."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import IntegerArray, as_integer, as_integers, format_integer

MACHINE_LIMIT = 2**63
"""Moduli below this have residues that fit int64."""
_FEW = 512  # integers, for which the calls of numpy cost more than the divisions


def residues(values: object, moduli: Sequence[int]) -> IntegerArray:
    """Reduce every integer modulo every modulus; residues are never negative.

    Args:
        values: Integers in any form that :func:`as_integers` accepts.
        moduli: Integers of at least 1, of any size.

    Returns:
        int64 if every modulus is below 2^63, otherwise an object array of Python ints.

    Shape:
        (..., M) for M moduli.

    >>> residues([10, -1], [3, 25])
    array([[ 1, 10],
           [ 2, 24]])
    """
    if not isinstance(moduli, Iterable):
        raise TypeError(
            f"moduli must be a sequence of integers, got {moduli!r:.40}; for one modulus, pass "
            "[modulus]"
        )
    moduli = [as_integer(modulus, "a modulus", at_least=1) for modulus in moduli]
    numbers = as_integers(values)
    flat = numbers.reshape(-1)
    if max(moduli, default=1) < MACHINE_LIMIT:
        out: IntegerArray = np.empty((flat.size, len(moduli)), dtype=np.int64)
        fill_residues(out, flat, moduli)
    else:
        out = np.empty((flat.size, len(moduli)), dtype=object)
        exact = flat.tolist()
        for column, modulus in enumerate(moduli):
            out[:, column] = [number % modulus for number in exact]
    return out.reshape(*numbers.shape, len(moduli))


def fill_residues(out: NDArray[Any], flat: IntegerArray, moduli: Sequence[int]) -> None:
    """Write residues, one column per modulus below 2^63, to int64, or to float64 up to 2^53."""
    if flat.size <= _FEW and flat.dtype != object:
        out[:] = machine_residues(flat[:, None], np.array(moduli, dtype=flat.dtype))
        return
    for column, modulus in enumerate(moduli):
        out[:, column] = machine_residues(flat, modulus)


def machine_residues(flat: IntegerArray, modulus: int | NDArray[Any]) -> NDArray[np.int64]:
    """Reduce integers modulo one modulus below 2^63, or machine integers by a row of moduli."""
    if flat.dtype == object:
        return np.array([number % modulus for number in flat.tolist()], dtype=np.int64)
    if isinstance(modulus, int):
        modulus = flat.dtype.type(modulus)
    # a - (a // m) * m, because numpy divides by a constant with vector instructions, and its
    # remainder does not
    quotient: NDArray[Any] = np.floor_divide(flat, modulus)
    np.multiply(quotient, modulus, out=quotient)
    np.subtract(flat, quotient, out=quotient)
    return quotient.view(np.int64)


class Congruence(NamedTuple):
    """The integers x with x ≡ value (mod modulus)."""

    value: int
    modulus: int


def combine_residues(residues: Sequence[int], moduli: Sequence[int]) -> Congruence:
    """Combine several congruences into one; the moduli may have common factors.

    Implements the general Chinese Remainder Theorem: x ≡ r (mod m) and x ≡ s (mod n) have a common
    solution exactly if gcd(m, n) divides r - s, and it is unique modulo lcm(m, n).

    Args:
        residues: One integer for each modulus, of any size and sign.
        moduli: Integers of at least 1.

    Returns:
        ``(value, modulus)`` with 0 ≤ value < modulus = the least common multiple of the moduli.

    Raises:
        ValueError: If the residues contradict each other; the message names the two moduli.

    >>> combine_residues([1, 0], [3, 7])
    Congruence(value=7, modulus=21)
    >>> combine_residues([3, 5], [6, 4])
    Congruence(value=9, modulus=12)
    >>> combine_residues([0, 1], [6, 4])
    Traceback (most recent call last):
    ValueError: the residues contradict each other: x ≡ 0 (mod 6) implies x ≡ 0 (mod 2), ...
    """
    given, by = as_integers(residues), as_integers(moduli)
    if given.ndim != 1 or given.shape != by.shape:
        raise ValueError(
            f"one residue for each modulus is required, got residues of shape {given.shape} and "
            f"moduli of shape {by.shape}"
        )
    pairs = [*zip(given.tolist(), by.tolist(), strict=True)]
    value, modulus = 0, 1
    for position, (r, m) in enumerate(pairs):
        if m < 1:
            raise ValueError(f"a modulus must be an integer of at least 1, got {format_integer(m)}")
        common = math.gcd(modulus, m)
        if (r - value) % common:
            raise _contradiction(pairs[:position], r, m)
        # value + modulus · steps ≡ r (mod m), after division by what both moduli share
        steps = (r - value) // common * pow(modulus // common, -1, m // common)
        value += modulus * (steps % (m // common))
        modulus = modulus // common * m
    return Congruence(value, modulus)


def _contradiction(earlier: list[tuple[int, int]], s: int, n: int) -> ValueError:
    """Return an error that names an earlier congruence which contradicts x ≡ s (mod n)."""
    # If a set of congruences has no solution, then already some pair of it has none.
    r, m = next((r, m) for r, m in earlier if (r - s) % math.gcd(m, n))
    common = math.gcd(m, n)
    both = (
        f"x ≡ {format_integer(x)} (mod {format_integer(y)}) implies "
        f"x ≡ {format_integer(x % common)}"
        for x, y in ((r, m), (s, n))
    )
    shared = f" (mod {format_integer(common)}), "
    return ValueError(f"the residues contradict each other: {shared.join(both)}")


def combine_coprime(residues: IntegerArray, moduli: Sequence[int]) -> IntegerArray:
    """Combine the residues of many integers at once, for coprime moduli; (n, M) → (n,).

    >>> combine_coprime(np.array([[1, 0], [2, 6]]), [3, 7])
    array([ 7, 20])
    """
    product, weights = _weights(tuple(moduli))
    if product >= 2**62 or max(moduli, default=1) >= 2**31:
        # the sum is longer by the bits of one residue, so that one reduction suffices
        total: IntegerArray = residues.astype(object) @ np.array(weights, dtype=object)
        return total % product
    total = np.zeros(len(residues), dtype=np.int64)
    for column, m in enumerate(moduli):
        rest = product // m
        # reduced before it is multiplied by the rest, so that neither product leaves int64
        digits = residues[:, column] * (weights[column] // rest) % m
        total = (total + digits * rest) % product
    return total


@lru_cache(maxsize=64)
def _weights(moduli: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Return the product of coprime moduli, and per modulus a number that is 1 there, else 0."""
    product = math.prod(moduli)
    rests = [product // m for m in moduli]
    return product, tuple(rest * pow(rest, -1, m) for rest, m in zip(rests, moduli, strict=True))
