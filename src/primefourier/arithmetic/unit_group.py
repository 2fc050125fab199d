"""The residues that can be inverted modulo a prime power, and their discrete logarithms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer, format_integer
from primefourier.arithmetic.primes import factorize, format_factors

LARGEST_MODULUS = 2**20
"""A table of logarithms has one entry per residue; larger moduli are refused."""


@dataclass(frozen=True, eq=False)
class UnitGroup:
    """The units modulo p^k as products of powers of generators.

    They are the powers of a primitive root if p is odd. Modulo 2^k with k ≥ 3 they are ±5^j, so
    there are two generators, -1 and 5.

    Attributes:
        prime: p.
        modulus: p^k.
        generators: The smallest primitive root; -1 (and 5) for powers of 2, none for 2 itself.
        powers: The unit with given logarithms; one axis per generator, as long as its order.
        logarithms: The logarithms of each residue, one row per generator; -1 if p divides it.
    """

    prime: int
    modulus: int
    generators: tuple[int, ...]
    powers: NDArray[np.int64]
    logarithms: NDArray[np.int64]


@lru_cache(maxsize=64)
def unit_group(modulus: int) -> UnitGroup:
    """Return the units modulo a prime power of at most 2^20, with tables of their logarithms.

    >>> group = unit_group(7)
    >>> group.generators, group.powers.tolist(), group.logarithms.tolist()
    ((3,), [1, 3, 2, 6, 4, 5], [[-1, 0, 2, 1, 4, 5, 3]])
    >>> unit_group(16).generators, unit_group(16).powers.tolist()
    ((15, 5), [[1, 5, 9, 13], [15, 11, 7, 3]])
    """
    m = as_integer(modulus, "moduli", at_least=2)
    if m > LARGEST_MODULUS:
        raise ValueError(
            f"moduli must be at most {LARGEST_MODULUS} = 2^20, because logarithms are read from a "
            f"table, got {format_integer(m)}"
        )
    factors = factorize(m)
    if len(factors) > 1:
        raise ValueError(
            f"moduli must be prime powers, got {m} = {format_factors(factors)}; pass its prime "
            "powers, or use for_modulus"
        )
    p, k = factors[0]
    # modulo 2 and 4 fewer generators are left: none, then -1
    orders = [2, m // 4][: min(k - 1, 2)] if p == 2 else [m - m // p]
    roots = (m - 1, 5)[: len(orders)] if p == 2 else (_primitive_root(m, orders[0]),)
    powers = np.ones((), dtype=np.int64)
    for root, order in zip(roots, orders, strict=True):
        powers = powers[..., None] * _powers(root, order, m) % m
    logarithms = np.full((len(roots), m), -1, dtype=np.int64)
    logarithms[:, powers.reshape(-1)] = np.indices(powers.shape).reshape(len(roots), powers.size)
    for table in (powers, logarithms):
        table.flags.writeable = False
    return UnitGroup(p, m, roots, powers, logarithms)


def _primitive_root(modulus: int, order: int) -> int:
    """Return the smallest g whose powers are all units: g^(order / q) ≠ 1 for every prime q."""
    steps = [order // q for q, _ in factorize(order)]
    candidates = (g for g in range(2, modulus) if pow(g, order, modulus) == 1)
    return next(g for g in candidates if all(pow(g, step, modulus) != 1 for step in steps))


def _powers(root: int, count: int, modulus: int) -> NDArray[np.int64]:
    """Return root^0 … root^(count - 1), by doubling; products of two residues fit an int64."""
    found = np.ones(1, dtype=np.int64)
    while len(found) < count:
        found = np.concatenate([found, found * pow(root, len(found), modulus) % modulus])
    return found[:count]
