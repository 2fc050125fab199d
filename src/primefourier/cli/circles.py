"""``pfe circles``: draw a + b modulo N as number circles."""

from __future__ import annotations

from pathlib import Path

from primefourier.cli.options import Integer, check_output, read_primes
from primefourier.cli.output import print_text


def circles(
    a: Integer,
    b: Integer,
    /,
    *,
    modulus: Integer,
    out: Path,
    primes: str | None = None,
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
        Where to write the picture: .png, .svg or .pdf.
    primes
        Circles to draw, such as 3,5,7 (default: those of N and a few others).
    """
    check_output(out, (".png", ".svg", ".pdf"))
    from primefourier.figures import draw_circles

    circled = None if primes is None else read_primes(primes)
    figure = draw_circles(a, b, modulus, primes=circled)
    figure.savefig(out)
    print_text(f"Wrote {out}.")
