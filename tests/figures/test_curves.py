import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from primefourier.figures.curves import Look, draw_curve, few, looks

NAN = math.nan
BLACK = Look("black", "s")


def empty() -> Axes:
    return Figure().add_subplot()


def ink(axes: Axes) -> int:
    """Return how many pixels are not white."""
    axes.set_axis_off()
    canvas = FigureCanvasAgg(axes.figure)  # type: ignore[arg-type]
    canvas.draw()
    return int((np.asarray(canvas.buffer_rgba())[..., :3] < 255).any(axis=-1).sum())


def test_names_have_looks_of_their_own_in_order_of_appearance() -> None:
    found = looks("abcdefghij" * 2)
    assert list(found) == list("abcdefghij")
    assert len({look.color for look in found.values()}) == 10
    assert len({look.marker for look in found.values()}) == 8
    assert looks("a")["a"] == found["a"]


def test_few_points_have_markers_and_error_bars() -> None:
    axes = empty()
    draw_curve(axes, range(12), [0.5] * 12, [(0.4, 0.6)] * 12, BLACK)
    assert few(range(12))
    assert axes.lines[-1].get_marker() == "s"
    (bars,) = axes.collections
    assert isinstance(bars, LineCollection)
    assert len(bars.get_segments()) == 12


def test_many_points_have_a_band_that_breaks_at_gaps() -> None:
    axes = empty()
    pairs = [(0.4, 0.6)] * 6 + [(NAN, NAN)] + [(0.3, 0.7)] * 6
    draw_curve(axes, range(13), [0.5] * 13, pairs, BLACK)
    (band,) = axes.collections
    assert isinstance(band, PolyCollection)
    first, second = (np.asarray(path.vertices) for path in band.get_paths())
    assert (first[:, 0].max(), second[:, 0].min()) == (5, 7)
    assert (first[:, 1].min(), first[:, 1].max()) == (0.4, 0.6)
    assert (second[:, 1].min(), second[:, 1].max()) == (0.3, 0.7)
    (line,) = axes.lines
    assert line.get_marker() == "None"


def test_a_point_between_gaps_is_seen() -> None:
    ys = [NAN] * 13
    axes = empty()
    draw_curve(axes, range(13), ys, None, BLACK)
    assert ink(axes) == 0
    ys[3] = 0.5
    axes = empty()
    draw_curve(axes, range(13), ys, None, BLACK)
    assert axes.lines[0].get_markevery() == [3]
    assert ink(axes) > 0


def test_an_interval_between_gaps_is_an_error_bar() -> None:
    pairs = [(NAN, NAN)] * 13
    pairs[3] = (0.4, 0.6)
    axes = empty()
    draw_curve(axes, range(13), [0.5] * 13, pairs, BLACK)
    (bar,) = (x for x in axes.collections if isinstance(x, LineCollection))
    assert np.allclose(bar.get_segments(), [[[3, 0.4], [3, 0.6]]])
