"""The Chinese Remainder Theorem: an integer from its residues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from primefourier.arithmetic.integers import IntegerArray, as_integers, format_integer


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
    wanted, steps = given.tolist(), by.tolist()
    value, modulus = 0, 1
    for position, (r, m) in enumerate(zip(wanted, steps, strict=True)):
        if m < 1:
            raise ValueError(f"a modulus must be an integer of at least 1, got {format_integer(m)}")
        common = math.gcd(modulus, m)
        if (r - value) % common:
            raise _contradiction(wanted, steps, position)
        steps_needed = (r - value) // common * pow(modulus // common, -1, m // common)
        value += modulus * (steps_needed % (m // common))
        modulus = modulus // common * m
    return Congruence(value, modulus)


def _contradiction(residues: list[int], moduli: list[int], position: int) -> ValueError:
    """Return an error that names an earlier congruence which contradicts that at ``position``."""
    s, n = residues[position], moduli[position]
    for r, m in zip(residues[:position], moduli[:position], strict=True):
        common = math.gcd(m, n)
        if (r - s) % common:
            first, second = (
                f"x ≡ {format_integer(x)} (mod {format_integer(y)})" for x, y in ((r, m), (s, n))
            )
            implied, other = (format_integer(x % common) for x in (r, s))
            return ValueError(
                f"the residues contradict each other: {first} implies x ≡ {implied} (mod "
                f"{format_integer(common)}), {second} implies x ≡ {other}"
            )
    raise AssertionError("pairwise consistent congruences have a solution")


def combine_coprime(residues: IntegerArray, moduli: Sequence[int]) -> IntegerArray:
    """Apply the Chinese Remainder Theorem to many integers at once, for coprime moduli.

    The value is the sum over i of (residue_i · inverse_i mod m_i) · M / m_i, reduced modulo
    M = product of the moduli. Uses int64 if no step can overflow, otherwise Python ints.

    Shape:
        residues (n, M) → (n,).

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
        digits = residues[:, column] * (weights[column] // rest) % m
        total = (total + digits * rest) % product
    return total


@lru_cache(maxsize=64)
def _weights(moduli: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Return the product of coprime moduli, and per modulus a number that is 1 there, else 0."""
    product = math.prod(moduli)
    rests = [product // m for m in moduli]
    return product, tuple(rest * pow(rest, -1, m) for rest, m in zip(rests, moduli, strict=True))
