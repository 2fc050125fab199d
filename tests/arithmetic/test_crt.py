"""Residues and the Chinese Remainder Theorem: Python integers, brute force, and sympy's vectors."""

from collections.abc import Callable
from itertools import product
from math import lcm
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.arithmetic import combine_residues, residues
from primefourier.arithmetic.crt import _FEW, combine_coprime

HUGE = 2**20_000


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, object])
@pytest.mark.parametrize("count", [0, 1, _FEW, _FEW + 1])
def test_residues_of_machine_integers_equal_python(count: int, dtype: Any) -> None:
    moduli = [1, 3, 59**6, 2**62 + 1, 2**63 - 1]
    ends = np.iinfo(np.int64 if dtype is object else dtype)
    numbers = [n for k in range(count) for n in (ends.max - k * 10**15, ends.min + k)]
    expected = [[number % modulus for modulus in moduli] for number in numbers]
    assert residues(np.array(numbers, dtype=dtype), moduli).tolist() == expected


@given(
    st.lists(st.integers(-(2**300), 2**300), max_size=4),
    st.lists(st.integers(1, 2**100), max_size=4),
)
def test_residues_equal_python_and_determine_the_number(
    numbers: list[int], moduli: list[int]
) -> None:
    found = residues(numbers, moduli)
    assert found.tolist() == [[n % m for m in moduli] for n in numbers]
    assert (found.dtype == object) == any(m >= 2**63 for m in moduli)
    for n, row in zip(numbers, found.tolist(), strict=True):
        assert combine_residues(row, moduli) == (n % lcm(*moduli), lcm(*moduli))


def test_residues_are_int64_if_every_modulus_fits() -> None:
    assert residues([1], [2**63 - 1]).dtype == np.int64
    assert residues([1], [2**63]).dtype == object


def test_congruences_equal_sympy(vectors: Callable[[str], Any]) -> None:
    refused = 0
    for given_residues, moduli, answer in vectors("congruences"):
        if answer is None:
            refused += 1
            with pytest.raises(ValueError, match="contradict"):
                combine_residues(given_residues, moduli)
        else:
            assert list(combine_residues(given_residues, moduli)) == answer
    assert refused > 20


def test_pairs_equal_brute_force() -> None:
    for m, n in product(range(1, 13), repeat=2):
        solutions = {(x % m, x % n): x for x in range(lcm(m, n))}
        for r, s in product(range(m), range(n)):
            if (r, s) in solutions:
                assert combine_residues([r, s], [m, n]) == (solutions[r, s], lcm(m, n))
            else:
                with pytest.raises(ValueError, match="contradict"):
                    combine_residues([r, s], [m, n])


@pytest.mark.parametrize(
    ("function", "values", "moduli", "kind", "words"),
    [
        (residues, [5], [0], ValueError, "a modulus must be an integer of at least 1, got 0"),
        (residues, [5], [True], TypeError, "at least 1, got a bool"),
        (residues, [5], 7, TypeError, r"a sequence .* pass \[modulus\]"),
        (combine_residues, [2, 1, 0], [3, 10, 4], ValueError, r"≡ 1 \(mod 10\).*≡ 0 \(mod 4\)"),
        (combine_residues, [0, 1], [HUGE, HUGE], ValueError, r"x ≡ 0 \(mod an integer of 20001"),
        (combine_residues, [1, 2], [3], ValueError, r"shape \(2,\) and moduli of shape \(1,\)"),
        (combine_residues, [1], [0], ValueError, "at least 1, got 0"),
        (combine_residues, [1.0], [3], TypeError, "got a float"),
    ],
)
def test_wrong_congruences_are_refused(
    function: Any, values: Any, moduli: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        function(values, moduli)


@pytest.mark.parametrize(
    "moduli",
    [[3, 7], [2**31 - 1, 2**30], [2**40 + 15, 3], [59**6, 53**6], [3**6, 5**6, 7**6, 11**6, 13**6]],
)
def test_many_integers_at_once_equal_one_by_one(moduli: list[int]) -> None:
    size = lcm(*moduli)
    numbers = [size * k // 7 for k in range(7)] + [size - 1]
    rows = np.array([[n % m for m in moduli] for n in numbers], dtype=np.int64)
    assert combine_coprime(rows, moduli).tolist() == numbers
