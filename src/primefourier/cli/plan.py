"""``pfe plan``: which channels matter for a modulus."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from primefourier.cli.options import Depth, Integer, Json, Primes, read_basis
from primefourier.cli.output import print_json, print_text


def plan(
    modulus: Integer,
    /,
    *,
    primes: Primes = None,
    depth: Depth = None,
    input_range: Annotated[Integer | None, Parameter(name="--range")] = None,
    json: Json = False,
) -> None:
    """Say which channels arithmetic modulo N needs, and what the basis cannot see of N.

    Parameters
    ----------
    modulus
        N, at least 2.
    input_range
        Inputs are below this: also tell whether their sums wrap around at all.
    """
    import primefourier as pf

    if input_range is not None and input_range < 1:
        raise ValueError(f"--range must be at least 1, got {input_range}")
    basis = read_basis(primes, depth)
    found = pf.plan(modulus, basis)
    if not json:
        print_text(found.explain(input_range))
        return
    print_json(
        {
            "modulus": found.modulus,
            "primes": basis.primes,
            "depth": basis.depth,
            "factors": found.factors,
            "relevant": found.relevant,
            "missing": found.missing,
            "visible": found.visible,
            "invisible": found.invisible,
            "complete": found.complete,
            "extended": {"primes": found.extended.primes, "depth": found.extended.depth},
            "range": input_range,
            "degenerate": None if input_range is None else found.degenerate(input_range),
        }
    )
