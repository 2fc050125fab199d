"""The action of the integers on codes: adding, or multiplying, rotates each block by itself."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer, as_integers
from primefourier.encoding import CharacterBasis, encode
from primefourier.encoding.characters import Basis, require_either


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
    >>> rotation(3, CharacterBasis((5,))).astype(int).tolist()[4:]  # of 5: a quarter turn back
    [[0, 0, 0, 0, 0, 1], [0, 0, 0, 0, -1, 0]]
    """
    require_either(basis)
    steps = as_integers(shift)
    blocks = len(basis.channels)
    if isinstance(basis, CharacterBasis):
        codes = basis.encode(as_integer(shift, "shift"), "float64")
    elif steps.shape == ():
        codes = encode(steps, basis, "float64").reshape(blocks, 2)
    elif steps.shape == basis.shape[:2]:
        every = encode(steps, basis, "float64").reshape(blocks, blocks, 2)
        codes = every[np.arange(blocks), np.arange(blocks)]
    else:
        raise ValueError(
            f"shift must be one integer or one for each block, shape {basis.shape[:2]}, got shape "
            f"{steps.shape}"
        )
    cosine, sine = codes.T
    turns = np.array([[cosine, -sine], [sine, cosine]])
    return block_diagonal(np.moveaxis(turns, -1, 0))


def block_diagonal(blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the block-diagonal matrix with the given 2 × 2 blocks.

    Shape:
        (..., B, 2, 2) → (..., 2·B, 2·B).

    >>> block_diagonal(np.ones((2, 2, 2))).astype(int).tolist()
    [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    """
    batch, count = blocks.shape[:-3], blocks.shape[-3]
    out = np.zeros((*batch, count, 2, count, 2))
    for block in range(count):
        out[..., block, :, block, :] = blocks[..., block, :, :]
    return out.reshape(*batch, 2 * count, 2 * count)


def spread_shifts(basis: Basis, count: int = 4) -> tuple[int, ...]:
    """Return 1 and further fixed integers from the whole range of the basis.

    The shift by 1 generates Z, but it rotates the block of period 59^6 by 1.5e-10 radians only, so
    that floating point hardly separates such blocks. A shift from the whole range rotates the
    blocks by clearly different angles, and is exact because it is an integer.

    Args:
        basis: The basis of the codes.
        count: The number of shifts, at least 1.

    Returns:
        The shifts, the same ones in every call.

    >>> from primefourier import PrimeBasis
    >>> spread_shifts(PrimeBasis((3, 5), depth=2))
    (1, 216, 98, 194)
    """
    require_either(basis)
    as_integer(count, "count", at_least=1)
    generator = random.Random(0)
    return (1, *(generator.randrange(basis.range) for _ in range(count - 1)))
