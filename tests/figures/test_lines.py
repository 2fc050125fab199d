import math

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

from drawn import assert_readable, inside, key
from primefourier.figures import Line, Panel, draw_panels
from primefourier.figures.lines import Scale

NAN = math.nan
RANGES = (100, 500, 1000, 2000, 4000)
CAPTION = "Means over the task primes of experiment 1. " * 9


def line(number: int, count: int = 6, *, height: float = 1.0) -> Line:
    ys = height * np.random.default_rng(number).uniform(0.1, 0.9, (count, 3))
    return Line(f"r = {RANGES[number]}", range(count), ys)


def by_depth(number: int) -> Panel:
    return Panel(f"panel {number}", "drop", [line(k, height=10.0**-number) for k in range(5)])


def by_epoch(number: int) -> Panel:
    return Panel(f"panel {number}", "loss", [line(k, 41, height=10.0**number) for k in range(5)])


def draw(
    *panels: Panel, across: str = "depth", scale: Scale = "linear", columns: int = 2
) -> Figure:
    return draw_panels(
        panels, title="Drop", caption=CAPTION, across=across, scale=scale, columns=columns
    )


def drawn(figure: Figure, panel: int, *, least: float = 1) -> list[Line2D]:
    """Return the lines of a panel; those thinner than 1 are single values, or the line at 0."""
    return [x for x in figure.axes[panel].lines if x.get_linewidth() >= least]


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


def test_several_values_are_dots_behind_the_line_of_their_mean() -> None:
    ys = [[0.1, 0.3, NAN], [0.5, 0.6, 0.7], [NAN, NAN, NAN]]
    figure = draw(Panel("", "y", [Line("a", (1, 2, 3), ys)]))
    *dots, mean = drawn(figure, 0, least=0)
    assert np.allclose(np.array([x.get_ydata() for x in dots], float).T, ys, equal_nan=True)
    assert np.allclose(np.asarray(mean.get_ydata(), float), [0.2, 0.6, NAN], equal_nan=True)
    assert {(x.get_marker(), x.get_linewidth()) for x in dots} == {("o", 0)}
    assert all(x.get_zorder() < mean.get_zorder() for x in dots)
    assert {x.get_color() for x in dots} == {mean.get_color()}
    assert figure.axes[0].get_ylim()[1] > 0.7
    assert key(figure) == ["a", "one seed"]


def test_a_single_column_has_no_dots() -> None:
    figure = draw(Panel("", "y", [Line("a", (1, 2), [[0.1], [0.5]])]))
    assert [list(map(float, x.get_ydata())) for x in drawn(figure, 0, least=0)] == [[0.1, 0.5]]  # type: ignore[arg-type]
    assert key(figure) == ["a"]


def test_what_is_not_measured_is_said() -> None:
    nothing = Line("r = 500", range(6), [NAN] * 6)
    partly = [line(0), nothing]
    figure = draw(Panel("1", "y", partly), Panel("2", "y", [nothing]), Panel("3", "y", []))
    assert [inside(axes) for axes in figure.axes] == [
        [], ["not measured yet"], ["not measured yet"],
    ]  # fmt: skip
    assert key(figure) == ["r = 100", "r = 500, not measured yet", "one seed"]
    assert key(draw(Panel("1", "y", partly), Panel("2", "y", [line(1)]))) == [
        "r = 100",
        "r = 500",
        "one seed",
    ]


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


LONG = [
    Line(f"a name that is long, number {k} of nine, " * 4, (1, 2), [NAN, NAN]) for k in range(9)
]


@pytest.mark.parametrize(
    ("panels", "scale", "columns"),
    [
        ([by_depth(5), by_epoch(3), Panel("empty", "y", [])], "linear", 3),
        ([Panel("one point", "y", [Line("a", [7], [0.0])], noise_floor={7: 0})], "log", 2),
        ([Panel("a long heading " * 6, "a long label " * 9, LONG, sees=())], "linear", 1),
        ([Panel("dense", "y", [Line("a", range(100, 140), [-1e-7] * 40)])], "log", 1),
        (
            [Panel("large", "y", [Line("a", (0, 10**6, 3 * 10**6), [1e6, -1e6, 0])])] * 2,
            "linear",
            2,
        ),
        ([Panel("only noise", "y", [], noise_floor=dict.fromkeys(RANGES, 0.01))] * 5, "log", 3),
    ],
)
def test_everything_can_be_read(panels: list[Panel], scale: Scale, columns: int) -> None:
    assert_readable(draw(*panels, scale=scale, columns=columns, across="what x is " * 6))


@pytest.mark.parametrize(
    ("xs", "ys", "words"),
    [
        ((1, 0), [1, 1], r"xs of a must ascend, got .*; pass them sorted"),
        ((0, NAN), [1, 1], "xs of a must ascend, got"),
        ((0, 1), [1, 1, 1], r"ys of a must have shape \(2,\), got \(3,\)"),
        ((0, 1), [1, math.inf], "ys of a must be finite, or NaN"),
        ((0, 1), [(1, 1)] * 3, r"ys of a must have shape \(2, 2\), got \(3, 2\)"),
    ],
)
def test_wrong_lines_are_refused(xs: tuple[float, ...], ys: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Line("a", xs, ys)


def test_wrong_panels_are_refused() -> None:
    for panels, columns in (((), 2), ((by_depth(0),), 0)):
        with pytest.raises(ValueError, match="at least one Panel and one column are required"):
            draw(*panels, columns=columns)
    with pytest.raises(ValueError, match="lines need an x, above 0 on a log scale; got none"):
        draw(Panel("p", "y", []))
    with pytest.raises(ValueError, match=r"above 0 on a log scale; got \[0.0\]"):
        draw(by_depth(0), scale="log")


def test_labels_too_close_to_each_other_are_left_out_but_not_their_ticks() -> None:
    near = Line("x", (100, 101, 400), [0.1] * 3)
    axes = draw(Panel("", "y", [near]), scale="log").axes[0]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["100", "", "400"]
    assert axes.get_xticks().tolist() == [100, 101, 400]
