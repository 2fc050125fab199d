import math

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from primefourier.figures.intervals import draw_intervals, read_intervals


def test_error_bars_reach_from_the_lower_to_the_upper_end() -> None:
    axes = Figure().add_subplot()
    draw_intervals(axes, [1, 2, 3], [(0.1, 0.4), (math.nan, 1), (0.5, 0.5)], "black")
    (bars,) = (artist for artist in axes.collections if isinstance(artist, LineCollection))
    ends = [np.asarray(segment) for segment in bars.get_segments()]
    assert np.allclose(ends, [[[1, 0.1], [1, 0.4]], [[3, 0.5], [3, 0.5]]])


def test_no_intervals_draw_nothing() -> None:
    axes = Figure().add_subplot()
    draw_intervals(axes, [1], None, "black")
    draw_intervals(axes, [1], [(math.nan, math.nan)], "black")
    assert not axes.collections


def test_wrong_intervals_are_refused() -> None:
    assert read_intervals(None, 3, "intervals") is None
    with pytest.raises(ValueError, match=r"must be \(low, high\), got \(0.4, 0.1\); swap them"):
        read_intervals([(0.4, 0.1)], 1, "intervals")
    with pytest.raises(ValueError, match="intervals must have 2 rows of 2"):
        read_intervals([(0.1, 0.4)], 2, "intervals")
