"""``pfe encode``: show the codes of some integers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from primefourier.cli.options import Depth, Integer, Json, Primes, read_basis
from primefourier.cli.output import print_json, print_table, print_text, shorten


def encode(
    *numbers: Integer,
    primes: Primes = None,
    depth: Depth = None,
    dtype: Literal["float16", "float32", "float64"] = "float32",
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Encode integers of any size.

    Parameters
    ----------
    numbers
        The integers, such as 9 17 -26.
    dtype
        Precision of the codes.
    out
        Write the codes to this .npy file instead, shape (numbers, primes, depth, 2).
    """
    if not numbers:
        raise ValueError("NUMBERS must name at least one integer, such as: pfe encode 9 17")
    basis = read_basis(primes, depth)
    values = list(numbers)

    import numpy as np

    import primefourier as pf

    codes = pf.encode(values, basis, dtype)
    if out is not None:
        if out.suffix != ".npy":
            raise ValueError(f"--out must name a .npy file, got {out}")
        np.save(out, codes)
        print_text(f"Wrote {out}: {codes.dtype} of shape {codes.shape}.")
    elif json:
        print_json(
            {
                "primes": basis.primes,
                "depth": basis.depth,
                "dtype": dtype,
                "numbers": values,
                "codes": codes.tolist(),
            }
        )
    else:
        heads = [f"{shorten(value, 12)}" for value in values]
        columns = ["prime", "depth", "period", *(f"{head}: mod, cos, sin" for head in heads)]
        rows = []
        for i, prime in enumerate(basis.primes):
            for d, period in enumerate(basis.periods[i]):
                cells = [
                    f"{shorten(value % period)}  {codes[k, i, d, 0]:+.6f}  {codes[k, i, d, 1]:+.6f}"
                    for k, value in enumerate(values)
                ]
                rows.append([str(prime) if d == 0 else "", str(d), shorten(period), *cells])
        print_table(columns, rows)
        print_text(
            f"{basis.dim} numbers for each integer; integers below {shorten(basis.range)} are "
            "told apart."
        )
