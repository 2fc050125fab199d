"""The linear maps that commute with the action: Theorem 3.1 of the paper.

Block (p, d) carries the character a ↦ e^(2πia/p^(d+1)). Different blocks have different periods,
so by Schur's lemma an equivariant map couples no two blocks. Within a block it commutes with
rotations, so it is xI + yJ, a scaled rotation with two real dimensions. The exception is the block
of period 2: it rotates by 0 or π only, and these commute with all 2 × 2 matrices.

The same holds for multiplication and the blocks of a CharacterBasis, which are different characters
too; there the exceptions are the blocks of periods 1 and 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from primefourier.encoding.characters import Basis, require_either
from primefourier.encoding.decoder import as_floats
from primefourier.theory.action import block_diagonal, rotation

_TURNS = np.array([[[1, 0], [0, 1]], [[0, -1], [1, 0]]]) / np.sqrt(2)  # I and J
_ANY = np.eye(4).reshape(4, 2, 2)


def commutant_dimension(basis: Basis) -> int:
    """Return the dimension of the space of equivariant maps: 2 per block, 4 for the period 2.

    >>> from primefourier import CharacterBasis, PrimeBasis
    >>> commutant_dimension(PrimeBasis((3, 5, 7), depth=2))
    12
    >>> commutant_dimension(CharacterBasis((5, 7)))  # periods 1, 2, 4 and 1, 2, 3
    20
    """
    require_either(basis)
    return 2 * len(basis.channels) + 2 * len(_straight(basis))


def equivariant_basis(basis: Basis) -> NDArray[np.float64]:
    """Return an orthonormal basis of all linear maps W with W·R(b) = R(b)·W for every b.

    It has :func:`commutant_dimension` elements, which take 57 MB for the paper's basis.

    Returns:
        Matrices of Frobenius norm 1, orthogonal to each other.

    Shape:
        (number of maps, dim, dim).

    >>> from primefourier import PrimeBasis
    >>> equivariant_basis(PrimeBasis((3, 5, 7), depth=2)).shape
    (12, 12, 12)
    >>> len(equivariant_basis(PrimeBasis((2,), depth=2)))
    6
    """
    require_either(basis)
    maps = []
    for block in range(len(basis.channels)):
        for inner in _ANY if block in _straight(basis) else _TURNS:
            full = np.zeros((basis.dim, basis.dim))
            full[2 * block : 2 * block + 2, 2 * block : 2 * block + 2] = inner
            maps.append(full)
    return np.array(maps)


def project_to_equivariant(W: ArrayLike, basis: Basis) -> NDArray[np.float64]:
    """Return the equivariant map nearest to W: its orthogonal projection and group average.

    Off-diagonal blocks become 0, and a diagonal block [[a, b], [c, d]] becomes xI + yJ with
    x = (a + d)/2, y = (c - b)/2.

    Shape:
        (..., dim, dim) → (..., dim, dim).

    >>> from primefourier import PrimeBasis
    >>> basis = PrimeBasis((3,), depth=1)
    >>> project_to_equivariant([[1.0, 2.0], [4.0, 3.0]], basis)
    array([[ 2., -1.],
           [ 1.,  2.]])
    """
    blocks = diagonal_blocks(W, basis)
    x = (blocks[..., 0, 0] + blocks[..., 1, 1]) / 2
    y = (blocks[..., 1, 0] - blocks[..., 0, 1]) / 2
    turns = np.stack([np.stack([x, -y], axis=-1), np.stack([y, x], axis=-1)], axis=-2)
    free = _straight(basis)
    turns[..., free, :, :] = blocks[..., free, :, :]
    return block_diagonal(turns)


def _straight(basis: Basis) -> list[int]:
    """Return the blocks of period 2 or 1, which turn by 0 or π only."""
    periods = (period for row in basis.periods for period in row)
    return [block for block, period in enumerate(periods) if period <= 2]


def diagonal_blocks(W: ArrayLike, basis: Basis) -> NDArray[np.float64]:
    """Return the 2 × 2 blocks on the diagonal of a matrix, one per channel.

    Shape:
        (..., dim, dim) → (..., blocks, 2, 2).
    """
    matrix = as_map(W, basis)
    count = len(basis.channels)
    split = matrix.reshape(*matrix.shape[:-2], count, 2, count, 2)
    return np.stack([split[..., block, :, block, :] for block in range(count)], axis=-3)


def as_map(W: ArrayLike, basis: Basis) -> NDArray[np.float64]:
    """Return W, from numpy or torch, as float64; raise ValueError for another shape."""
    require_either(basis)
    matrix = as_floats(W)[0].astype(np.float64)
    if matrix.shape[-2:] != (basis.dim, basis.dim):
        raise ValueError(
            f"a linear map on these codes has shape (..., {basis.dim}, {basis.dim}), got "
            f"{matrix.shape}"
        )
    return matrix


def coupling_singular_values(basis: Basis, shifts: Sequence[int]) -> NDArray[np.float64]:
    """Return the singular values that show which couplings of blocks commute with some shifts.

    R(b) is block-diagonal, so W·R(b) = R(b)·W splits into one small system per pair of blocks:
    W_ij · R_j(b) - R_i(b) · W_ij = 0 for all shifts b, in four unknowns. A singular value of 0
    is a coupling that commutes, so the number of zeros is the dimension of the commutant. The
    smallest non-zero value shows how clearly zeros and non-zeros are separated.

    Args:
        basis: The basis of the codes.
        shifts: The shifts that W must commute with.

    Returns:
        Four singular values per pair of blocks, descending.

    Shape:
        (blocks, blocks, 4).
    """
    systems = []
    eye = np.eye(2)
    for shift in shifts:
        turn = diagonal_blocks(rotation(shift, basis), basis)
        right = np.einsum("ac,jdb->jabcd", eye, turn)  # W ↦ W · R_j
        left = np.einsum("iac,db->iabcd", turn, eye)  # W ↦ R_i · W
        system = right[None] - left[:, None]
        systems.append(system.reshape(*system.shape[:2], 4, 4))
    return np.linalg.svd(np.concatenate(systems, axis=-2), compute_uv=False)
