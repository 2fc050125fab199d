"""``pfe explore``: a page about number circles, and opening pages in the browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from primefourier._files import write_file
from primefourier.cli.options import CirclePrimes, Depth, Integer, check_output, read_basis
from primefourier.cli.output import print_text, visible

ENDINGS = (".html", ".htm")


def explore(
    a: Integer = 9,
    b: Integer = 17,
    /,
    *,
    modulus: Integer = 23,
    operation: Literal["add", "subtract", "multiply"] = "add",
    primes: CirclePrimes = None,
    depth: Depth = None,
    out: Path = Path("explorer.html"),
    open: Annotated[  # noqa: A002
        bool, Parameter(name="--open", negative="--no-open", help="Open it in your browser.")
    ] = True,
) -> None:
    """Write the explorer, one HTML page that works offline, and open it in your browser.

    It shows how number circles compute a + b modulo N, and which channels matter for N. Everything
    can be changed in the page; the arguments are its first values.

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
        Circles to show and primes of the basis, such as 3,5,7 (default: circles that suit N, and
        the paper's basis).
    out
        The file to write.
    """
    from primefourier.explorer import make_page, page_data
    from primefourier.lab.studies.paper import own_form

    if modulus < 2:
        raise ValueError(f"--modulus must be at least 2, got {modulus}")
    basis = read_basis(primes, depth)
    check_output(out, ENDINGS)
    data = page_data(
        a, b, modulus, operation=operation, circles=primes, basis=basis, own=own_form()
    )
    page = make_page(data, title="Prime Fourier Embeddings: explorer").encode()
    write_file(out, page)
    print_text(f"Wrote {out} ({write_size(len(page))}).")
    if open:
        show_page(out)
    else:
        print_text("Open it in any browser.")


def show_page(path: Path) -> None:
    """Open a page in the user's browser, or print which file to open if there is no browser."""
    address = path.resolve().as_uri()
    try:
        opened = webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    if not opened:
        text = f"No browser could be opened here; open this file in one: {path.resolve()}"
        sys.stderr.write(visible(text) + "\n")


def write_size(size: int) -> str:
    """Write a number of bytes.

    >>> write_size(1_230_000), write_size(45_600)
    ('1.2 MB', '46 kB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
