import math
from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

from drawn import around, assert_readable, inside, key
from primefourier.figures import Line, Panel, draw_drop_lines, draw_panels
from primefourier.figures.lines import Scale

NAN = math.nan
RANGES = (100, 500, 1000, 2000, 4000)
CAPTION = "Means over the task primes of experiment 1. " * 9


def line(number: int, count: int = 6, *, intervals: bool = True, height: float = 1.0) -> Line:
    ys = height * np.random.default_rng(number).uniform(0.1, 0.9, count)
    ends = [(y - 0.1 * height, y + 0.05 * height) for y in ys]
    return Line(f"r = {RANGES[number]}", range(count), ys, ends if intervals else None)


def by_depth(number: int) -> Panel:
    return Panel(f"panel {number}", "drop", [line(k, height=10.0**-number) for k in range(5)])


def by_epoch(number: int) -> Panel:
    return Panel(f"panel {number}", "loss", [line(k, 41, height=10.0**number) for k in range(5)])


EPOCHS = [by_epoch(number) for number in range(4)]


def draw(
    *panels: Panel, across: str = "depth", scale: Scale = "linear", columns: int = 2
) -> Figure:
    return draw_panels(
        panels, title="Drop", caption=CAPTION, across=across, scale=scale, columns=columns
    )


def drawn(figure: Figure, panel: int) -> list[Line2D]:
    """Return the lines of a panel, without the caps of error bars and the line at 0."""
    lines = figure.axes[panel].lines
    return [x for x in lines if x.get_marker() not in ("_", 2, 3) and x.get_linewidth() > 1]


def bars(figure: Figure, panel: int) -> list[LineCollection]:
    return [x for x in figure.axes[panel].collections if isinstance(x, LineCollection)]


def bands(figure: Figure, panel: int) -> list[PolyCollection]:
    return [x for x in figure.axes[panel].collections if isinstance(x, PolyCollection)]


def assert_drawn(figure: Figure, panels: Sequence[Panel]) -> None:
    """Check that each panel shows exactly the points that its lines have."""
    for i, panel in enumerate(panels):
        for shown, given in zip(drawn(figure, i), panel.lines, strict=True):
            assert np.allclose(np.asarray(shown.get_xdata()), given.xs, atol=0.15)
            assert np.asarray(shown.get_ydata()).tolist() == np.asarray(given.ys).tolist()


def test_every_panel_has_its_lines_heading_and_label() -> None:
    panels = [by_depth(number) for number in range(3)]
    figure = draw(*panels)
    assert_drawn(figure, panels)
    assert [axes.get_ylabel() for axes in figure.axes] == ["drop"] * 3
    assert [axes.get_title("left") for axes in figure.axes] == ["panel 0", "panel 1", "panel 2"]
    assert CAPTION.strip() in around(figure)
    assert key(figure) == [f"r = {r}" for r in RANGES]
    with pytest.raises(AssertionError):
        assert_drawn(figure, panels[::-1])


def test_panels_stand_row_by_row_and_the_lowest_of_a_column_names_x() -> None:
    figure = draw(*(by_depth(number) for number in range(3)))
    FigureCanvasAgg(figure).draw()
    boxes = [axes.get_window_extent() for axes in figure.axes]
    assert boxes[0].y0 == boxes[1].y0 > boxes[2].y1
    assert boxes[0].x0 == boxes[2].x0 < boxes[1].x0
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "depth", "depth"]


def test_x_is_shared_and_y_is_not() -> None:
    short = Panel("short", "y", [Line("a", (2, 3), [50, -50])])
    figure = draw(short, by_depth(1))
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
    low, high = figure.axes[0].get_ylim()
    assert low < -50 < 50 < high
    assert figure.axes[1].get_ylim()[1] < 0.12


def test_a_name_looks_the_same_in_every_panel() -> None:
    a, b, c = (Line(name, (0, 1), [0.1, 0.2]) for name in "abc")
    figure = draw(Panel("1", "y", [a, b]), Panel("2", "y", [c, b, a]))
    first, second = drawn(figure, 0), drawn(figure, 1)
    looks = {x: (str(x.get_color()), x.get_marker()) for x in [*first, *second]}
    assert looks[first[0]] == looks[second[2]]
    assert looks[first[1]] == looks[second[1]]
    assert len(set(looks.values())) == 3
    assert key(figure) == ["a", "b", "c"]
    handles = [x for x in figure.subfigs[0].legends[0].get_lines() if isinstance(x, Line2D)]
    assert [str(x.get_color()) for x in handles] == [
        looks[x][0] for x in (first[0], first[1], second[0])
    ]


def test_error_bars_stand_on_points_that_are_moved_aside_a_little() -> None:
    panel = by_depth(0)
    figure = draw(panel)
    FigureCanvasAgg(figure).draw()
    stands = []
    for bar, shown, given in zip(bars(figure, 0), drawn(figure, 0), panel.lines, strict=True):
        ends = np.array(bar.get_segments())
        assert np.allclose(ends[:, 0, 0], np.asarray(shown.get_xdata()))
        assert np.allclose(ends[:, :, 1], np.array(given.intervals))
        points = np.column_stack([shown.get_xdata(), shown.get_ydata()])
        stands.append(shown.get_transform().transform(points)[:, 0])
        assert bar.get_transform().transform(points)[:, 0] == pytest.approx(stands[-1])
    assert (np.diff(stands, axis=0) > 1).all(), "in the order of the key"
    true = figure.axes[0].transData.transform([(x, 0) for x in range(6)])[:, 0]
    assert np.allclose(np.mean(stands, axis=0), true), "around where they belong"
    assert np.ptp(stands, axis=0).max() < 0.2 * np.diff(true).min()


def test_long_lines_have_bands_instead_of_markers_and_error_bars() -> None:
    figure = draw(*EPOCHS, across="epoch")
    assert_drawn(figure, EPOCHS)
    for i, panel in enumerate(EPOCHS):
        assert bars(figure, i) == []
        assert not any(np.asarray(x.get_markevery()).any() for x in drawn(figure, i))
        for band, shown, given in zip(bands(figure, i), drawn(figure, i), panel.lines, strict=True):
            corners = np.asarray(band.get_paths()[0].vertices)
            lows, highs = np.array(given.intervals).T
            for x, low, high in zip(given.xs, lows, highs, strict=True):
                ys = corners[corners[:, 0] == x, 1]
                assert (ys.min(), ys.max()) == pytest.approx((low, high))
            assert to_rgb(np.asarray(band.get_facecolor())[0]) == to_rgb(shown.get_color())
            assert 0 < band.get_alpha() < 0.5  # type: ignore[operator]
    assert {x.get_marker() for x in figure.subfigs[0].legends[0].get_lines()} == {""}


def test_a_value_and_an_interval_between_gaps_are_seen() -> None:
    ys, pairs = [0.5, NAN] * 10, [(0.4, 0.6), (NAN, NAN)] * 10
    figure = draw(Panel("", "y", [Line("a", range(20), ys, pairs)]))
    (shown,), (bar,) = drawn(figure, 0), bars(figure, 0)
    assert np.asarray(shown.get_markevery()).tolist() == [True, False] * 10
    assert [len(segment) for segment in bar.get_segments()] == [2, 0] * 10


def test_gaps_break_lines() -> None:
    figure = draw(Panel("gap", "y", [Line("a", (0, 1, 2), [0.5, NAN, 0.5])]), by_depth(0))
    ys = np.asarray(drawn(figure, 0)[0].get_ydata(), dtype=float)
    assert np.isnan(ys).tolist() == [False, True, False]
    assert inside(figure.axes[0]) == []


def test_what_is_not_measured_is_said() -> None:
    nothing = Line("r = 500", range(6), [NAN] * 6)
    partly = [line(0), nothing]
    figure = draw(Panel("1", "y", partly), Panel("2", "y", [nothing]), Panel("3", "y", []))
    assert [inside(axes) for axes in figure.axes] == [
        [], ["not measured yet"], ["not measured yet"],
    ]  # fmt: skip
    assert key(figure) == ["r = 100", "r = 500, not measured yet"]
    assert key(draw(Panel("1", "y", partly), Panel("2", "y", [line(1)]))) == ["r = 100", "r = 500"]


@pytest.mark.parametrize(("scale", "edge"), [("linear", 300), ("log", math.sqrt(50_000))])
def test_the_noise_floor_is_a_band_of_steps_where_a_panel_has_one(
    scale: Scale, edge: float
) -> None:
    short = Line("a", (100, 500), [0.1, 0.2])
    with_floor = Panel("1", "y", [short], noise_floor={500: 0.01, 100: 0.03})
    figure = draw(with_floor, Panel("2", "y", [short]), scale=scale)
    (band,) = (patch for patch in figure.axes[0].patches if isinstance(patch, StepPatch))
    values, edges, baseline = band.get_data()
    assert values.tolist() == [0.03, 0.01]
    assert np.asarray(baseline).tolist() == [-0.03, -0.01]
    low, high = figure.axes[0].get_xlim()
    assert edges == pytest.approx([low, edge, high])
    assert not figure.axes[1].patches
    assert key(figure) == ["a", "noise floor"]
    assert key(draw(Panel("2", "y", [short]))) == ["a"]


def test_the_y_axis_sees_what_it_must() -> None:
    flat = Line("a", (0, 1), [0.5, 0.6], [(0.4, 0.7), (NAN, NAN)])
    views = []
    for sees in ((), (0.0,), (0, 1), (-3,)):
        low, high = draw(Panel("", "y", [flat], sees=sees)).axes[0].get_ylim()
        assert low < min((0.4, *sees)) < max((0.7, *sees)) < high
        views.append((low, high))
    assert views[0][0] > 0.3
    assert len(set(views)) == 4


def test_zero_is_drawn_where_values_lie_on_both_sides_of_it() -> None:
    for ys, count in (([0.1, 0.2], 1), ([0.1, -0.2], 2)):
        assert len(draw(Panel("", "y", [Line("a", (0, 1), ys)])).axes[0].lines) == count


LONG = [
    Line(f"a name that is long, number {k} of nine, " * 4, (1, 2), [NAN, NAN]) for k in range(9)
]


@pytest.mark.parametrize(
    ("panels", "scale", "columns"),
    [
        (EPOCHS, "linear", 2),
        ([by_depth(0), by_depth(1)], "linear", 1),
        ([by_depth(5), by_epoch(3), Panel("empty", "y", [])], "linear", 3),
        ([Panel("one point", "y", [Line("a", [7], [0.5])])], "linear", 1),
        ([Panel("one point", "y", [Line("a", [7], [0.0])], noise_floor={7: 0})], "log", 2),
        ([Panel("a long heading " * 6, "a long label " * 9, LONG, sees=())] * 3, "linear", 2),
        ([Panel("a long heading " * 6, "a long label " * 9, LONG, sees=())], "linear", 1),
        ([Panel("dense", "y", [Line("a", range(100, 140), [-1e-7] * 40)])], "log", 1),
        (
            [Panel("large", "y", [Line("a", (0, 10**6, 3 * 10**6), [1e6, -1e6, 0])])] * 2,
            "linear",
            2,
        ),
        ([Panel("parts", "y", [Line("a", (-0.1, 0.05, 0.2), [1, 2, 3])])], "linear", 1),
        ([Panel("only noise", "y", [], noise_floor=dict.fromkeys(RANGES, 0.01))] * 5, "log", 3),
    ],
)
def test_everything_can_be_read(panels: list[Panel], scale: Scale, columns: int) -> None:
    assert_readable(draw(*panels, scale=scale, columns=columns, across="what x is " * 6))


def test_wrong_lines_are_refused() -> None:
    with pytest.raises(ValueError, match=r"xs of a must ascend, got .*; pass them sorted"):
        Line("a", (1, 0), [1, 1])
    with pytest.raises(ValueError, match="xs of a must ascend, got"):
        Line("a", (0, NAN), [1, 1])
    with pytest.raises(ValueError, match=r"ys of a must have shape \(2,\), got \(3,\)"):
        Line("a", (0, 1), [1, 1, 1])
    with pytest.raises(ValueError, match="ys of a must be finite, or NaN"):
        Line("a", (0, 1), [1, math.inf])
    with pytest.raises(ValueError, match=r"intervals of a must have shape \(2, 2\)"):
        Line("a", (0, 1), [1, 1], [(0, 1)])
    with pytest.raises(ValueError, match=r"intervals of a must be \(low, high\)"):
        Line("a", (0,), [1], [(2, 1)])


def test_wrong_panels_are_refused() -> None:
    good = line(0)
    with pytest.raises(ValueError, match=r"noise_floor of p must be .* at least 0, got \[-1\]"):
        Panel("p", "y", [good], noise_floor={0: -1})
    with pytest.raises(ValueError, match=r"at least 0, got \[nan\]; leave out the x"):
        Panel("p", "y", [good], noise_floor={0: NAN})
    for panels, columns in (((), 2), ((by_depth(0),), 0)):
        with pytest.raises(ValueError, match="at least one Panel and one column are required"):
            draw(*panels, columns=columns)
    with pytest.raises(ValueError, match="lines need an x, above 0 on a log scale; got none"):
        draw(Panel("p", "y", []))
    with pytest.raises(ValueError, match=r"above 0 on a log scale; got \[0.0\]"):
        draw(by_depth(0), scale="log")


def test_one_scale_of_y_is_shared_on_request() -> None:
    panels = [Panel(str(y), "drop", [Line("a", (1, 2), [0, y])]) for y in (1.0, -3.0)]
    figure = draw_panels(panels, title="", across="x", share_y=True)
    (limits,) = {axes.get_ylim() for axes in figure.axes}
    assert limits[0] < -3 < 1 < limits[1]
    assert [axes.get_ylabel() for axes in figure.axes] == ["drop", ""]
    assert_readable(figure)


FLOORS = {r: 0.032 if r == 100 else 0.011 for r in RANGES}


def test_drops_against_r_have_two_panels_and_the_noise_floor_beside_other_rows() -> None:
    own = [Line(f"|P| = {n}", RANGES, np.linspace(0.6, 0.05 * n, 5)) for n in (4, 6)]
    others = [Line(f"|P| = {n}", RANGES, np.linspace(0.001, 0.005 * n, 5)) for n in (4, 6)]
    figure = draw_drop_lines(own, others, title="Drops", noise_floor=FLOORS)
    for panel, lines in enumerate((own, others)):
        for shown, given in zip(drawn(figure, panel), lines, strict=True):
            assert np.asarray(shown.get_ydata()).tolist() == np.asarray(given.ys).tolist()
    assert key(figure) == ["|P| = 4", "|P| = 6", "noise floor"]
    assert not figure.axes[0].patches
    (band,) = figure.axes[1].patches
    assert isinstance(band, StepPatch)
    assert band.get_data()[0].tolist() == list(FLOORS.values())
    for axes in figure.axes:
        assert axes.get_xscale() == "log"
        assert [t.get_text() for t in axes.get_xticklabels()] == [str(r) for r in RANGES]
        assert axes.get_xticks(minor=True).size == 0
    assert_readable(figure)
    assert_readable(draw_drop_lines([], [], title="Drops", noise_floor=FLOORS))


def test_labels_too_close_to_each_other_are_left_out_but_not_their_ticks() -> None:
    near = Line("x", (100, 101, 400), [0.1] * 3)
    axes = draw(Panel("", "y", [near]), scale="log").axes[0]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["100", "", "400"]
    assert axes.get_xticks().tolist() == [100, 101, 400]
