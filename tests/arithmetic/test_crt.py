from collections.abc import Callable
from math import gcd, lcm
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.arithmetic.crt import combine_coprime, combine_residues


def test_congruences_equal_sympy(vectors: Callable[[str], Any]) -> None:
    refused = 0
    for residues, moduli, answer in vectors("congruences"):
        if answer is None:
            refused += 1
            with pytest.raises(ValueError, match="contradict"):
                combine_residues(residues, moduli)
        else:
            assert list(combine_residues(residues, moduli)) == answer
    assert refused > 20


@given(st.integers(-(2**200), 2**200), st.lists(st.integers(1, 2**80), max_size=6))
def test_residues_of_a_number_give_it_back(x: int, moduli: list[int]) -> None:
    value, modulus = combine_residues([x % m for m in moduli], moduli)
    assert modulus == lcm(*moduli)
    assert value == x % modulus


@pytest.mark.parametrize("m", range(1, 13))
@pytest.mark.parametrize("n", range(1, 13))
def test_pairs_are_solved_exactly_where_brute_force_solves_them(m: int, n: int) -> None:
    for r in range(m):
        for s in range(n):
            solutions = [x for x in range(lcm(m, n)) if x % m == r and x % n == s]
            if (r - s) % gcd(m, n):
                assert not solutions
                with pytest.raises(ValueError, match="contradict"):
                    combine_residues([r, s], [m, n])
            else:
                assert [combine_residues([r, s], [m, n]).value] == solutions


def test_a_contradiction_names_the_two_congruences() -> None:
    with pytest.raises(ValueError, match=r"x ≡ 1 \(mod 10\).*x ≡ 0 \(mod 4\)"):
        combine_residues([2, 1, 0], [3, 10, 4])


def test_lengths_and_moduli_are_checked() -> None:
    with pytest.raises(
        ValueError, match=r"got residues of shape \(2,\) and moduli of shape \(1,\)"
    ):
        combine_residues([1, 2], [3])
    with pytest.raises(ValueError, match="at least 1, got 0"):
        combine_residues([1], [0])
    with pytest.raises(TypeError, match="got a float"):
        combine_residues([1.0], [3])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "moduli", [[3, 7], [2**31 - 1, 2**30], [59**6, 53**6], [3**6, 5**6, 7**6, 11**6, 13**6]]
)
def test_many_integers_at_once_equal_one_by_one(moduli: list[int]) -> None:
    product = int(np.prod(np.array(moduli, dtype=object)))
    numbers = [product * k // 7 for k in range(7)] + [product - 1]
    rows = np.array([[n % m for m in moduli] for n in numbers], dtype=np.int64)
    assert combine_coprime(rows, moduli).tolist() == numbers
