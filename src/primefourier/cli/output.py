"""How commands speak: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from unicodedata import category

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table


def fits(width: int) -> bool:
    """Tell whether a table so wide can be shown unfolded; in a pipe every width can."""
    return not sys.stdout.isatty() or width <= Console().width


def print_json(value: object) -> None:
    """Print one JSON document on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def print_text(text: str) -> None:
    """Print plain text, wrapped by the terminal only."""
    sys.stdout.write(visible(text) + "\n")


def visible(text: str) -> str:
    r"""Write out control characters, by which text from a file could steer a terminal.

    >>> visible("red \x1b[31m, \u202ebackwards\n")
    'red \\x1b[31m, \\u202ebackwards\n'
    """
    if text.isprintable():
        return text
    return "".join(
        ascii(char)[1:-1] if category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t" else char
        for char in text
    )


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[RenderableType]],
    *,
    left: Sequence[str] = (),
    width: int = 10_000,
    lines: bool = False,
) -> None:
    """Print a table: columns named in ``left`` flush left, the others, numbers, flush right.

    On a terminal it is folded to the terminal's width, in a pipe to ``width``. With ``lines`` its
    rows, of several lines each, are set apart.
    """
    console = Console(soft_wrap=not sys.stdout.isatty(), highlight=False)
    if not sys.stdout.isatty():
        console.width = width
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_lines=lines)
    for column in columns:
        table.add_column(column, justify="left" if column in left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(visible(cell) if isinstance(cell, str) else cell for cell in row))
    console.print(table, markup=False)


def count(number: int, noun: str) -> str:
    """Write a number of things.

    >>> count(1, "model"), count(2, "model")
    ('1 model', '2 models')
    """
    return f"{number} {noun}{'s'[: number != 1]}"


def shorten(n: int, digits: int = 24) -> str:
    """Write an integer, its middle left out if it is very long.

    >>> shorten(10**40 + 7)
    '100000000…00000007 (41 digits)'
    """
    text = str(n)
    if len(text) <= digits:
        return text
    return f"{text[:9]}…{text[-8:]} ({len(text.lstrip('-'))} digits)"
