"""Commands about integers: ``pfe encode``, ``decode``, ``plan`` and ``circles``."""

from __future__ import annotations

import json as json_module
import sys
import warnings
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Annotated, Any, Literal
from zipfile import BadZipFile

from cyclopts import Parameter
from rich.console import Console

from primefourier._files import write_file
from primefourier.cli.options import (
    FLAG,
    CirclePrimes,
    Depth,
    Integer,
    Json,
    Primes,
    check_output,
    read_basis,
)
from primefourier.cli.output import (
    print_json,
    print_prose,
    print_table,
    print_text,
    shorten,
    table_width,
)
from primefourier.encoding import PrimeBasis, UnclearCodeError

STANDARD_INPUT = "<standard input>"
"""The app replaces - by this word, since - looks like an option."""


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
        raise ValueError("at least one integer is required, such as: pfe encode 9 17")
    if out is not None:
        if json:
            raise ValueError("--out and --json exclude each other; choose one")
        check_output(out, (".npy",))
    basis = read_basis(primes, depth)

    import numpy as np

    import primefourier as pf

    codes = pf.encode(numbers, basis, dtype)
    if out is not None:
        write_file(out, lambda file: np.save(file, codes))
        print_text(f"Wrote {out}: {codes.dtype} of shape {codes.shape}.")
    elif json:
        names = {"primes": basis.primes, "depth": basis.depth, "dtype": dtype}
        print_json({**names, "numbers": numbers, "codes": codes.tolist()})
    else:
        _print_codes(basis, numbers, codes)
        print_prose(
            f"{basis.dim} numbers for each integer; integers below {shorten(basis.range)} have "
            "different codes."
        )


def _print_codes(basis: PrimeBasis, numbers: tuple[int, ...], codes: Any) -> None:
    """Print one table of all integers if it fits, else one table for each integer."""
    table = _code_table(basis, numbers, codes)
    if len(numbers) == 1 or table_width(*table) <= Console().width:
        print_table(*table)
        return
    for k, number in enumerate(numbers):
        print_table(*_code_table(basis, (number,), codes[k : k + 1]))


def _code_table(
    basis: PrimeBasis, numbers: tuple[int, ...], codes: Any
) -> tuple[list[str], list[list[str]]]:
    columns, rows = ["prime", "d", "period"], []
    for number in numbers:
        columns += [f"{shorten(number, 12)} mod", "cos", "sin"]
    for i, prime in enumerate(basis.primes):
        for d, period in enumerate(basis.periods[i]):
            row = [shorten(prime) if d == 0 else "", str(d), shorten(period, 12)]
            for k, number in enumerate(numbers):
                cosine, sine = codes[k, i, d]
                row += [shorten(number % period, 12), f"{cosine:+.6f}", f"{sine:+.6f}"]
            rows.append(row)
    return columns, rows


def decode(
    file: Path,
    /,
    *,
    primes: Primes = None,
    depth: Depth = None,
    signed: Annotated[bool, FLAG] = False,
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
    codes, basis = _read_codes(file, primes, depth)

    import numpy as np

    import primefourier as pf

    try:
        decoded = pf.decode(codes, basis, signed=signed, errors=errors)
    except UnclearCodeError as error:
        raise ValueError(f"{error.problem}; --errors mask masks such vectors") from error
    values = np.ma.asarray(decoded.value).reshape(-1)
    known = ~np.ma.getmaskarray(values)
    margins = np.asarray(decoded.margin).reshape(-1).tolist()
    residues = np.ma.getdata(decoded.residues).reshape(-1, len(basis.primes)).tolist()
    found = [
        {"value": int(values[i]), "residues": residues[i], "margin": margins[i]}
        if known[i]
        else dict.fromkeys(("value", "residues", "margin"))
        for i in range(len(values))
    ]
    if json:
        columns = {name: [entry[name] for entry in found] for name in ("value", "residues")}
        margin = [entry["margin"] for entry in found]
        print_json({**columns, "modulus": decoded.modulus, "margin": margin})
        return
    rows = [
        [str(i), str(entry["value"]), f"{entry['margin']:.4f}"]
        if known[i]
        else [str(i), "unclear", ""]
        for i, entry in enumerate(found)
    ]
    print_table(["#", "value", "margin"], rows)
    print_prose(
        f"Values are known modulo {shorten(decoded.modulus)}. A margin of 1 is a perfect code, "
        "0 means ambiguous."
    )


def _read_codes(
    file: Path, primes: tuple[int, ...] | None, depth: int | None
) -> tuple[Any, PrimeBasis]:
    """Return the codes of a file and their basis."""
    import numpy as np

    if str(file) != STANDARD_INPUT and not file.is_file():
        raise FileNotFoundError(f"there is no file {str(file)!r}")
    if file.suffix == ".npy":
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of odd headers; the array is checked anyway
                codes = np.load(file, allow_pickle=False)
            if codes.dtype.kind != "f":
                raise ValueError(f"its numbers are {codes.dtype}")
            return codes, read_basis(primes, depth)
        except (ValueError, EOFError, TypeError, KeyError, SyntaxError, TokenError, BadZipFile):
            raise ValueError(f"{file} is not a .npy file with an array of floats") from None
    try:
        text = sys.stdin.read() if str(file) == STANDARD_INPUT else file.read_text()
        document = json_module.loads(text)
        dtype = document.get("dtype", "float64")
        if dtype not in ("float16", "float32", "float64"):
            raise ValueError(f"dtype must be float16, float32 or float64, got {str(dtype)[:40]!r}")
        if any(type(v) not in (int, float) for v in np.ravel(np.array(document["codes"], object))):
            raise ValueError("codes must be numbers")
        with np.errstate(over="ignore"):
            codes = np.asarray(document["codes"], dtype=dtype)
        basis = PrimeBasis(document["primes"], document["depth"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{file} must be JSON with primes, depth and codes, as pfe encode --json prints it, or "
            f"a .npy file ({type(error).__name__}: {error})"
        ) from error
    given = read_basis(
        basis.primes if primes is None else primes, basis.depth if depth is None else depth
    )
    if given != basis:
        raise ValueError(f"{file} holds codes of {basis}, not of {given}; leave the options out")
    return codes, basis


def plan(
    modulus: Integer,
    /,
    *,
    primes: Primes = None,
    depth: Depth = None,
    input_range: Annotated[Integer | None, Parameter(name="--range")] = None,
    json: Json = False,
) -> None:
    """List the channels that arithmetic modulo N needs, and factors of N that the basis misses.

    Parameters
    ----------
    modulus
        N, at least 2.
    input_range
        Inputs are below this integer; report also whether their sums wrap around, and which
        circles a network may misuse because they look relevant below it.
    """
    import primefourier as pf

    if input_range is not None and input_range < 1:
        raise ValueError(f"--range must be at least 1, got {input_range}")
    basis = read_basis(primes, depth)
    found = pf.plan(modulus, basis, input_range=input_range)
    if not json:
        print_prose(found.explain())
        return
    extended = None if found.unfactored > 1 else found.extended
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
            "unfactored": found.unfactored,
            "extended": extended and {"primes": extended.primes, "depth": extended.depth},
            "range": input_range,
            "degenerate": None if input_range is None else found.degenerate(input_range),
            "aliases": [asdict(alias) for alias in found.aliases],
            "alias_pairs": [asdict(pair) for pair in found.alias_pairs],
            "risk": found.risk,
        }
    )


def circles(
    a: Integer, b: Integer, /, *, modulus: Integer, out: Path, primes: CirclePrimes = None
) -> None:
    """Draw how prime circles add two integers: figures 1 and 2 of the paper for any a, b, N.

    Parameters
    ----------
    a
        The first integer.
    b
        The second integer.
    modulus
        N, at least 2.
    out
        The picture to write: .png, .svg or .pdf.
    primes
        Circles to draw, such as 3,5,7 (default: those of N and a few others).
    """
    check_output(out, (".png", ".svg", ".pdf"))
    from primefourier.figures import draw_circles

    figure = draw_circles(a, b, modulus, primes=primes)
    write_file(out, partial(figure.savefig, format=out.suffix.lower().removeprefix(".")))
    print_text(f"Wrote {out}.")
