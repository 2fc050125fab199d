"""What the published figures say: every text and every drawn value, without its position.

``python tests/figure_texts.py`` records what the figures of paper/results say now; the difference
that ``git diff tests/golden`` shows then belongs in the message of the commit.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from drawn import key
from primefourier import lab
from primefourier.lab.figures import FigureFile, draw_figures

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden" / "figure_texts.json"


def published_figures() -> list[FigureFile]:
    """Return the figures of paper/results, not drawn yet."""
    return list(draw_figures(lab.open(ROOT / "paper" / "results").grids))


def figure_says(figure: Figure) -> dict[str, Any]:
    """Return what a figure says: its words, texts inside axes and how often, drawn values.

    White space is folded, since a line break is a matter of layout. The ticks of value axes and of
    colour bars are left out for the same reason; the ends of colour bars are kept.
    """
    words = {text.get_text() for text in figure.texts}
    words |= set(key(figure))
    inside: list[str] = []
    values: list[Any] = []
    for axes in figure.axes:
        words |= {axes.get_title(loc) for loc in ("left", "center", "right")}
        words |= {axes.get_xlabel(), axes.get_ylabel()}
        bar = getattr(axes, "_colorbar", None)
        if bar is not None:
            values.append([_short(bar.vmin), _short(bar.vmax), bar.extend])
            continue
        inside += (text.get_text() for text in axes.texts)
        words |= set(_ticks(axes.xaxis)) if axes.axison else set()
        if axes.yaxis_inverted():
            words |= set(_ticks(axes.yaxis))
        values += _values(axes)
    return {
        "words": sorted({_folded(word) for word in words} - {""}),
        "inside": dict(sorted(Counter(map(_folded, inside)).items())),
        "values": values,
    }


def _ticks(axis: Axis) -> Iterator[str]:
    low, high = sorted(axis.get_view_interval())
    for minor in (False, True):
        places, labels = axis.get_ticklocs(minor=minor), axis.get_ticklabels(minor=minor)
        for place, label in zip(places, labels, strict=True):
            if low <= place <= high:
                yield label.get_text()


def _values(axes: Axes) -> Iterator[list[float]]:
    """Yield the values of lines and dots; those in the cells of a heatmap stand side by side."""
    for line in axes.lines:
        data = line.get_xdata() if axes.yaxis_inverted() else line.get_ydata()
        values = np.asarray(data, dtype=float)
        if len(values) > 2:  # not a line at 0
            yield [_short(value) for value in values]
    for drawn in axes.collections:
        if isinstance(drawn, LineCollection):
            known = [np.asarray(s)[:, 1] for s in drawn.get_segments() if len(s)]
            yield [_short(y) for ends in known if not np.isnan(ends).any() for y in ends]


def _short(value: float) -> float:
    return float(f"{value:.4g}") + 0.0


def _folded(text: str) -> str:
    return " ".join(text.split())


def _record() -> None:
    said = {file.name: figure_says(file.draw()) for file in published_figures()}
    lines = (
        f"{json.dumps(name)}: {json.dumps(says, ensure_ascii=False)}" for name, says in said.items()
    )
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    _record()
