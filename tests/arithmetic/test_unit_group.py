"""Units modulo prime powers and their logarithms: brute force, and sympy as another tool."""

from math import gcd
from typing import Any

import numpy as np
import pytest
from sympy import factorint
from sympy.ntheory import discrete_log, primitive_root

from primefourier.arithmetic.unit_group import LARGEST_MODULUS, unit_group

PRIME_POWERS = [m for m in range(2, 300) if len(factorint(m)) == 1]


@pytest.mark.parametrize("modulus", PRIME_POWERS)
def test_every_unit_has_one_tuple_of_logarithms(modulus: int) -> None:
    group = unit_group(modulus)
    units = [a for a in range(modulus) if gcd(a, modulus) == 1]
    assert sorted(group.powers.reshape(-1).tolist()) == units
    assert group.logarithms.shape == (len(group.generators), modulus)
    for a in range(modulus):
        logarithms = group.logarithms[:, a].tolist()
        if a in units:
            product = 1
            for generator, logarithm in zip(group.generators, logarithms, strict=True):
                product = product * pow(generator, logarithm, modulus) % modulus
            assert product == a
            assert group.powers[tuple(logarithms)] == a
        else:
            assert set(logarithms) <= {-1}


@pytest.mark.parametrize("modulus", [*(m for m in PRIME_POWERS if m % 2), 40487, 1009**2])
def test_roots_and_logarithms_of_odd_prime_powers_equal_sympys(modulus: int) -> None:
    group = unit_group(modulus)
    assert group.generators == (primitive_root(modulus),)
    for a in (2, modulus - 1, (modulus + 1) // 2):
        if gcd(a, modulus) == 1:
            assert group.logarithms[0, a] == discrete_log(modulus, a, group.generators[0])


@pytest.mark.parametrize("modulus", [LARGEST_MODULUS, 1_048_573, 3**12, 1009**2])
def test_the_largest_tables_are_right(modulus: int) -> None:
    group = unit_group(modulus)
    assert np.unique(group.powers).size == group.powers.size
    for a in np.random.default_rng(0).integers(modulus, size=200).tolist():
        if gcd(a, modulus) == 1:
            found = [
                pow(g, int(k), modulus)
                for g, k in zip(group.generators, group.logarithms[:, a], strict=True)
            ]
            assert np.prod(np.array(found, dtype=object)) % modulus == a


@pytest.mark.parametrize(
    ("modulus", "kind", "words"),
    [
        (1, ValueError, "moduli must be an integer of at least 2, got 1"),
        (6, ValueError, "moduli must be prime powers, got 6 = 2 · 3; pass its prime powers"),
        (
            LARGEST_MODULUS + 7,
            ValueError,
            r"at most 1048576 = 2\^20, because .* table, got 1048583",
        ),
        (10**100, ValueError, "at most 1048576"),
        (7.0, TypeError, "moduli must be an integer of at least 2, got a float"),
    ],
)
def test_what_has_no_table_is_refused(modulus: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        unit_group(modulus)
