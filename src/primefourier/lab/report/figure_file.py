"""A figure to be drawn: what its file is called, and how to draw it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure


@dataclass(frozen=True)
class FigureFile:
    """A figure to be drawn: its file name without ending, and how to draw it."""

    name: str
    draw: Callable[[], Figure]
