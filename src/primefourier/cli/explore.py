"""``pfe explore``: number circles and channels to play with, without any run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from primefourier.cli.browser import ENDINGS, show_page, write_page, write_size
from primefourier.cli.options import Depth, Integer, check_output, read_basis
from primefourier.cli.output import print_text


def explore(
    a: Integer = 9,
    b: Integer = 17,
    /,
    *,
    modulus: Integer = 23,
    operation: Literal["add", "subtract", "multiply"] = "add",
    primes: str | None = None,
    depth: Depth = None,
    out: Path = Path("explorer.html"),
    open: Annotated[  # noqa: A002
        bool, Parameter(name="--open", negative="--no-open", help="Open it in your browser.")
    ] = True,
) -> None:
    """Write the explorer, one HTML page that works offline, and open it in your browser.

    It shows how number circles compute a + b modulo N, and which channels matter for N. Everything
    can be changed in the page; the arguments say where it begins.

    Parameters
    ----------
    a
        The first integer, of any size.
    b
        The second integer.
    modulus
        N, at least 2.
    operation
        add, subtract or multiply.
    primes
        Circles to show, such as 3,5,7, which are the primes of the basis too (default: circles that
        suit N, and the paper's basis).
    out
        The file to write.
    """
    from primefourier.explorer import make_page, page_data

    if modulus < 2:
        raise ValueError(f"--modulus must be at least 2, got {modulus}")
    basis = read_basis(primes, depth)
    check_output(out, ENDINGS)
    data = page_data(
        a,
        b,
        modulus,
        operation=operation,
        circles=None if primes is None else basis.primes,
        basis=basis,
    )
    size = write_page(make_page(data, title="Prime Fourier Embeddings: explorer"), out)
    print_text(f"Wrote {out} ({write_size(size)}).")
    if open:
        show_page(out)
    else:
        print_text("Open it in any browser.")
