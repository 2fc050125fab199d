"""What a reader sees of a figure: its texts, where they stand, and whether they can be read."""

import warnings
from collections.abc import Iterator
from io import BytesIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Patch
from matplotlib.text import Text
from numpy.typing import NDArray


def inside(axes: Axes) -> list[str]:
    """Return the texts written into axes, such as the values of cells."""
    return [text.get_text() for text in axes.texts]


def around(figure: Figure) -> str:
    """Return title, caption and other texts that belong to no axes, with single spaces."""
    return " ".join(" ".join(text.get_text() for text in figure.texts).split())


def key(figure: Figure) -> list[str]:
    """Return what the key explains."""
    return [text.get_text() for legend in _legends(figure) for text in legend.get_texts()]


def hatched(axes: Axes) -> list[Patch]:
    """Return the patches that stand for what is not measured yet."""
    return [patch for patch in axes.patches if patch.get_hatch()]


def filled(axes: Axes, color: object) -> list[Patch]:
    """Return the patches of one colour."""
    return [p for p in axes.patches if p.get_facecolor() == to_rgba(color)]  # type: ignore[arg-type]


def assert_readable(figure: Figure, *, least: float = 7.0) -> None:
    """Check that no text is cut, tiny, over another text or over axes it stands beside."""
    _place(figure)
    width, height = figure.bbox.size
    within = [text for axes in figure.axes for text in axes.texts if text.get_text()]
    beside = list(_beside(figure))
    assert all(float(text.get_fontsize()) >= least for text in [*within, *beside])
    boxes = _boxes([*within, *beside])
    assert (boxes[:, :2] >= 0).all(), "a text is cut at the left or the bottom"
    assert (boxes[:, 2:] <= (width, height)).all(), "a text is cut at the right or the top"
    over = _overlaps(boxes, boxes) & ~np.eye(len(boxes), dtype=bool)
    texts = [text.get_text() for text in [*within, *beside]]
    assert not over.any(), [(texts[i], texts[j]) for i, j in np.argwhere(over)[:3]]
    frames = np.array([axes.get_window_extent().extents for axes in figure.axes])
    over = _overlaps(boxes[len(within) :], frames)
    assert not over.any(), [beside[i].get_text() for i, _ in np.argwhere(over)[:3]]
    assert not (_overlaps(frames, frames) & ~np.eye(len(frames), dtype=bool)).any()


def _place(figure: Figure) -> None:
    """Put every text where it will be drawn, without the cost of drawing it."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    for axes in figure.axes:
        axes.get_tightbbox(renderer)
    for legend in _legends(figure):
        legend.draw(renderer)


def assert_saves(figure: Figure) -> None:
    """Check that a figure can be saved in every format without a warning."""
    for suffix in ("png", "svg", "pdf"):
        file = BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure.savefig(file, format=suffix)
        assert len(file.getvalue()) > 5000


def _beside(figure: Figure) -> Iterator[Text]:
    yield from (text for text in figure.texts if text.get_text())
    yield from (text for legend in _legends(figure) for text in legend.get_texts())
    for axes in figure.axes:
        yield from (text for text in (axes.title, axes._left_title) if text.get_text())  # type: ignore[attr-defined]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                for label in (tick.label1, tick.label2):
                    if label.get_text() and label.get_visible() and low <= tick.get_loc() <= high:
                        yield label
            if axis.label.get_text():
                yield axis.label


def _legends(figure: Figure) -> list[Legend]:
    return [legend for part in (figure, *figure.subfigs) for legend in part.legends]


def _boxes(texts: list[Text]) -> NDArray[np.float64]:
    return np.array([text.get_window_extent().extents for text in texts])


def _overlaps(ones: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which boxes (left, bottom, right, top) share more than half a pixel."""
    a, b = ones[:, None], others[None]
    apart = (a[..., :2] >= b[..., 2:] - 0.5) | (b[..., :2] >= a[..., 2:] - 0.5)
    return np.asarray(~apart.any(axis=-1))
