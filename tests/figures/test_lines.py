import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

from drawn import around, assert_readable, assert_saves, inside, key
from primefourier.figures import DropLine, draw_drop_lines

RANGES = (100, 500, 1000, 2000, 4000)
FLOORS = {r: 0.032 if r == 100 else 0.011 for r in RANGES}
CAPTION = "Means over the task primes of experiment 1. " * 9
NOTHING = [math.nan] * 5
SIZES = range(4, 13)


def line(size: int, *, intervals: bool = False) -> DropLine:
    diagonal, off = np.linspace(0.6, 0.8, 5), np.linspace(0.01, 0.005 * size, 5)
    ends = [(d - 0.03, d + 0.02) for d in diagonal], [(d - 0.01, d + 0.01) for d in off]
    return DropLine(f"|P| = {size}", RANGES, diagonal, off, *(ends if intervals else ()))


SEVEN = [line(size) for size in range(4, 17, 2)]


def draw(
    series: Sequence[DropLine], floors: Mapping[int, float] = FLOORS, caption: str = CAPTION
) -> Figure:
    return draw_drop_lines(series, title="Drop against r", caption=caption, noise_floor=floors)


def marked(figure: Figure, panel: int) -> list[Line2D]:
    return [x for x in figure.axes[panel].lines if x.get_marker() not in ("None", "_", 2, 3)]


def test_each_panel_has_a_line_for_each_set_of_primes() -> None:
    figure = draw(SEVEN)
    for panel, measure in ((0, "diagonal"), (1, "off_diagonal")):
        lines = marked(figure, panel)
        assert len(lines) == 7
        for drawn, given in zip(lines, SEVEN, strict=True):
            assert np.allclose(np.asarray(drawn.get_xdata()), RANGES)
            assert np.allclose(np.asarray(drawn.get_ydata()), getattr(given, measure))
    assert key(figure) == [*(given.name for given in SEVEN), "noise floor"]
    assert CAPTION.strip() in around(figure)


def test_lines_differ_in_colour_and_in_marker() -> None:
    lines = marked(draw(SEVEN), 0)
    assert len({str(x.get_color()) for x in lines}) == len({x.get_marker() for x in lines}) == 7


def test_the_axis_is_logarithmic_with_the_ranges_as_ticks() -> None:
    for axes in draw(SEVEN).axes:
        assert axes.get_xscale() == "log"
        assert axes.get_xticks().tolist() == list(RANGES)
        assert axes.get_xticks(minor=True).size == 0
        assert [t.get_text() for t in axes.get_xticklabels()] == [str(r) for r in RANGES]


def test_labels_too_close_to_each_other_are_left_out_but_not_their_ticks() -> None:
    axes = draw([DropLine("x", (100, 101, 400), [0.1] * 3, [0.1] * 3)], {}).axes[0]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["100", "", "400"]
    assert axes.get_xticks().tolist() == [100, 101, 400]


def test_the_noise_floor_is_a_band_of_steps_beside_the_off_diagonal_drops_only() -> None:
    left, right = draw(SEVEN).axes
    assert not [patch for patch in left.patches if isinstance(patch, StepPatch)]
    (band,) = (patch for patch in right.patches if isinstance(patch, StepPatch))
    values, edges, baseline = band.get_data()
    assert values.tolist() == list(FLOORS.values())
    assert np.allclose(np.asarray(baseline), -values)
    for r, low, high in zip(RANGES, edges, edges[1:], strict=False):
        assert low < r < high


def test_gaps_break_the_line() -> None:
    figure = draw([DropLine("gap", RANGES, [0.5, 0.5, math.nan, 0.6, 0.6], NOTHING)])
    assert np.isnan(np.asarray(marked(figure, 0)[0].get_ydata(), dtype=float)).tolist() == [
        False, False, True, False, False,
    ]  # fmt: skip
    assert inside(figure.axes[0]) == []
    assert inside(figure.axes[1]) == ["not measured yet"]


def test_what_is_not_measured_at_all_is_said() -> None:
    figure = draw([SEVEN[0], DropLine("|P| = 6", RANGES, NOTHING, NOTHING)])
    assert key(figure) == ["|P| = 4", "|P| = 6, not measured yet", "noise floor"]
    assert [inside(axes) for axes in draw([]).axes] == [["not measured yet"]] * 2


def test_error_bars_stand_on_the_points_they_belong_to() -> None:
    series = [line(4, intervals=True), line(6, intervals=True)]
    figure = draw(series)
    bars = [x for x in figure.axes[0].collections if isinstance(x, LineCollection)]
    for bar, drawn, given in zip(bars, marked(figure, 0), series, strict=True):
        ends = np.array(bar.get_segments())
        assert np.allclose(ends[:, 0, 0], np.asarray(drawn.get_xdata()))
        assert np.allclose(ends[:, :, 1], np.array(given.diagonal_intervals))
        assert np.allclose(np.asarray(drawn.get_xdata()), RANGES, rtol=0.02)
    assert ends[0, 0, 0] != bars[0].get_segments()[0][0, 0], "lines stand beside each other"


@pytest.mark.parametrize(
    ("series", "floors"),
    [
        (SEVEN, FLOORS),
        ([line(size, intervals=True) for size in range(4, 17, 2)], FLOORS),
        ([], FLOORS),
        (SEVEN[:1], {}),
        ([DropLine("one", [7], [0.5], [-0.0001])], {7: 0.00001}),
        (
            [DropLine(f"|P| = {n}, a long name " * 2, RANGES, NOTHING, NOTHING) for n in SIZES],
            FLOORS,
        ),
        ([DropLine("dense", range(100, 140), [-0.5] * 40, [0.9] * 40)], {}),
    ],
)
def test_everything_can_be_read(series: list[DropLine], floors: dict[int, float]) -> None:
    assert_readable(draw(series, floors))


def test_it_is_saved_in_every_format() -> None:
    assert_saves(draw([line(4, intervals=True), SEVEN[2]]))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="ranges of x must ascend"):
        DropLine("x", (500, 100), [1, 1], [1, 1])
    with pytest.raises(ValueError, match="diagonal of x must have 1 rows of 2, got 1 rows of 1"):
        DropLine("x", (100, 500), [1], [1, 1])
    with pytest.raises(ValueError, match="intervals of off_diagonal of x must have 2 rows of 2"):
        DropLine("x", (100, 500), [1, 1], [1, 1], off_diagonal_intervals=[(0, 1)])
    with pytest.raises(ValueError, match="input ranges must be at least 1, got none"):
        draw([], {})
    with pytest.raises(ValueError, match="an input range must be an integer of at least 1, got 0"):
        DropLine("x", (0,), [1], [1])
