"""How all figures look: colours that colour-blind readers can tell apart, and text sizes."""

from __future__ import annotations

from typing import Any

from matplotlib.colors import to_rgb
from matplotlib.typing import ColorType

# Okabe and Ito's palette.
VERMILLION, BLUE, PURPLE, GREEN = "#D55E00", "#0072B2", "#CC79A7", "#009E73"
INK, PALE = "#333333", "#BBBBBB"

NOISE = "#D0D0D0"
"""The band of what cannot be told from zero."""

SEQUENTIAL, DIVERGING = "viridis", "coolwarm"
"""Colour maps without white, which is left to what has no value; viridis has no grey either."""

TITLE_SIZE, LABEL_SIZE, TICK_SIZE, SMALL_SIZE = 12.0, 10.0, 9.0, 8.0
"""Sizes of text in points."""

GAP: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE, "hatch": "////", "linewidth": 0.6}
"""The look of what is not measured yet."""

EXCLUDED: dict[str, Any] = {"facecolor": "#E4E4E4", "edgecolor": "white", "linewidth": 1.0}
"""The look of what is left out on purpose; a cross stands on it."""


def luminance(color: ColorType) -> float:
    """Return how bright a colour is, from 0 for black to 1 for white, as WCAG 2 defines it.

    >>> luminance("white"), luminance("black")
    (1.0, 0.0)
    """
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrasting(color: ColorType) -> str:
    """Return black or white, whichever is easier to read on a colour: always at least 4.5 to 1.

    >>> contrasting("yellow"), contrasting("navy")
    ('black', 'white')
    """
    brightness = luminance(color) + 0.05
    return "black" if brightness / 0.05 > 1.05 / brightness else "white"
