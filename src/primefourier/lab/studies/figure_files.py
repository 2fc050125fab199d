"""Figures as files: each is drawn and written as PNG and SVG."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from primefourier._checks import usable_cores
from primefourier._files import write_file


@dataclass(frozen=True)
class FigureFile:
    """A figure with the name of its file."""

    name: str
    draw: Callable[[], Figure]


_SHARE = 4
"""A further process must have at least so many figures to draw."""
_shared: list[FigureFile] = []
"""The figures that processes share; they inherit them, since functions cannot be sent to them."""


def write_figures(files: Iterable[FigureFile], target: Path) -> list[Path]:
    """Draw figures, write them to a folder, and return the files.

    Where a process can be forked safely, that is, without other threads, all cores draw.
    """
    _shared[:] = files
    count = min(usable_cores(), len(_shared) // _SHARE)
    if count < 2 or "fork" not in get_all_start_methods() or threading.active_count() > 1:
        found = [_write(i, target) for i in range(len(_shared))]
    else:
        with ProcessPoolExecutor(count, get_context("fork"), _ignore_interrupts) as pool:
            try:
                found = list(pool.map(partial(_write, target=target), range(len(_shared))))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    return [path for paths in found for path in paths]


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the first process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _write(index: int, target: Path) -> list[Path]:
    """Draw one figure, and write it as PNG and SVG."""
    file = _shared[index]
    # the same records give the same files, and names from a store are no formulas
    settings: Any = {"svg.hashsalt": "primefourier", "text.parse_math": False}
    with mpl.rc_context(settings):
        figure = file.draw()
        layout = figure.get_layout_engine()
        if layout is not None:  # once for both files; savefig would do it twice for each
            layout.execute(figure)
            figure.set_layout_engine("none")
        facts = {"Description": "Made by: pfe figures"}
        png, svg = (target / f"{file.name}.{kind}" for kind in ("png", "svg"))
        print_png, print_svg = FigureCanvasAgg(figure).print_png, FigureCanvasSVG(figure).print_svg
        write_file(png, partial(print_png, metadata=facts | {"Software": None}))
        write_file(svg, partial(print_svg, metadata=facts | {"Date": None}))
    return [png, svg]
