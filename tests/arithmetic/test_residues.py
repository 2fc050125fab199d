from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.arithmetic.residues import machine_residues, residues

INT64 = st.integers(-(2**63), 2**63 - 1)
UINT64 = st.integers(0, 2**64 - 1)
MODULI = st.integers(1, 2**63 - 1)


@given(st.lists(INT64, max_size=5), MODULI)
def test_machine_residues_of_int64_equal_python(numbers: list[int], modulus: int) -> None:
    array = np.array(numbers, dtype=np.int64)
    assert machine_residues(array, modulus).tolist() == [n % modulus for n in numbers]


@given(st.lists(UINT64, max_size=5), MODULI)
def test_machine_residues_of_uint64_equal_python(numbers: list[int], modulus: int) -> None:
    array = np.array(numbers, dtype=np.uint64)
    assert machine_residues(array, modulus).tolist() == [n % modulus for n in numbers]


@given(
    st.lists(st.integers(-(2**300), 2**300), max_size=4),
    st.lists(st.integers(1, 2**100), max_size=4),
)
def test_residues_equal_python_at_any_size(numbers: list[int], moduli: list[int]) -> None:
    assert residues(numbers, moduli).tolist() == [[n % m for m in moduli] for n in numbers]


def test_dtype_is_int64_while_it_fits() -> None:
    assert residues([1], [2**63 - 1]).dtype == np.int64
    assert residues([1], [2**63]).dtype == object


@pytest.mark.parametrize("modulus", [0, -3])
def test_moduli_below_one_are_refused(modulus: int) -> None:
    with pytest.raises(
        ValueError, match=f"a modulus must be an integer of at least 1, got {modulus}"
    ):
        residues([1], [modulus])


@pytest.mark.parametrize("modulus", [3.9, True, "3", None])
def test_moduli_that_are_no_integers_are_refused(modulus: Any) -> None:
    with pytest.raises(TypeError, match="a modulus must be an integer of at least 1, got a"):
        residues([1], [modulus])
