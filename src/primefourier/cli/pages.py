"""Commands that draw: ``pfe circles``, ``explore``, ``figures`` and ``report``."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from primefourier._files import write_file
from primefourier.cli.options import (
    FLAG,
    PICTURES,
    Depth,
    Folder,
    Integer,
    Integers,
    check_output,
    read_basis,
)
from primefourier.cli.output import print_error, print_text, save_figure

_PAGE_ENDINGS = (".html", ".htm")


def circles(
    a: Integer, b: Integer, /, *, modulus: Integer, out: Path, primes: Integers | None = None
) -> None:
    """Draw how prime circles add two integers: figures 1 and 2 of the paper for any a, b, N.

    Example: `pfe circles 9 17 --modulus 23 --out circles.png`

    Args:
        a: The first integer.
        b: The second integer.
        modulus: N, at least 2.
        out: The picture to write: .png, .svg or .pdf.
        primes: Circles to draw, such as 3,5,7 (default: those of N and a few others).
    """
    check_output(out, PICTURES)
    from primefourier.figures import draw_circles

    save_figure(draw_circles(a, b, modulus, primes=primes), out)
    print_text(f"Wrote {out}.")


def explore(
    a: Integer = 9,
    b: Integer = 17,
    /,
    *,
    modulus: Integer = 23,
    operation: Literal["add", "subtract", "multiply"] = "add",
    primes: Integers | None = None,
    depth: Depth = None,
    out: Path = Path("explorer.html"),
    open: Annotated[bool, Parameter(name="--open", negative="--no-open")] = True,  # noqa: A002
) -> None:
    """Write the explorer, one HTML page that works offline, and open it in your browser.

    It shows how number circles compute a + b modulo N, and which channels matter for N. Everything
    can be changed in the page; the arguments are its first values.

    Example: `pfe explore 13 15 --modulus 21`

    Args:
        a: The first integer, of any size.
        b: The second integer.
        modulus: N, at least 2.
        operation: add, subtract or multiply.
        primes: Circles to show and primes of the basis, such as 3,5,7 (default: circles that suit
            N, and the paper's basis).
        out: The file to write.
        open: Open it in your browser.
    """
    from primefourier.explorer import make_page, page_data

    basis = read_basis(primes, depth)
    check_output(out, _PAGE_ENDINGS)
    data = page_data(a, b, modulus, operation=operation, circles=primes, basis=basis)
    write_file(out, make_page(data, title="Prime Fourier Embeddings: explorer").encode())
    _finish(out, open, "Open it in any browser.")


def figures(folder: Folder, /, *, out: Path | None = None) -> None:
    """Draw the paper's figures from records, each as PNG and SVG.

    Configurations that are not measured yet are visible gaps.

    Example: `pfe figures paper/results --out pictures`

    Args:
        out: The folder to write to (default: figures in the folder).
    """
    from primefourier import lab

    print_text("\n".join(f"Wrote {path}" for path in lab.open(folder).figures(out)))


def report(
    folder: Folder,
    /,
    *more: Annotated[Path, Parameter(help="Further folders, whose models count for the claims.")],
    open: Annotated[bool, FLAG] = False,  # noqa: A002
    out: Path | None = None,
) -> None:
    """Write the results of a run as one HTML page that works offline.

    It has the heatmaps with every model behind them, the claims with their evidence, and the number
    circles. Works at any time, also while models are trained.

    Example: `pfe report paper/results --open`

    Args:
        open: Also open the page in your browser.
        out: The file to write (default: report.html in the folder).
    """
    from primefourier import lab

    if out is not None:
        check_output(out, _PAGE_ENDINGS)
    path = lab.open(folder, *more).report(out)
    _finish(path, open, "Open it in any browser, or add --open to this command.")


def _finish(path: Path, show: bool, advice: str) -> None:
    """Say that a page is written, and open it in the user's browser or say how to."""
    print_text(f"Wrote {path} ({path.stat().st_size / 1000:.0f} kB).")
    if not show:
        print_text(advice)
        return
    try:  # a machine without a browser is no failure: the page is written
        opened = webbrowser.open(path.resolve().as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        print_error(f"No browser could be opened here; open this file in one: {path.resolve()}")
