"""``pfe decode``: read codes from a file and print the integers."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from primefourier.cli.options import Depth, Json, Primes, read_basis
from primefourier.cli.output import print_json, print_table, print_text, shorten

STANDARD_INPUT = "<standard input>"
"""What the app puts in the place of -, which would look like an option."""


def decode(
    file: Path,
    /,
    *,
    primes: Primes = None,
    depth: Depth = None,
    signed: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    unclear: Literal["raise", "mask"] = "raise",
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
    unclear
        What to do with vectors that are not near any code: stop, or leave them out.
    """
    codes, basis = _read(file, primes, depth)

    import numpy as np

    import primefourier as pf

    decoded = pf.decode(codes, basis, signed=signed, errors=unclear)
    flat = np.ma.asarray(decoded.value).reshape(-1)
    values = [None if np.ma.is_masked(flat[i : i + 1]) else int(flat[i]) for i in range(flat.size)]
    margins = np.asarray(decoded.margin).reshape(-1).tolist()
    margins = [
        None if value is None else margin for value, margin in zip(values, margins, strict=True)
    ]
    residues = decoded.residues.reshape(-1, len(basis.primes)).tolist()
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


def _read(file: Path, primes: str | None, depth: int | None) -> tuple[Any, Any]:
    """Return the codes of a file and the basis they are in."""
    import numpy as np

    if file.suffix == ".npy":
        try:
            return np.load(file, allow_pickle=False), read_basis(primes, depth)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{file} is not an array of codes: {error}") from error
    text = sys.stdin.read() if str(file) == STANDARD_INPUT else _text(file)
    try:
        document = json_module.loads(text)
        codes = np.asarray(document["codes"], dtype=document.get("dtype", "float64"))
        own_primes = ",".join(map(str, document["primes"]))
        own_depth = document["depth"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{file} must be JSON with primes, depth and codes, as pfe encode --json prints it, or "
            f"a .npy file ({type(error).__name__}: {error})"
        ) from error
    return codes, read_basis(primes or own_primes, depth or own_depth)


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {file}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is neither JSON nor a .npy file") from error
