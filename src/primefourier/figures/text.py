"""How much room a text takes, and how it is broken into lines."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width in inches of the widest line of a text set at a size in points."""
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return max(
        text_to_path.get_text_width_height_descent(line, font, ismath=False)[0] / 72
        for line in text.split("\n")
    )


def text_height(text: str, size: float) -> float:
    """Return the height in inches that a text takes at a size in points; an empty one takes 0."""
    return 1.42 * size / 72 * (text.count("\n") + 1) if text else 0.0


def wrap(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """Break a text into lines of at most a width in inches; its own line breaks stay.

    >>> print(wrap("one row for each prime", size=10, width=0.8))
    one row for
    each prime
    """

    def room(line: str) -> float:
        return text_width(line, size, bold=bold)

    def lines() -> Iterator[str]:
        for paragraph in text.split("\n"):
            line = ""
            for word in paragraph.split():
                longer = f"{line} {word}" if line else word
                if room(longer) <= width:
                    line = longer
                    continue
                if line:
                    yield line
                line = word
                while len(line) > 1 and room(line) > width:  # a word wider than the page
                    end = max(1, bisect(range(len(line)), width, key=lambda n: room(line[:n])) - 1)
                    yield line[:end]
                    line = line[end:]
            yield line

    return "\n".join(lines())
