"""Output of commands: human-readable tables and text, JSON, and log messages."""

from __future__ import annotations

import json
import logging
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from unicodedata import category

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table

from primefourier.arithmetic.integers import format_integer


def print_json(value: object) -> None:
    """Print one JSON document on standard output; control characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(_escape(text, json.dumps) + "\n")


def print_text(text: str) -> None:
    """Print text as it is; use it for lines with paths and commands, which are not wrapped."""
    sys.stdout.write(visible(text) + "\n")


def print_prose(text: str) -> None:
    """Print sentences; lines are wrapped at words to the width of the terminal, 80 in a pipe."""
    width = Console().width
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        print_text(textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False))


def visible(text: str) -> str:
    r"""Escape control characters, which could make text from a file control a terminal.

    >>> visible("red \x1b[31m, \u202ebackwards\n")
    'red \\x1b[31m, \\u202ebackwards\n'
    """
    return _escape(text, ascii)


def _escape(text: str, quote: Callable[[str], str]) -> str:
    """Replace the characters that a terminal may obey by their quoted form."""
    if text.isprintable():
        return text
    return "".join(
        quote(char)[1:-1] if category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t" else char
        for char in text
    )


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[RenderableType]],
    *,
    left: Sequence[str] = (),
    width: int | None = None,
    lines: bool = False,
) -> None:
    """Print a table as wide as the terminal, 80 columns in a pipe.

    Columns named in ``left`` hold text, which is wrapped at words. The others hold numbers, flush
    right. Neither words nor numbers are broken: if they do not fit, the table is wider. With
    ``lines``, rows of several lines are separated by rules.
    """
    console = Console(soft_wrap=True, highlight=False)
    table = Table(
        box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, show_lines=lines
    )
    for i, column in enumerate(columns):
        if column in left:
            table.add_column(visible(column))
        else:
            least = max(cell_len(str(row[i])) for row in rows)
            table.add_column(visible(column), justify="right", min_width=least)
    for row in rows:
        table.add_row(*(visible(cell) if isinstance(cell, str) else cell for cell in row))
    if width is not None and not sys.stdout.isatty():
        console.width = width
    unlimited = console.options.update(width=sys.maxsize)
    console.width = max(console.width, console.measure(table, options=unlimited).minimum)
    console.print(table, markup=False)


def write_seconds(seconds: float) -> str:
    """Write a duration.

    >>> write_seconds(8.2), write_seconds(75), write_seconds(120), write_seconds(3700)
    ('8 s', '1 min 15 s', '2 min', '1 h 1 min')
    """
    whole = round(seconds)
    units = [(whole // 3600, "h"), (whole % 3600 // 60, "min"), (whole % 60, "s")]
    if whole >= 3600:
        units.pop()
    return " ".join(f"{number} {unit}" for number, unit in units if number) or "0 s"


def table_width(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide a table of numbers is.

    >>> table_width(["n", "cos"], [["12", "1"]])
    7
    """
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    return sum(widths) + 2 * (len(widths) - 1)


def shorten(n: int, digits: int = 24) -> str:
    """Write an integer, without its middle if it is very long.

    >>> shorten(10**40 + 7)
    '100000000…00000007 (41 digits)'
    """
    return format_integer(n, digits)


@contextmanager
def show_messages() -> Iterator[None]:
    """Print what the library logs on standard error while a command runs."""
    logger, handler = logging.getLogger("primefourier"), _Messages()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Messages(logging.Handler):
    """Prints messages without level and time; a progress bar moves below them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        sys.stderr.write(visible(self.format(record)) + "\n")
        sys.stderr.flush()
