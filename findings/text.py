"""How findings write numbers: in words, tables, and blocks of Markdown pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from findings.statistics import interval

BLOCK = re.compile(r"<!-- ([\w .]+?) -->.*?<!-- end of \1 -->", re.DOTALL)


def rewrite(page: str, blocks: Mapping[str, str]) -> str:
    r"""Return a page with its blocks as they should be.

    >>> rewrite("<!-- a --> old <!-- end of a -->", {"a": "new"})
    '<!-- a -->\n\nnew\n\n<!-- end of a -->'
    """
    return BLOCK.sub(lambda m: f"<!-- {m[1]} -->\n\n{blocks[m[1]]}\n\n<!-- end of {m[1]} -->", page)


def table(columns: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def share(count: int, size: int) -> str:
    """Return a count with the interval of its share.

    >>> share(3, 10)
    '3 of 10 (0.07–0.65)'
    """
    low, high = interval(count, size)
    return f"{count} of {size} ({low:.2f}–{high:.2f})" if size else "–"


def number(value: float | None, spec: str = ".2f") -> str:
    """Return a number, or a dash where there is none."""
    return "–" if value is None else format(value, spec)


def spaced(count: float) -> str:
    """Return an integer with its digits in groups.

    >>> spaced(31360000)
    '31 360 000'
    """
    return f"{count:,.0f}".replace(",", " ")


def span(values: Sequence[float], spec: str = ".2f") -> str:
    """Return the smallest and the largest value, or the one that all are.

    >>> span([0.615, 0.9, 0.7]), span([17410], ",")
    ('0.61–0.90', '17 410')
    """
    ends = (format(end, spec).replace(",", " ") for end in (min(values), max(values)))
    return "–".join(dict.fromkeys(ends))


def several(names: Sequence[object]) -> str:
    """Return names as a list in words.

    >>> several([42]), several([42, 43, 44])
    ('42', '42, 43 and 44')
    """
    *first, last = map(str, names)
    return f"{', '.join(first)} and {last}" if first else last
