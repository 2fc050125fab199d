"""The theorem for multiplication: rotations per character, and which characters logits see."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import factorint

from primefourier import CharacterBasis, PrimeBasis
from primefourier.theory import (
    commutant_dimension,
    coupling_singular_values,
    equivariance_error,
    equivariant_basis,
    exact_product_logits,
    off_block_energy,
    project_to_equivariant,
    rotation,
)
from strategies import NUMBERS

SMALL = [CharacterBasis(moduli) for moduli in ((2,), (8,), (9,), (5, 7), (2, 3, 11), (4, 13))]


@given(st.sampled_from(SMALL), NUMBERS, NUMBERS)
def test_multiplying_by_b_is_the_rotation_of_b(basis: CharacterBasis, a: int, b: int) -> None:
    turned = rotation(b, basis) @ basis.encode(a, "float64").reshape(-1)
    assert np.abs(turned - basis.encode(a * b, "float64").reshape(-1)).max() < 1e-14


def test_a_unit_rotates_and_a_multiple_of_a_prime_clears_its_row() -> None:
    basis = CharacterBasis((5, 7))
    unit = rotation(3, basis)
    assert np.abs(unit @ unit.T - np.eye(basis.dim)).max() < 1e-15
    lost = rotation(10, basis)
    assert not lost[:6].any()
    assert np.linalg.matrix_rank(lost) == 6


@pytest.mark.parametrize("basis", SMALL, ids=str)
def test_maps_that_commute_with_all_products_couple_no_two_characters(
    basis: CharacterBasis,
) -> None:
    found = coupling_singular_values(basis, range(basis.range))
    assert int((found < 1e-9).sum()) == commutant_dimension(basis)
    apart = found[~np.eye(len(basis.channels), dtype=bool)]
    assert not apart.size or apart.min() > 0.1
    assert len(equivariant_basis(basis)) == commutant_dimension(basis)


@pytest.mark.parametrize("basis", SMALL, ids=str)
def test_the_projection_is_equivariant_and_keeps_equivariant_maps(basis: CharacterBasis) -> None:
    W = np.random.default_rng(0).normal(size=(basis.dim, basis.dim))
    near = project_to_equivariant(W, basis)
    everything = range(basis.range)
    assert off_block_energy(near, basis) == 0
    assert equivariance_error(near, basis, shifts=everything) < 1e-14
    if len(basis.channels) > 1:
        assert equivariance_error(W, basis, shifts=everything) > 0.1
    for one in equivariant_basis(basis):
        assert np.abs(project_to_equivariant(one, basis) - one).max() < 1e-15


@pytest.mark.parametrize("modulus", [4, 5, 9, 12])
def test_maps_to_logits_are_zero_unless_the_conductor_divides_the_modulus(modulus: int) -> None:
    basis = CharacterBasis((5, 7, 8, 9))
    factors = [*range(11), *(b for b in range(11, 60) if math.gcd(b, 210) == 1)]
    for column, character in enumerate(basis.channels):
        systems = []
        for b in factors:
            moved = np.zeros((modulus, modulus))
            moved[b * np.arange(modulus) % modulus, np.arange(modulus)] = 1  # e_c → e_bc
            block = rotation(b, basis)[2 * column : 2 * column + 2, 2 * column : 2 * column + 2]
            systems.append(np.kron(np.eye(modulus), block.T) - np.kron(moved, np.eye(2)))
        least = np.linalg.svd(np.concatenate(systems), compute_uv=False)[-1]
        assert (least < 1e-9) == (modulus % character.conductor == 0), character


@pytest.mark.parametrize("modulus", [2, 3, 6, 7, 10, 23, 35, 46])
def test_exact_logits_are_right_for_all_pairs_and_by_the_stated_lead(modulus: int) -> None:
    basis = CharacterBasis(tuple(sorted({*factorint(modulus), 13})))
    codes = basis.encode(range(modulus))
    logits = exact_product_logits(codes[:, None], codes[None], modulus, basis)
    answers = np.multiply.outer(range(modulus), range(modulus)) % modulus
    assert np.array_equal(logits.argmax(-1), answers)
    top = np.sort(logits, axis=-1)
    largest = max((max(factorint(p - 1), default=2) for p in factorint(modulus)), default=2)
    assert (top[..., -1] - top[..., -2]).min() >= 1 - math.cos(2 * math.pi / largest) - 1e-6


def test_exact_logits_are_right_for_integers_of_any_size() -> None:
    basis = CharacterBasis.for_modulus(1001)
    for a, b in product((10**40 + 7, -(3**99), 1001 * 5**30, 13), repeat=2):
        logits = exact_product_logits(basis.encode(a), basis.encode(b), 1001, basis)
        assert logits.argmax() == a * b % 1001


def test_what_characters_cannot_tell_is_refused() -> None:
    basis = CharacterBasis((5, 9))
    code = basis.encode(1)
    with pytest.raises(ValueError, match=r"(?s)cannot classify modulo 9\. .*multiples of 3 apart"):
        exact_product_logits(code, code, 9, basis)
    with pytest.raises(ValueError, match=r"lacks characters modulo 7"):
        exact_product_logits(code, code, 35, basis)
    with pytest.raises(TypeError, match="PrimeBasis or a CharacterBasis, got a tuple"):
        rotation(1, (5, 7))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a CharacterBasis, got a PrimeBasis"):
        exact_product_logits(code, code, 5, PrimeBasis((5,), 1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="shift must be an integer"):
        rotation([[1, 2]], basis)
