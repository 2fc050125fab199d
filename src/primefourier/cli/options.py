"""Options that several commands share, and how their words become values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from primefourier.encoding import PAPER_BASIS, PrimeBasis


def read_integer(word: str) -> int:
    """Turn a word into an integer of any size; nothing is rounded.

    >>> read_integer("-1_000")
    -1000
    >>> read_integer("3.5")
    Traceback (most recent call last):
    ValueError: an integer such as 9 or -17 is required, got '3.5'
    """
    if not re.fullmatch(r"\s*[-+]?\d(_?\d)*\s*", word):
        raise ValueError(f"an integer such as 9 or -17 is required, got {word.strip()!r}")
    return int(word)


def read_primes(words: str) -> tuple[int, ...]:
    """Turn what stands behind --primes into integers.

    >>> read_primes("3,5,7")
    (3, 5, 7)
    """
    try:
        return read_integers(words, "--primes")
    except ValueError:
        raise ValueError(
            f"--primes takes primes with commas between them, such as 3,5,7; got {words!r}"
        ) from None


def read_integers(words: str, name: str) -> tuple[int, ...]:
    """Turn integers with commas between them into a tuple.

    >>> read_integers("100,1000", "--ranges")
    (100, 1000)
    """
    try:
        return tuple(read_integer(word) for word in words.split(","))
    except ValueError:
        raise ValueError(
            f"{name} takes integers with commas between them, such as 4,8; got {words!r}"
        ) from None


def check_output(path: Path, suffixes: Sequence[str]) -> None:
    """Refuse a place to write to before any work is done for it."""
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"--out must end in {', '.join(suffixes)}, got {str(path)!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; create it first")


def _convert(_type: Any, tokens: Sequence[Any]) -> Any:
    """Read integers as this module does; the command line library would round 3.5 to 4."""
    return read_integer(tokens[0].value)


Integer = Annotated[int, Parameter(converter=_convert, n_tokens=1)]
Primes = Annotated[
    str | None,
    Parameter(help="Primes of the basis, such as 3,5,7 (default: the paper's 3 … 59)."),
]
Depth = Annotated[
    int | None,
    Parameter(
        converter=_convert, n_tokens=1, help="Powers of each prime (default: the paper's 6)."
    ),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json", help="Print JSON instead of a table.", negative=(), show_default=False
    ),
]


def read_basis(primes: str | None, depth: int | None) -> PrimeBasis:
    """Make the basis that --primes and --depth name.

    >>> read_basis("3,5", None)
    PrimeBasis(primes=(3, 5), depth=6)
    """
    return PrimeBasis(
        PAPER_BASIS.primes if primes is None else read_primes(primes),
        PAPER_BASIS.depth if depth is None else depth,
    )
