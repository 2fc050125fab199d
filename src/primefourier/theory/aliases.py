"""Aliasing: which blocks look like those that N needs, as long as inputs stay below r.

Addition modulo N needs the harmonics of N, circles that turn k times while a runs through N. A
block of period T turns once in T. If 1/T is near some k/N, the two stay together over all inputs
below r, and a network that sees no others may use the block although T does not divide N. The
theorem forbids that only on the whole group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis


def alias_distance(modulus: int, basis: PrimeBasis, *, input_range: int) -> NDArray[np.float64]:
    """Return by how many turns each block and its nearest harmonic of N come apart below r.

    For a block of period T that is r · min |k/N - 1/T| over k = 1 … N - 1: 0 where T divides N, and
    where it is well below 1 the block can stand in for the harmonic. The constant, k = 0, does not
    count as one.

    Args:
        modulus: N, at least 2.
        basis: The basis of the codes.
        input_range: r; inputs are 0 … r - 1.

    Shape:
        (P, D).

    >>> basis = PrimeBasis((3, 7, 13, 23), depth=1)
    >>> alias_distance(231, basis, input_range=500).round(2).ravel().tolist()
    [0.0, 0.0, 0.5, 0.09]
    """
    require_basis(basis)
    n = as_integer(modulus, "modulus", at_least=2)
    r = as_integer(input_range, "input_range", at_least=1)
    return np.array([[_distance(n, period, r) for period in row] for row in basis.periods])


def _distance(modulus: int, period: int, input_range: int) -> float:
    """Compare k/N with 1/T in integers: |kT - N| / NT for the two k around N/T."""
    below = min(max(1, modulus // period), modulus - 1)
    above = min(below + 1, modulus - 1)
    apart = min(abs(k * period - modulus) for k in (below, above))
    return input_range * apart / (modulus * period)
