"""The distance of a linear map from being equivariant and from being block-diagonal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from primefourier.encoding.characters import Basis
from primefourier.theory.action import rotation, spread_shifts
from primefourier.theory.commutant import as_map


def equivariance_error(W: ArrayLike, basis: Basis, *, shifts: Sequence[int] | None = None) -> float:
    """Return the largest ‖W·R(b) - R(b)·W‖ / ‖W‖ over some shifts b; 0 for an equivariant map.

    Over the whole group the root mean square of this is √2 · ‖W - P(W)‖ / ‖W‖, where P is
    :func:`project_to_equivariant`.

    Args:
        W: A linear map on flat codes, (dim, dim).
        basis: The basis of the codes.
        shifts: The shifts to try; by default four from the whole range of the basis. The shift
            by 1 alone suffices in exact arithmetic, but not in floating point: it rotates blocks
            of large periods so little that it misses almost any coupling.

    Returns:
        The relative error.

    >>> from primefourier import PrimeBasis
    >>> basis = PrimeBasis((3, 5), depth=1)
    >>> equivariance_error(np.eye(4), basis)
    0.0
    >>> equivariance_error(np.ones((4, 4)), basis) > 0.5
    True
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
    """Raise AssertionError, with the measured error, if W is not equivariant.

    Args:
        W: A linear map on flat codes, (dim, dim).
        basis: The basis of the codes.
        tolerance: The largest accepted :func:`equivariance_error`.
        shifts: As for :func:`equivariance_error`.

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
    outside = matrix.reshape(-1, 2, len(basis.channels), 2).copy()
    where = np.arange(len(basis.channels))
    outside[where, :, where, :] = 0
    return float(np.sum(outside**2)) / total


def _scaled(W: ArrayLike, basis: Basis) -> NDArray[np.float64]:
    """Divide a map by its largest entry, so that no square overflows or underflows."""
    matrix = as_map(W, basis)
    if matrix.ndim != 2:
        raise ValueError(f"one linear map at a time is required, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("a linear map must have finite entries, got infinity or NaN")
    largest = float(np.abs(matrix).max())
    return matrix / largest if largest else matrix
