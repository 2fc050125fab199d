from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.theory import (
    commutant_dimension,
    coupling_singular_values,
    equivariance_error,
    equivariant_basis,
    project_to_equivariant,
    rotation,
    spread_shifts,
)

TEN_BASES = [
    PrimeBasis((3,), 1), PrimeBasis((3,), 4), PrimeBasis((3, 5), 2), PrimeBasis((3, 5, 7), 2),
    PrimeBasis((59,), 6), PrimeBasis((53, 59), 6), PrimeBasis((2,), 1), PrimeBasis((2,), 3),
    PrimeBasis((2, 3, 5), 2), PrimeBasis((3, 5, 7, 11), 3),
]  # fmt: skip


def dense_null_space(basis: PrimeBasis, shifts: tuple[int, ...]) -> NDArray[np.float64]:
    """Solve W·R(b) = R(b)·W for all entries of W at once, knowing nothing of blocks."""
    eye = np.eye(basis.dim)
    systems = [np.kron(eye, R.T) - np.kron(R, eye) for R in (rotation(b, basis) for b in shifts)]
    return np.linalg.svd(np.concatenate(systems), compute_uv=False)


@pytest.mark.parametrize("basis", TEN_BASES, ids=str)
def test_the_commutant_has_two_dimensions_a_block_by_structure_and_by_svd(
    basis: PrimeBasis,
) -> None:
    expected = 2 * len(basis.channels) + 2 * (basis.primes[0] == 2)
    assert len(equivariant_basis(basis)) == commutant_dimension(basis) == expected
    dense = dense_null_space(basis, spread_shifts(basis))
    assert int(np.sum(dense < 1e-12)) == expected
    by_pairs = np.sort(coupling_singular_values(basis, spread_shifts(basis)), axis=None)
    np.testing.assert_allclose(by_pairs, np.sort(dense), rtol=0, atol=1e-12)


def test_the_paper_basis_has_192_dimensions_by_svd() -> None:
    values = coupling_singular_values(PAPER_BASIS, spread_shifts(PAPER_BASIS))
    assert int(np.sum(values < 1e-13)) == 192
    assert values[values >= 1e-13].min() > 0.1


def test_one_generator_alone_is_ill_conditioned() -> None:
    values = coupling_singular_values(PAPER_BASIS, (1,))
    assert 1e-11 < np.sort(values, axis=None)[192] < 1e-9
    deep = PrimeBasis((53, 59), depth=10)
    wrong = int(np.sum(coupling_singular_values(deep, (1,)) < 1e-13))
    assert wrong > 2 * len(deep.channels), "here the generator cannot tell blocks apart at all"
    right = int(np.sum(coupling_singular_values(deep, spread_shifts(deep)) < 1e-13))
    assert right == 2 * len(deep.channels)


@pytest.mark.parametrize("basis", TEN_BASES, ids=str)
def test_the_equivariant_basis_is_orthonormal_and_commutes(basis: PrimeBasis) -> None:
    maps = equivariant_basis(basis)
    gram = np.einsum("iab,jab->ij", maps, maps)
    np.testing.assert_allclose(gram, np.eye(len(maps)), atol=1e-15)
    assert max(equivariance_error(W, basis) for W in maps) < 1e-14


@pytest.mark.parametrize("basis", TEN_BASES, ids=str)
def test_projection_is_the_orthogonal_one_onto_that_basis(basis: PrimeBasis) -> None:
    W = np.random.default_rng(0).normal(size=(3, basis.dim, basis.dim))
    P = project_to_equivariant(W, basis)
    maps = equivariant_basis(basis)
    expected = np.einsum("nab,iab,icd->ncd", W, maps, maps)
    np.testing.assert_allclose(P, expected, atol=1e-14)
    np.testing.assert_array_equal(project_to_equivariant(P, basis), P)
    assert abs(np.sum((W - P) * P)) < 1e-12


@pytest.mark.parametrize("basis", [PrimeBasis((3, 5), 1), PrimeBasis((2, 3), 2)], ids=str)
def test_projection_is_the_average_over_the_group(basis: PrimeBasis) -> None:
    W = np.random.default_rng(1).normal(size=(basis.dim, basis.dim))
    turns = [rotation(b, basis) for b in range(basis.range)]
    average = np.mean([R @ W @ R.T for R in turns], axis=0)
    np.testing.assert_allclose(project_to_equivariant(W, basis), average, atol=1e-14)


def test_the_product_group_has_the_same_average() -> None:
    basis = PrimeBasis((2, 3), 1)
    W = np.random.default_rng(2).normal(size=(4, 4))
    turns = [rotation([[i], [j]], basis) for i, j in product(range(2), range(3))]
    average = np.mean([R @ W @ R.T for R in turns], axis=0)
    np.testing.assert_allclose(project_to_equivariant(W, basis), average, atol=1e-14)


def test_maps_of_other_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"has shape \(..., 4, 4\), got \(3, 4\)"):
        project_to_equivariant(np.zeros((3, 4)), PrimeBasis((3, 5), 1))
