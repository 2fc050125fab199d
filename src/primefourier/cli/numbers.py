"""Commands about integers: ``pfe encode``, ``encode-file``, ``decode`` and ``plan``."""

from __future__ import annotations

import json as json_module
import signal
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from tokenize import TokenError
from typing import Annotated, Any, Literal
from zipfile import BadZipFile

from cyclopts import Parameter
from rich.console import Console

from primefourier._checks import plural
from primefourier._files import write_file
from primefourier.arithmetic.integers import format_integer
from primefourier.cli.options import (
    FLAG,
    STANDARD_INPUT,
    Depth,
    Integer,
    Json,
    Positive,
    Primes,
    check_output,
    read_basis,
)
from primefourier.cli.output import (
    ProgressBar,
    print_error,
    print_json,
    print_prose,
    print_table,
    print_text,
)
from primefourier.encoding import PrimeBasis, UnclearCodeError

Precision = Literal["float16", "float32", "float64"]


def encode(
    *numbers: Integer,
    primes: Primes = None,
    depth: Depth = None,
    dtype: Precision = "float32",
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Encode integers of any size.

    Example: `pfe encode 9 17 --primes 3,5,7 --depth 2`

    Args:
        numbers: The integers, such as 9 17 -26.
        dtype: Precision of the codes.
        out: Write the codes to this .npy file instead, shape (numbers, primes, depth, 2).
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
            f"{basis.dim} numbers for each integer; integers below "
            f"{format_integer(basis.range, 24)} have different codes."
        )


def _print_codes(basis: PrimeBasis, numbers: tuple[int, ...], codes: Any) -> None:
    """Print one table of all integers if it fits, else one table for each integer."""
    columns, rows = ["prime", "d", "period"], []
    for number in numbers:
        columns += [f"{format_integer(number, 12)} mod", "cos", "sin"]
    for i, prime in enumerate(basis.primes):
        for d, period in enumerate(basis.periods[i]):
            row = [format_integer(prime, 24) if d == 0 else "", str(d), format_integer(period, 12)]
            for number, (cosine, sine) in zip(numbers, codes[:, i, d], strict=True):
                row += [format_integer(number % period, 12), f"{cosine:+.6f}", f"{sine:+.6f}"]
            rows.append(row)
    # two blanks between columns, as print_table has them
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    if len(numbers) == 1 or sum(widths) + 2 * (len(widths) - 1) <= Console().width:
        print_table(columns, rows)
    else:
        for k, number in enumerate(numbers):
            _print_codes(basis, (number,), codes[k : k + 1])


def encode_file(
    source: Path,
    /,
    *,
    out: Path,
    columns: Annotated[list[str] | None, Parameter(name="--column", negative=())] = None,
    primes: Primes = None,
    depth: Depth = None,
    dtype: Precision = "float32",
    name: str = "code",
) -> int:
    """Encode columns of integers in a file of any size.

    The output is the table with one more column, the codes; a .npy file holds the codes alone.

    Example: `pfe encode-file numbers.csv --column n --out codes.parquet`

    Args:
        source: The .parquet, .arrow, .feather, .csv, .tsv or .npy file to read.
        out: The .parquet, .arrow, .feather or .npy file to write; an existing one is replaced.
        columns: A column of integers, or of texts of decimal integers; may be repeated. Not needed
            if there is only one.
        dtype: Precision of the codes.
        name: Name of the column of codes; with several columns, each is called COLUMN_NAME.
    """
    basis = read_basis(primes, depth)

    from primefourier import files

    # batch systems send SIGTERM, which stops the work as Ctrl-C does
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with ProgressBar() as bar:
            rows = files.encode_file(
                source,
                out,
                columns=columns,
                basis=basis,
                dtype=dtype,
                name=name,
                on_progress=bar.show_rows,
            )
    except KeyboardInterrupt:
        print_error("Stopped. Nothing was written.")
        return 1
    finally:
        signal.signal(signal.SIGTERM, before)
    print_text(f"Wrote {plural(rows, 'row')} to {out}.")
    return 0


def decode(
    file: Path,
    /,
    *,
    primes: Primes = None,
    depth: Depth = None,
    signed: Annotated[bool, FLAG] = False,
    json: Json = False,
) -> None:
    """Decode codes back to integers.

    Example: `pfe encode 9 -26 --json | pfe decode - --signed`

    Args:
        file: JSON as pfe encode --json prints it, which names its basis, or a .npy array; - reads
            JSON from standard input.
        signed: Print the integers nearest zero instead of those in 0 … range - 1.
    """
    import numpy as np

    import primefourier as pf

    if file.suffix == ".npy":
        codes, basis = _read_array(file), read_basis(primes, depth)
    else:
        codes, basis = _read_json(file)
        given = read_basis(
            basis.primes if primes is None else primes, basis.depth if depth is None else depth
        )
        if given != basis:
            raise ValueError(
                f"{file} holds codes of {basis}, not of {given}; leave the options out"
            )
    try:
        decoded = pf.decode(codes, basis, signed=signed)
    except UnclearCodeError as error:
        # the library also names options of Python, which are none here
        raise ValueError(error.problem) from error
    values = np.reshape(decoded.value, -1).tolist()
    margins = np.reshape(decoded.margin, -1).tolist()
    if json:
        residues = np.reshape(decoded.residues, (-1, len(basis.primes))).tolist()
        found = {"value": values, "residues": residues, "modulus": decoded.modulus}
        print_json({**found, "margin": margins})
        return
    rows = [
        [str(i), str(value), f"{margin:.4f}"]
        for i, (value, margin) in enumerate(zip(values, margins, strict=True))
    ]
    print_table(["#", "value", "margin"], rows)
    print_prose(
        f"Values are known modulo {format_integer(decoded.modulus, 24)}. A margin of 1 is a "
        "perfect code, 0 means ambiguous."
    )


def _read_array(file: Path) -> Any:
    """Return the array of floats in a .npy file."""
    import numpy as np

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd headers; the array is checked anyway
            codes = np.load(file, allow_pickle=False)
        if codes.dtype.kind == "f":
            return codes
    except (ValueError, EOFError, TypeError, KeyError, SyntaxError, TokenError, BadZipFile):
        pass
    raise ValueError(f"{file} is not a .npy file with an array of floats")


def _read_json(file: Path) -> tuple[Any, PrimeBasis]:
    """Return the codes that ``pfe encode --json`` printed, and their basis."""
    import numpy as np

    try:
        text = sys.stdin.read() if str(file) == STANDARD_INPUT else file.read_text()
        document = json_module.loads(text)
        dtype = document.get("dtype", "float64")
        if dtype not in ("float16", "float32", "float64"):
            raise ValueError(f"dtype must be float16, float32 or float64, got {str(dtype)[:40]!r}")
        # numpy would take true for 1 and "1" for a text
        if any(type(v) not in (int, float) for v in np.ravel(np.array(document["codes"], object))):
            raise ValueError("codes must be numbers")
        with np.errstate(over="ignore"):  # to infinity, which decode refuses
            codes = np.asarray(document["codes"], dtype=dtype)
        return codes, PrimeBasis(document["primes"], document["depth"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{file} must be JSON with primes, depth and codes, as pfe encode --json prints it, or "
            f"a .npy file ({type(error).__name__}: {error})"
        ) from error


def plan(
    modulus: Integer,
    /,
    *,
    primes: Primes = None,
    depth: Depth = None,
    input_range: Annotated[Positive | None, Parameter(name="--range")] = None,
    json: Json = False,
) -> None:
    """List the channels that arithmetic modulo N needs, and factors of N that the basis misses.

    Example: `pfe plan 33 --range 100`

    Args:
        modulus: N, at least 2.
        input_range: Inputs are below this integer; report also whether their sums wrap around, and
            which circles a network may misuse because they look relevant below it.
    """
    import primefourier as pf
    from primefourier.analysis import published_risk

    found = pf.plan(modulus, read_basis(primes, depth), input_range=input_range)
    risk = published_risk(found)
    if not json:
        print_prose(found.explain())
        if risk is not None:
            print_prose(risk.explain())
        return
    basis, extended = found.basis, None if found.unfactored > 1 else found.extended
    same = ("factors", "relevant", "missing", "visible", "invisible", "complete", "unfactored")
    print_json(
        {
            "modulus": found.modulus,
            "primes": basis.primes,
            "depth": basis.depth,
            **{name: getattr(found, name) for name in same},
            "extended": extended and {"primes": extended.primes, "depth": extended.depth},
            "range": input_range,
            "degenerate": None if input_range is None else found.degenerate(input_range),
            "aliases": [asdict(alias) for alias in found.aliases],
            "alias_pairs": [asdict(pair) for pair in found.alias_pairs],
            "risk": risk and risk.share,
        }
    )
