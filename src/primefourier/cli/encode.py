"""``pfe encode``: show the codes of some integers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from primefourier.cli.options import Depth, Integer, Json, Primes, check_output, read_basis
from primefourier.cli.output import fits, print_json, print_table, print_text, shorten
from primefourier.encoding import PrimeBasis

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    if out is not None:
        if json:
            raise ValueError("--out and --json exclude each other; choose one")
        check_output(out, (".npy",))
    basis = read_basis(primes, depth)

    import numpy as np

    import primefourier as pf

    codes = pf.encode(numbers, basis, dtype)
    if out is not None:
        np.save(out, codes)
        print_text(f"Wrote {out}: {codes.dtype} of shape {codes.shape}.")
    elif json:
        print_json(
            {
                "primes": basis.primes,
                "depth": basis.depth,
                "dtype": dtype,
                "numbers": numbers,
                "codes": codes.tolist(),
            }
        )
    else:
        together = range(len(numbers))
        width = 30 + sum(len(shorten(number, 12)) + 32 for number in numbers)
        for shown in [together] if fits(width) else [[k] for k in together]:
            _print_codes(basis, [numbers[k] for k in shown], codes[shown])
        print_text(
            f"{basis.dim} numbers for each integer; integers below {shorten(basis.range)} are "
            "told apart."
        )


def _print_codes(basis: PrimeBasis, numbers: list[int], codes: NDArray[Any]) -> None:
    columns = ["prime", "d", "period"]
    for number in numbers:
        columns += [f"{shorten(number, 12)} mod", "cos", "sin"]
    rows = []
    for i, prime in enumerate(basis.primes):
        for d, period in enumerate(basis.periods[i]):
            row = [shorten(prime) if d == 0 else "", str(d), shorten(period)]
            for k, number in enumerate(numbers):
                cosine, sine = codes[k, i, d]
                row += [shorten(number % period), f"{cosine:+.6f}", f"{sine:+.6f}"]
            rows.append(row)
    print_table(columns, rows)
