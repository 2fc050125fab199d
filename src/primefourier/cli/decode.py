"""``pfe decode``: read codes from a file and print the integers."""

from __future__ import annotations

import json as json_module
import sys
import warnings
from pathlib import Path
from tokenize import TokenError
from typing import Annotated, Any, Literal
from zipfile import BadZipFile

from cyclopts import Parameter

from primefourier.cli.options import Depth, Json, Primes, read_basis
from primefourier.cli.output import print_json, print_table, print_text, shorten
from primefourier.encoding import PrimeBasis

STANDARD_INPUT = "<standard input>"
"""What the app puts in the place of -, which would look like an option."""


def decode(
    file: Path,
    /,
    *,
    primes: Primes = None,
    depth: Depth = None,
    signed: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    errors: Literal["raise", "mask"] = "raise",
    json: Json = False,
) -> None:
    """Decode codes back to integers.

    Parameters
    ----------
    file
        JSON as pfe encode --json prints it, which names its basis, or a .npy array; - reads JSON
        from standard input.
    signed
        Print the integers nearest zero instead of those in 0 … range - 1.
    errors
        What to do with vectors that are not near any code: raise an error, or mask them.
    """
    codes, basis = _read(file, primes, depth)

    import numpy as np

    import primefourier as pf

    try:
        decoded = pf.decode(codes, basis, signed=signed, errors=errors)
    except ValueError as error:
        raise ValueError(str(error).replace("errors='mask'", "--errors mask")) from error
    flat = np.ma.asarray(decoded.value).reshape(-1)
    values = [None if np.ma.is_masked(flat[i : i + 1]) else int(flat[i]) for i in range(flat.size)]
    margins = np.asarray(decoded.margin).reshape(-1).tolist()
    margins = [
        None if value is None else margin for value, margin in zip(values, margins, strict=True)
    ]
    residues = np.ma.getdata(decoded.residues).reshape(-1, len(basis.primes)).tolist()
    if json:
        print_json(
            {
                "value": values,
                "modulus": decoded.modulus,
                "residues": [
                    None if value is None else row
                    for value, row in zip(values, residues, strict=True)
                ],
                "margin": margins,
            }
        )
        return
    rows = [
        [
            str(i),
            "unclear" if value is None else str(value),
            "" if margin is None else f"{margin:.4f}",
        ]
        for i, (value, margin) in enumerate(zip(values, margins, strict=True))
    ]
    print_table(["#", "value", "margin"], rows)
    print_text(
        f"Values are known modulo {shorten(decoded.modulus)}. A margin of 1 is a perfect code, "
        "0 a tie."
    )


def _read(file: Path, primes: str | None, depth: int | None) -> tuple[Any, PrimeBasis]:
    """Return the codes of a file and the basis they are in."""
    import numpy as np

    if str(file) != STANDARD_INPUT and not file.is_file():
        raise FileNotFoundError(f"there is no file {str(file)!r}")
    if file.suffix == ".npy":
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of odd headers; what is read is checked anyway
                return np.load(file, allow_pickle=False), read_basis(primes, depth)
        except (ValueError, EOFError, TypeError, KeyError, SyntaxError, TokenError, BadZipFile):
            raise ValueError(f"{file} is not a .npy file with an array of floats") from None
    try:
        text = sys.stdin.read() if str(file) == STANDARD_INPUT else file.read_text()
        document = json_module.loads(text)
        with np.errstate(over="ignore"):
            codes = np.asarray(document["codes"], dtype=document.get("dtype", "float64"))
        basis = PrimeBasis(document["primes"], document["depth"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{file} must be JSON with primes, depth and codes, as pfe encode --json prints it, or "
            f"a .npy file ({type(error).__name__}: {error})"
        ) from error
    asked = read_basis(
        ",".join(map(str, basis.primes)) if primes is None else primes,
        basis.depth if depth is None else depth,
    )
    if asked != basis:
        raise ValueError(f"{file} holds codes of {basis}, not of {asked}; leave the options out")
    return codes, basis
