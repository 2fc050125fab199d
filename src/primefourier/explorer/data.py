"""The data of a page: where the circles start, the basis of the channels, and perhaps a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PAPER_BASIS, PrimeBasis

MOST_PRIMES, MOST_DEPTHS = 64, 64
"""More circles, or more blocks of the matrix, would not be readable."""


def page_data(
    a: int = 9,
    b: int = 17,
    modulus: int = 23,
    *,
    operation: str = "add",
    circles: Sequence[int] | None = None,
    basis: PrimeBasis = PAPER_BASIS,
    run: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the data of a page, with integers as strings: JavaScript rounds them beyond 2^53.

    Args:
        a: The first integer on the number circles.
        b: The second integer.
        modulus: The modulus N, at least 2.
        operation: ``"add"``, ``"subtract"`` or ``"multiply"``.
        circles: The primes whose circles are shown; by default the page chooses them for N.
        basis: The basis whose channels are shown.
        run: The results of a run; None for the explorer alone.
    """
    most = max(len(circles or ()), len(basis.primes))
    if most > MOST_PRIMES:
        raise ValueError(f"a page shows at most {MOST_PRIMES} primes, got {most}")
    if basis.depth > MOST_DEPTHS:
        raise ValueError(f"a page shows at most {MOST_DEPTHS} depths, got {basis.depth}")
    return {
        "start": {
            "a": str(a),
            "b": str(b),
            "n": str(as_integer(modulus, "modulus", at_least=2)),
            "operation": operation,
            "primes": None if circles is None else list(map(str, circles)),
        },
        "basis": {"primes": list(map(str, basis.primes)), "depth": basis.depth},
        "run": run,
    }
