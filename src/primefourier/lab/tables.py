"""Tables of words, and how drops and their intervals are written in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primefourier.analysis import Interval


@dataclass(frozen=True)
class Table:
    r"""Rows of words below the names of their columns, and a heading for the terminal.

    >>> print(Table(["claim", "verdict"], [["|x| < 1", "holds"]]).markdown())
    | claim | verdict |
    |---|---|
    | \|x\| < 1 | holds |
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    heading: str = ""

    def markdown(self) -> str:
        """Return the table as Markdown, without its heading."""
        lines = [_markdown_row(self.columns), "|" + "---|" * len(self.columns)]
        return "\n".join([*lines, *map(_markdown_row, self.rows)])


def _markdown_row(words: Sequence[str]) -> str:
    escaped = (word.replace("|", "\\|") for word in words)
    return f"| {' | '.join(escaped)} |"


def write_interval(interval: Interval, digits: int = 3, *, seeds: bool = False) -> str:
    """Write a mean, with its 95 % interval where there are several seeds.

    Args:
        interval: The mean and its interval.
        digits: Number of decimals.
        seeds: Whether to add the number of seeds.

    >>> write_interval(Interval(0.8125, None, None, 1))
    '0.812'
    >>> write_interval(Interval(-0.0001, -0.0101, 0.0099, 5), seeds=True)
    '0.000 ± 0.010 (5 seeds)'
    """
    text = write_number(interval.mean, digits)
    if interval.high is None:
        return text
    count = f" ({interval.count} seeds)" * seeds
    return f"{text} ± {interval.high - interval.mean:.{digits}f}{count}"


def write_spread(values: Sequence[float], digits: int = 2) -> str:
    """Write the smallest and the largest of some drops.

    >>> write_spread([0.615, 0.9, 0.7]), write_spread([0.9])
    ('0.61–0.90', '0.90')
    """
    return "–".join(dict.fromkeys(write_number(end, digits) for end in (min(values), max(values))))


def write_number(value: float, digits: int) -> str:
    """Write a number with a fixed number of decimals, and without a sign where it rounds to 0.

    >>> write_number(-0.0001, 3)
    '0.000'
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text
