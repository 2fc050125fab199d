"""Figures as files: each is drawn and written as PNG and SVG."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from primefourier._files import write_file


@dataclass(frozen=True)
class FigureFile:
    """A figure that can be drawn.

    Args:
        name: The name of its file, without suffix.
        draw: Draws it.
        made_by: The commands that train the models it shows, if any.
    """

    name: str
    draw: Callable[[], Figure]
    made_by: str = ""


def write_figures(files: Iterable[FigureFile], target: Path) -> list[Path]:
    """Draw figures, write them to a folder, and return the files."""
    written = []
    # the same records give the same files, and names from a store are no formulas
    settings: Any = {"svg.hashsalt": "primefourier", "text.parse_math": False}
    same = mpl.rc_context(settings)
    with same, _collect_young_objects() as collect:
        for file in files:
            written += _save(file, target)
            collect()
    return written


def _save(file: FigureFile, target: Path) -> list[Path]:
    """Write one figure as PNG and SVG."""
    figure = file.draw()
    layout = figure.get_layout_engine()
    if layout is not None:  # once for both files; savefig would do it twice for each
        layout.execute(figure)
        figure.set_layout_engine("none")
    facts = {"Description": f"Made by: {file.made_by or 'pfe figures'}"}
    png, svg = (target / f"{file.name}.{kind}" for kind in ("png", "svg"))
    write_file(png, partial(FigureCanvasAgg(figure).print_png, metadata=facts | {"Software": None}))
    write_file(svg, partial(FigureCanvasSVG(figure).print_svg, metadata=facts | {"Date": None}))
    return [png, svg]


@contextmanager
def _collect_young_objects() -> Iterator[Callable[[], int]]:
    """Collect garbage on call only, and only objects made since the last call.

    A figure is many small objects in cycles. Python would look for garbage again and again while
    they are made, which slows drawing down.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield partial(gc.collect, 0)
    finally:
        if enabled:
            gc.enable()
