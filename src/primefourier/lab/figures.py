"""Figures of any study, and figures as files.

Heatmaps, the drop of every row, and accuracy beyond the range; each is written as PNG and SVG.
"""

from __future__ import annotations

import math
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from statistics import mean
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from primefourier._checks import printable, usable_cores
from primefourier._files import write_file
from primefourier.figures import DropBars, Line, Panel, draw_drop_bars, draw_heatmap, draw_panels
from primefourier.figures.style import SEQUENTIAL
from primefourier.lab.cells import Cell
from primefourier.lab.config import ModelConfig
from primefourier.lab.grid import Grid, Place, in_order
from primefourier.lab.record import Record
from primefourier.lab.tables import write_number, write_spread
from primefourier.plugins import by_plugin

_MOST_LINES = 12
_MOST_PANELS = 24
"""A page with more profiles would be too long to read."""
_SHARE = 4
"""A further process must have at least so many figures to draw."""
_ZEROED = "Rows are zeroed in trained networks, on test examples."
_shared: list[FigureFile] = []
"""The figures that processes share; they inherit them, since functions cannot be sent to them."""


@dataclass(frozen=True)
class FigureFile:
    """A figure with the name of its file."""

    name: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Entry:
    """What a cell of a heatmap shows: its value, what is written, seeds as dots, if it is noise."""

    value: float
    text: str = ""
    points: Sequence[float] = ()
    noise: bool = False


@dataclass(frozen=True)
class Heatmap:
    """What a heatmap shows: a measure, its name in a file name, and its meaning in the caption."""

    slug: str
    measure: str
    meaning: str
    read: Callable[[Cell], Entry | None]
    highest: float = 1.0
    cmap: str = SEQUENTIAL


def show_drop(cell: Cell, *, relevant: bool, dots: bool = False) -> Entry | None:
    """Show the drop of the relevant or of the other rows, and dots or the ends of its seeds."""
    drops = [some[0 if relevant else 1] for some in cell.drops_by_seed.values()]
    known = [drop for drop in drops if drop is not None]
    if len(known) < len(drops):
        return None
    noise, points = abs(mean(known)) < cell.noise_floor, known if dots and len(known) > 1 else ()
    return Entry(mean(known), _write(known[:1] if dots else known, mean(known)), points, noise)


def _show_accuracy(cell: Cell) -> Entry:
    groups = ([r for r in cell.records if r.config.seed == seed] for seed in cell.seeds)
    means = [mean(record.measured.accuracy for record in group) for group in groups]
    return Entry(mean(means), _write(means, mean(means)))


def _write(values: Sequence[float], average: float) -> str:
    """Write a mean, and below it the smallest and the largest value unless they look the same."""
    ends = write_spread(values)
    return f"{write_number(average, 2)}\n{ends if '–' in ends else ''}".strip().replace("-", "−")


HEATMAPS = (
    Heatmap("accuracy", "Test accuracy", "After the last epoch.", _show_accuracy),
    Heatmap("relevant", "Mean drop of relevant rows", _ZEROED, partial(show_drop, relevant=True)),
    Heatmap("other", "Mean drop of other rows", _ZEROED, partial(show_drop, relevant=False)),
)


def draw_figures(grids: Iterable[Grid]) -> Iterator[FigureFile]:
    """Yield the figures of a run, drawn by the plugins of its studies or as those of any study."""
    for plugin, own in by_plugin(list(grids)):
        drawn = plugin.figures(own) if plugin else None
        yield from chain.from_iterable(map(study_figures, own)) if drawn is None else drawn


def study_figures(grid: Grid) -> Iterator[FigureFile]:
    """Yield the figures of a study of any kind; those without values are left out."""
    name = _file_name(" ".join([grid.study.name, *(f"{k} {v}" for k, v in grid.fixed.items())]))
    cells = grid.cells.values()
    for heatmap in HEATMAPS:
        if any(heatmap.read(cell) is not None for cell in cells):
            yield FigureFile(f"{name}-{heatmap.slug}", partial(draw_measure, heatmap, grid))
    for i, column in enumerate(grid.columns[:_MOST_LINES]):
        ending = f"-{i + 1}" if len(grid.columns) > 1 else ""
        yield FigureFile(f"{name}-profiles{ending}", partial(draw_bars, grid, column))
    if any(record.measured.beyond for cell in cells for record in cell.records):
        yield FigureFile(f"{name}-beyond", partial(draw_beyond, grid))


def _file_name(text: str) -> str:
    """Write a name in letters that every file system has; a digest tells altered names apart.

    >>> _file_name("my study"), _file_name("../étude")
    ('my-study', 'tude-3d9985ee')
    """
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:80]
    if name == text.replace(" ", "-"):
        return name
    digest = sha256(text.encode(errors="backslashreplace")).hexdigest()[:8]
    return f"{name}-{digest}".strip("-")


def draw_measure(heatmap: Heatmap, grid: Grid) -> Figure:
    """Draw a heatmap; cells that are not measured stay gaps."""
    degenerate = {
        place
        for place, configs in grid.by_place.items()
        if all(config.degenerate for config in configs)
    }
    read = {place: heatmap.read(cell) for place, cell in grid.cells.items()}
    known = {place: entry for place, entry in read.items() if entry is not None}
    without = read.keys() - known.keys()
    ranges = any("–" in entry.text for entry in known.values())
    for place, entry in known.items():  # not to be taken for seeds that agree
        if ranges and len(grid.cells[place].seeds) == 1:
            known[place] = replace(entry, text=f"{entry.text}\n1 seed")
    left_out = degenerate | without
    reasons = ["no sum wraps around"] * bool(degenerate)
    reasons += ["there are no such rows"] * bool(without)
    text = heatmap.meaning + f" Left out where {' or '.join(reasons)}." * bool(reasons)
    shown = [cell for place, cell in grid.cells.items() if place not in left_out]
    places = [[(row, column) for column in grid.columns] for row in grid.rows]
    table = [[known.get(place, Entry(math.nan)) for place in row] for row in places]
    dotted = any(entry.points for entry in known.values())
    return draw_heatmap(
        [[entry.value for entry in row] for row in table],
        rows=grid.rows,
        columns=grid.columns,
        title=f"{grid.title}: {heatmap.measure.lower()}",
        caption=grid.caption(
            text,
            (record for cell in shown for record in cell.records),
            several="Below each mean: the smallest and the largest seed." if ranges else "",
        ),
        row_label=grid.row_axis.label if grid.row_axis else "",
        column_label=grid.column_axis.label if grid.column_axis else "",
        measure=heatmap.measure,
        limits=(0, heatmap.highest),
        cmap=heatmap.cmap,
        excluded=[[place in left_out for place in row] for row in places],
        noise=[[entry.noise for entry in row] for row in table],
        texts=[[entry.text for entry in row] for row in table],
        points=[[entry.points for entry in row] for row in table] if dotted else None,
    )


def draw_bars(grid: Grid, column: object) -> Figure:
    """Draw, for each value along the rows of a grid, the drop of every row of its networks."""
    panels, values = [], rows_at(grid, column)
    for value in values[:_MOST_PANELS]:
        planned = grid.by_place[value, column]
        records = grid.found(planned)
        names, relevant = _row_names(records, planned)
        by_row = [drops_of(records, name) for name in names]  # over the models that have the row
        note = "" if records else "diverged" if grid.diverged(planned) else "not measured yet"
        if planned[0].degenerate:
            note = "degenerate"
        points = by_row if len(records) > 1 else None
        rows, marked = ([printable(name) for name in some] for some in (names, relevant))
        drops = [mean(some) if some else math.nan for some in by_row]
        panels.append(DropBars(f"{grid.row_name} = {value}", rows, drops, marked, points, note))
    shown = records_at(grid, column)
    place = f", {grid.column_name} = {column}" if grid.column_axis else ""
    text = "Drop of test accuracy when one row is zeroed."
    if len(values) > _MOST_PANELS:
        text += f" Only the first {_MOST_PANELS} of {len(values)} are shown."
    return draw_drop_bars(
        panels,
        title=f"{grid.title}: drop of every row{place}",
        caption=grid.caption(text, shown, several="Bars are means over seeds, dots single seeds."),
        noise_floor=max((record.measured.noise_floor for record in shown), default=0.0),
    )


def _row_names(
    records: Sequence[Record], planned: Sequence[ModelConfig]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names of all rows of some models, and of those that all models need."""
    if not records and not planned[0].known:
        return (), ()
    found = [record.measured for record in records] or planned[:1]
    names = dict.fromkeys(name for one in found for name in one.row_names)
    needed = set.intersection(*(set(one.relevant or ()) for one in found))
    return tuple(names), tuple(name for name in names if name in needed)


def rows_at(grid: Grid, column: object) -> list[Any]:
    """Return the values along the rows that are planned in one column."""
    return in_order(row for row, other in grid.by_place if other == column)


def records_at(grid: Grid, column: object) -> list[Record]:
    """Return the records of one column, including those of incomplete seeds."""
    return grid.found(
        c for place, some in grid.by_place.items() if place[1] == column for c in some
    )


def drops_of(records: Sequence[Record], name: str) -> list[float]:
    """Return the drop of a row in each model that has it."""
    pairs = (zip(r.measured.row_names, r.measured.drops, strict=True) for r in records)
    return [drop for rows in pairs for row, drop in rows if row == name]


def draw_beyond(grid: Grid) -> Figure:
    """Draw accuracy against the size of the integers, in and beyond the input range."""
    lines = []
    for cell in list(grid.cells.values())[:_MOST_LINES]:
        by_end: dict[float, list[float]] = {}
        for record in cell.records:
            end = getattr(record.config.task, "input_range", 1)
            by_end.setdefault(float(end), []).append(record.measured.accuracy)
            for name, accuracy in record.measured.accuracy_beyond.items():
                if re.fullmatch(r"[0-9]{1,300}", name):
                    by_end.setdefault(float(name), []).append(accuracy)
        ends = sorted(by_end)
        lines.append(Line(cell.name, ends, [mean(by_end[end]) for end in ends]))
    text = (
        "The first point of a line is the test accuracy below the input range; the others are test "
        "sets of larger integers."
    )
    more = len(grid.cells) - _MOST_LINES
    if more > 0:
        text += f" {more} more configurations are not shown."
    return draw_panels(
        [Panel("", "accuracy", lines, sees=(0.0, 1.0))],
        title=f"{grid.title}: accuracy beyond the input range",
        caption=grid.caption(
            text, (record for cell in grid.cells.values() for record in cell.records)
        ),
        across="integers below",
        scale="log",
        columns=1,
    )


def drop_line(grid: Grid, row: Any, cells: Mapping[Place, Cell], *, relevant: bool) -> Line:
    """Return the drops of every seed along a row of a grid; gaps are NaN."""
    by_seed = [cells[row, c].drops_by_seed if (row, c) in cells else {} for c in grid.columns]
    seeds = sorted({seed for some in by_seed for seed in some}) or [0]
    found = [[some.get(s, (None, None))[0 if relevant else 1] for s in seeds] for some in by_seed]
    return Line(f"{grid.row_name} = {row}", grid.columns, np.array(found, float))


def write_figures(files: Iterable[FigureFile], target: Path) -> list[Path]:
    """Draw figures, write them to a folder, and return the files.

    Where a process can be forked safely, that is, without other threads, all cores draw.
    """
    _shared[:] = files
    count = min(usable_cores(), len(_shared) // _SHARE)
    if count < 2 or "fork" not in get_all_start_methods() or threading.active_count() > 1:
        found = [_write_both(i, target) for i in range(len(_shared))]
    else:
        with ProcessPoolExecutor(count, get_context("fork"), _ignore_interrupts) as pool:
            try:
                found = list(pool.map(partial(_write_both, target=target), range(len(_shared))))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    return [path for paths in found for path in paths]


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the first process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _write_both(index: int, target: Path) -> list[Path]:
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
