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
from primefourier.arithmetic.crt import _FEW, combine_coprime, machine_residues

HUGE = 2**20_000


@pytest.mark.parametrize(
    ("dtype", "low", "high"), [("int64", -(2**63), 2**63), ("uint64", 0, 2**64)]
)
@given(data=st.data(), modulus=st.integers(1, 2**63 - 1))
def test_machine_residues_equal_python(
    data: st.DataObject, modulus: int, dtype: str, low: int, high: int
) -> None:
    numbers = data.draw(st.lists(st.integers(low, high - 1), max_size=5))
    found = machine_residues(np.array(numbers, dtype=dtype), modulus)
    assert found.tolist() == [n % modulus for n in numbers]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("count", [1, _FEW, _FEW + 1])
def test_few_and_many_integers_have_the_same_residues(count: int, dtype: Any) -> None:
    moduli = [1, 3, 59**6, 2**62 + 1, 2**63 - 1]
    numbers = np.array([np.iinfo(dtype).max - k * 10**15 for k in range(count)], dtype=dtype)
    expected = [[number % modulus for modulus in moduli] for number in numbers.tolist()]
    assert residues(numbers, moduli).tolist() == expected


@given(
    st.lists(st.integers(-(2**300), 2**300), max_size=4),
    st.lists(st.integers(1, 2**100), max_size=4),
)
def test_residues_equal_python_at_any_size(numbers: list[int], moduli: list[int]) -> None:
    assert residues(numbers, moduli).tolist() == [[n % m for m in moduli] for n in numbers]


def test_residues_are_int64_if_every_modulus_fits() -> None:
    assert residues([1], [2**63 - 1]).dtype == np.int64
    assert residues([1], [2**63]).dtype == object


@pytest.mark.parametrize(
    ("moduli", "kind", "words"),
    [
        ([0], ValueError, "a modulus must be an integer of at least 1, got 0"),
        ([-3], ValueError, "a modulus must be an integer of at least 1, got -3"),
        *(([bad], TypeError, "at least 1, got a") for bad in (3.9, True, "3", None)),
        *((bad, TypeError, r"a sequence .* pass \[modulus\]") for bad in (7, None, np.int64(7))),
    ],
)
def test_wrong_moduli_are_refused(moduli: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        residues([5], moduli)


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


@given(st.integers(-(2**200), 2**200), st.lists(st.integers(1, 2**80), max_size=6))
def test_residues_of_a_number_determine_it(x: int, moduli: list[int]) -> None:
    value, modulus = combine_residues([x % m for m in moduli], moduli)
    assert modulus == lcm(*moduli)
    assert value == x % modulus


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
    ("values", "moduli", "kind", "words"),
    [
        ([2, 1, 0], [3, 10, 4], ValueError, r"x ≡ 1 \(mod 10\).*x ≡ 0 \(mod 4\)"),
        ([0, 1], [HUGE, HUGE], ValueError, r"contradict .* x ≡ 0 \(mod an integer of 20001"),
        ([0], [-HUGE], ValueError, "at least 1, got an integer of 20001 bits"),
        ([1, 2], [3], ValueError, r"residues of shape \(2,\) and moduli of shape \(1,\)"),
        ([1], [0], ValueError, "at least 1, got 0"),
        ([1.0], [3], TypeError, "got a float"),
    ],
)  # fmt: skip
def test_wrong_congruences_are_refused(
    values: Any, moduli: list[int], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        combine_residues(values, moduli)


@pytest.mark.parametrize(
    "moduli", [[3, 7], [2**31 - 1, 2**30], [59**6, 53**6], [3**6, 5**6, 7**6, 11**6, 13**6]]
)
def test_many_integers_at_once_equal_one_by_one(moduli: list[int]) -> None:
    size = lcm(*moduli)
    numbers = [size * k // 7 for k in range(7)] + [size - 1]
    rows = np.array([[n % m for m in moduli] for n in numbers], dtype=np.int64)
    assert combine_coprime(rows, moduli).tolist() == numbers
