"""Options that several commands share, and how their words become values."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


def read_integers(words: str) -> tuple[int, ...]:
    """Turn words between commas into integers.

    >>> read_integers("3,5,7")
    (3, 5, 7)
    """
    return tuple(read_integer(word) for word in words.split(","))


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
        PAPER_BASIS.primes if primes is None else read_integers(primes),
        PAPER_BASIS.depth if depth is None else depth,
    )
