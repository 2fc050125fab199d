"""Theorem 3.1 of the paper: the action on codes, the maps that commute with it, and distances.

Adding b, or multiplying by b, rotates each block by itself. Block (p, d) carries the character
a ↦ e^(2πia/p^(d+1)). Different blocks have different periods, so by Schur's lemma an equivariant
map couples no two blocks. Within a block it commutes with rotations, so it is xI + yJ, a scaled
rotation with two real dimensions. The exception is the block of period 2: it rotates by 0 or π
only, and these commute with all 2 × 2 matrices.

The same holds for multiplication and the blocks of a CharacterBasis, which are different characters
too; there the exceptions are the blocks of periods 1 and 2.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from primefourier.arithmetic.integers import as_integer, as_integers
from primefourier.encoding import CharacterBasis, encode
from primefourier.encoding.characters import Basis, require_either
from primefourier.encoding.decoder import as_floats

_TURNS = np.array([[[1, 0], [0, 1]], [[0, -1], [1, 0]]]) / np.sqrt(2)  # I and J
_ANY = np.eye(4).reshape(4, 2, 2)


def rotation(shift: int | Sequence[Sequence[int]], basis: Basis) -> NDArray[np.float64]:
    """Return the matrix R with R · PFE(a) = PFE(a + shift), or a · shift for characters.

    A single integer is an element of Z, which acts on all blocks at once: block (p, d) rotates by
    2π · shift / p^(d+1). A (P, D) array of integers is an element of the product group
    ∏ Z/p^(d+1), which rotates every block by its own number of steps.

    In a CharacterBasis the integers act by multiplication. A factor that the prime of a row
    divides has no inverse, and its matrix is 0 on that row.

    Args:
        shift: An integer of any size and sign, or one integer per block.
        basis: The basis of the codes.

    Returns:
        An orthogonal, block-diagonal matrix for flat codes.

    Shape:
        (dim, dim).

    >>> from primefourier import PrimeBasis
    >>> basis = PrimeBasis((3, 5), depth=2)
    >>> a, b = 10**50, 3**70
    >>> turned = rotation(b, basis) @ encode(a, basis, "float64").reshape(-1)
    >>> bool(np.abs(turned - encode(a + b, basis, "float64").reshape(-1)).max() < 1e-15)
    True
    """
    require_either(basis)
    steps = as_integers(shift)
    blocks = len(basis.channels)
    if isinstance(basis, CharacterBasis):
        codes = basis.encode(as_integer(shift, "shift"), "float64")
    elif steps.shape == ():
        codes = encode(steps, basis, "float64").reshape(blocks, 2)
    elif steps.shape == basis.shape[:2]:
        # codes of every step on every block; block i uses step i
        every = encode(steps, basis, "float64").reshape(blocks, blocks, 2)
        codes = every[np.arange(blocks), np.arange(blocks)]
    else:
        raise ValueError(
            f"shift must be one integer or one for each block, shape {basis.shape[:2]}, got shape "
            f"{steps.shape}"
        )
    cosine, sine = codes.T
    turns = np.array([[cosine, -sine], [sine, cosine]])
    return _block_diagonal(np.moveaxis(turns, -1, 0))


def spread_shifts(basis: Basis) -> tuple[int, ...]:
    """Return 1 and three further fixed integers from the whole range of the basis.

    The shift by 1 generates Z, but it rotates the block of period 59^6 by 1.5e-10 radians only, so
    that floating point hardly separates such blocks. A shift from the whole range rotates the
    blocks by clearly different angles, and is exact because it is an integer.

    >>> from primefourier import PrimeBasis
    >>> spread_shifts(PrimeBasis((3, 5), depth=2))
    (1, 216, 98, 194)
    """
    require_either(basis)
    generator = random.Random(0)
    return (1, *(generator.randrange(basis.range) for _ in range(3)))


def commutant_dimension(basis: Basis) -> int:
    """Return the dimension of the space of equivariant maps: 2 per block, 4 for the period 2."""
    require_either(basis)
    return 2 * len(basis.channels) + 2 * len(_straight(basis))


def equivariant_basis(basis: Basis) -> NDArray[np.float64]:
    """Return an orthonormal basis of all linear maps W with W·R(b) = R(b)·W for every b.

    It has :func:`commutant_dimension` elements, which take 57 MB for the paper's basis.

    Shape:
        (number of maps, dim, dim).

    >>> from primefourier import PrimeBasis
    >>> equivariant_basis(PrimeBasis((3, 5, 7), depth=2)).shape
    (12, 12, 12)
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
    blocks = _diagonal_blocks(_as_map(W, basis))
    x = (blocks[..., 0, 0] + blocks[..., 1, 1]) / 2
    y = (blocks[..., 1, 0] - blocks[..., 0, 1]) / 2
    turns = np.stack([np.stack([x, -y], axis=-1), np.stack([y, x], axis=-1)], axis=-2)
    free = _straight(basis)
    turns[..., free, :, :] = blocks[..., free, :, :]
    return _block_diagonal(turns)


def coupling_singular_values(basis: Basis, shifts: Sequence[int]) -> NDArray[np.float64]:
    """Return the singular values that show which couplings of blocks commute with some shifts.

    R(b) is block-diagonal, so W·R(b) = R(b)·W splits into one small system per pair of blocks:
    W_ij · R_j(b) - R_i(b) · W_ij = 0 for all shifts b, in four unknowns. A singular value of 0
    is a coupling that commutes, so the number of zeros is the dimension of the commutant. The
    smallest non-zero value shows how clearly zeros and non-zeros are separated.

    Shape:
        (blocks, blocks, 4), descending.
    """
    systems = []
    eye = np.eye(2)
    for shift in shifts:
        turn = _diagonal_blocks(rotation(shift, basis))
        right = np.einsum("ac,jdb->jabcd", eye, turn)  # W ↦ W · R_j
        left = np.einsum("iac,db->iabcd", turn, eye)  # W ↦ R_i · W
        system = right[None] - left[:, None]
        systems.append(system.reshape(*system.shape[:2], 4, 4))
    return np.linalg.svd(np.concatenate(systems, axis=-2), compute_uv=False)


def equivariance_error(W: ArrayLike, basis: Basis, *, shifts: Sequence[int] | None = None) -> float:
    """Return the largest ‖W·R(b) - R(b)·W‖ / ‖W‖ over some shifts b; 0 for an equivariant map.

    Over the whole group the root mean square of this is √2 · ‖W - P(W)‖ / ‖W‖, where P is
    :func:`project_to_equivariant`.

    Args:
        W: A linear map on flat codes, (dim, dim).
        basis: The basis of the codes.
        shifts: The shifts to try; by default those of :func:`spread_shifts`.

    >>> from primefourier import PrimeBasis
    >>> basis = PrimeBasis((3, 5), depth=1)
    >>> equivariance_error(np.eye(4), basis), equivariance_error(np.ones((4, 4)), basis) > 0.5
    (0.0, True)
    """
    tried = spread_shifts(basis) if shifts is None else tuple(shifts)
    if not tried:
        raise ValueError("at least one shift is required to measure equivariance, got none")
    matrix = _scaled(W, basis)
    norm = float(np.linalg.norm(matrix))
    if norm == 0:
        return 0.0
    errors = []
    for shift in tried:
        turn = rotation(shift, basis)
        errors.append(float(np.linalg.norm(matrix @ turn - turn @ matrix)))
    return max(errors) / norm


def assert_equivariant(
    W: ArrayLike,
    basis: Basis,
    *,
    tolerance: float = 1e-6,
    shifts: Sequence[int] | None = None,
) -> None:
    """Raise AssertionError if the :func:`equivariance_error` of W is above a tolerance.

    >>> from primefourier import PrimeBasis
    >>> assert_equivariant(np.eye(4), PrimeBasis((3, 5), depth=1))
    """
    error = equivariance_error(W, basis, shifts=shifts)
    if not error <= tolerance:
        raise AssertionError(
            f"the map is not equivariant: its error is {error:.3g}, above the tolerance "
            f"{tolerance:g}; {off_block_energy(W, basis):.3g} of its energy lies outside the blocks"
        )


def off_block_energy(W: ArrayLike, basis: Basis) -> float:
    """Return the share of ‖W‖² outside the 2 × 2 blocks on the diagonal: 0 for equivariant maps.

    >>> from primefourier import PrimeBasis
    >>> off_block_energy(np.ones((4, 4)), PrimeBasis((3, 5), depth=1))
    0.5
    """
    matrix = _scaled(W, basis)
    total = float(np.sum(matrix**2))
    if total == 0:
        return 0.0
    # what is outside is summed, not subtracted from the total, where a small share would be lost
    outside = matrix.reshape(-1, 2, len(basis.channels), 2).copy()
    where = np.arange(len(basis.channels))
    outside[where, :, where, :] = 0
    return float(np.sum(outside**2)) / total


def _straight(basis: Basis) -> list[int]:
    """Return the blocks of period 2 or 1, which turn by 0 or π only."""
    periods = (period for row in basis.periods for period in row)
    return [block for block, period in enumerate(periods) if period <= 2]


def _block_diagonal(blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the block-diagonal matrix with these blocks, (..., B, 2, 2) → (..., 2·B, 2·B)."""
    batch, count = blocks.shape[:-3], blocks.shape[-3]
    out = np.zeros((*batch, count, 2, count, 2))
    for block in range(count):
        out[..., block, :, block, :] = blocks[..., block, :, :]
    return out.reshape(*batch, 2 * count, 2 * count)


def _diagonal_blocks(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the 2 × 2 blocks on the diagonal, (..., dim, dim) → (..., blocks, 2, 2)."""
    count = matrix.shape[-1] // 2
    split = matrix.reshape(*matrix.shape[:-2], count, 2, count, 2)
    return np.stack([split[..., block, :, block, :] for block in range(count)], axis=-3)


def _as_map(W: ArrayLike, basis: Basis) -> NDArray[np.float64]:
    """Return W, from numpy or torch, as float64; raise ValueError for another shape."""
    require_either(basis)
    matrix = as_floats(W)[0].astype(np.float64)
    if matrix.shape[-2:] != (basis.dim, basis.dim):
        raise ValueError(
            f"a linear map on these codes has shape (..., {basis.dim}, {basis.dim}), got "
            f"{matrix.shape}"
        )
    return matrix


def _scaled(W: ArrayLike, basis: Basis) -> NDArray[np.float64]:
    """Divide a map by its largest entry, so that no square overflows or underflows."""
    matrix = _as_map(W, basis)
    if matrix.ndim != 2:
        raise ValueError(f"one linear map at a time is required, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("a linear map must have finite entries, got infinity or NaN")
    largest = float(np.abs(matrix).max())
    return matrix / largest if largest else matrix
