"""Residues of exact integers: machine arithmetic where it is exact, Python ints elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import IntegerArray, as_integer, as_integers

MACHINE_LIMIT = 2**63
"""Moduli below this have residues that fit int64."""
_FEW = 512  # integers, for which the calls of numpy cost more than the divisions


def residues(values: object, moduli: Sequence[int]) -> IntegerArray:
    """Reduce every integer modulo every modulus; residues are never negative.

    Args:
        values: Integers in any form that :func:`as_integers` accepts.
        moduli: Integers of at least 1, of any size.

    Returns:
        int64 if every modulus is below 2^63, otherwise an object array of Python ints.

    Shape:
        (..., M) for M moduli.

    >>> residues([10, -1], [3, 25])
    array([[ 1, 10],
           [ 2, 24]])
    >>> residues(10**40 + 1, [10**39]).tolist()
    [1]
    """
    if not isinstance(moduli, Iterable):
        raise TypeError(
            f"moduli must be a sequence of integers, got {moduli!r:.40}; for one modulus, pass "
            "[modulus]"
        )
    moduli = [as_integer(modulus, "a modulus", at_least=1) for modulus in moduli]
    numbers = as_integers(values)
    flat = numbers.reshape(-1)
    if max(moduli, default=1) < MACHINE_LIMIT:
        out: IntegerArray = np.empty((flat.size, len(moduli)), dtype=np.int64)
        fill_residues(out, flat, moduli)
    else:
        out = np.empty((flat.size, len(moduli)), dtype=object)
        exact = flat.tolist()
        for column, modulus in enumerate(moduli):
            out[:, column] = [number % modulus for number in exact]
    return out.reshape(*numbers.shape, len(moduli))


def fill_residues(out: NDArray[Any], flat: IntegerArray, moduli: Sequence[int]) -> None:
    """Write the residues modulo moduli below 2^63, one column each.

    Args:
        out: int64, or float64 for moduli up to 2^53; (n, M).
        flat: A flat array from :func:`as_integers`, (n,).
        moduli: M moduli.
    """
    if flat.size <= _FEW and flat.dtype != object:
        out[:] = machine_residues(flat[:, None], np.array(moduli, dtype=flat.dtype))
        return
    for column, modulus in enumerate(moduli):
        out[:, column] = machine_residues(flat, modulus)


def machine_residues(flat: IntegerArray, modulus: int | NDArray[Any]) -> NDArray[np.int64]:
    """Reduce an array from :func:`as_integers` modulo one modulus below 2^63.

    Machine integers may also have an array of moduli, of the same dtype, that broadcasts. They use
    a - (a // m) * m, because numpy's ``floor_divide`` by a constant uses vector instructions and
    its ``remainder`` does not.

    >>> machine_residues(np.array([-1, 10]), 7).tolist()
    [6, 3]
    """
    if flat.dtype == object:
        return np.array([number % modulus for number in flat.tolist()], dtype=np.int64)
    if isinstance(modulus, int):
        modulus = flat.dtype.type(modulus)
    quotient: NDArray[Any] = np.floor_divide(flat, modulus)
    np.multiply(quotient, modulus, out=quotient)
    np.subtract(flat, quotient, out=quotient)
    return quotient.view(np.int64)
