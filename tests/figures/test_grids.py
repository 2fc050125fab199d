from collections import Counter
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from drawn import assert_readable, filled, hatched, inside, key
from primefourier import PAPER_BASIS
from primefourier.figures import DropMatrix, draw_drop_matrices, draw_heatmap
from primefourier.figures.style import ERRORS, EXCLUDED, NOISE, contrasting, write_short

SIZES, RANGES = [4, 6, 8, 10, 12, 14, 16], [100, 500, 1000, 2000, 4000]
FULL = np.random.default_rng(0).uniform(-0.1, 1, (7, 5))
PART = np.where(FULL > 0.7, np.nan, FULL)
CAPTION = "Drop of test accuracy when the row of the task prime is set to zero; 350 models. " * 6


def heatmap(values: NDArray[np.float64] = FULL, **options: Any) -> Figure:
    plain: dict[str, Any] = {
        "rows": SIZES, "columns": RANGES, "title": "Diagonal drop", "row_label": "|P|",
        "column_label": "input range r",
    }  # fmt: skip
    return draw_heatmap(values, **(plain | options))


def test_every_cell_says_its_value_in_order() -> None:
    texts = inside(heatmap().axes[0])
    assert [float(text.replace("−", "-")) for text in texts] == pytest.approx(
        FULL.ravel().tolist(), abs=0.005
    )


def test_cells_have_the_colour_of_their_value_within_the_limits() -> None:
    axes = heatmap(limits=(0, 0.5)).axes[0]
    (mesh,) = (x for x in axes.collections if isinstance(x, QuadMesh))
    assert mesh.get_clim() == (0, 0.5)
    assert np.allclose(np.asarray(mesh.get_array()).reshape(7, 5), FULL)
    colors = mesh.to_rgba(FULL)
    for text in axes.texts:
        x, y = text.get_position()
        assert text.get_color() == contrasting(tuple(colors[round(y), round(x)]))


@pytest.mark.parametrize(
    ("values", "arrows"),
    [([0.5, np.nan], "neither"), ([-1.0, 0], "min"), ([2.0, 0], "max"), ([-1.0, 2.0], "both")],
)
def test_the_colour_bar_has_an_arrow_where_values_exceed_it(
    values: list[float], arrows: str
) -> None:
    figure = heatmap(np.array([values]), rows=[4], columns=[100, 500])
    assert figure.axes[1]._colorbar.extend == arrows  # type: ignore[attr-defined]


def test_texts_stand_in_their_cells_with_a_small_second_line() -> None:
    texts = [[f"{i} of {j}\n{i}/{j}" for j in range(5)] for i in range(7)]
    found = {x.get_text(): x for x in heatmap(texts=texts).axes[0].texts}
    for i in range(7):
        for j in range(5):
            (x, y), (a, b) = (found[f"{i}{word}{j}"].get_position() for word in (" of ", "/"))
            assert (x, round(y), a, round(b)) == (j, i, j, i)
            assert y < i < b
    assert float(found["0/0"].get_fontsize()) < float(found["0 of 0"].get_fontsize())
    assert "6/4" not in inside(
        heatmap(np.where(FULL[6, 4] == FULL, np.nan, FULL), texts=texts).axes[0]
    )


def test_cells_below_the_noise_floor_are_grey_with_their_value() -> None:
    figure = heatmap(PART, noise=FULL < 0.2)
    faint = (FULL < 0.2).sum()
    assert len(filled(figure.axes[0], NOISE)) == faint > 3
    assert len(inside(figure.axes[0])) == (~np.isnan(PART)).sum()
    assert key(figure) == ["below the noise floor", "not measured yet"]
    x, y = np.argwhere(FULL.T < 0.2)[0]
    (text,) = (t for t in figure.axes[0].texts if t.get_position() == (x, y))
    assert text.get_color() == "black"
    assert key(heatmap(noise=np.isnan(PART), values=PART)) == ["not measured yet"]


def test_points_stand_on_the_scale_of_the_colour_bar_in_their_cell() -> None:
    points = [[(0.0, 0.25, 0.5, 9.0) if i == j else () for j in range(5)] for i in range(7)]
    figure = heatmap(points=points, limits=(0, 0.5))
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    for i, line in enumerate(dots):
        assert np.asarray(line.get_xdata()) == pytest.approx([i - 0.4, i, i + 0.4, i + 0.4])
        assert np.asarray(line.get_ydata()) == pytest.approx(i, abs=0.5)
    assert len(dots) == 5
    assert key(figure) == ["one seed, from 0 to 0.5 across the cell"]
    assert_readable(figure)


def test_gaps_of_a_heatmap_are_hatched_and_explained() -> None:
    figure = heatmap(PART)
    assert len(hatched(figure.axes[0])) == np.isnan(PART).sum() > 3
    assert len(inside(figure.axes[0])) == (~np.isnan(PART)).sum()
    assert key(figure) == ["not measured yet"]
    assert key(heatmap()) == []


def test_excluded_cells_are_crossed_and_explained() -> None:
    out = np.zeros((7, 5), dtype=bool)
    out[0, :2] = True
    figure = heatmap(FULL, excluded=out)
    assert len(filled(figure.axes[0], EXCLUDED["facecolor"])) == 2
    crosses = [x.get_position() for x in figure.axes[0].texts if x.get_text() == "×"]
    assert crosses == [(0, 0), (1, 0)]
    assert key(figure) == ["× left out on purpose"]
    assert len(key(heatmap(PART, excluded=out))) == 2
    assert key(heatmap(np.full((7, 5), np.nan), excluded=np.ones((7, 5)))) == [
        "× left out on purpose"
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"values": PART, "caption": CAPTION, "texts": [["0.42\n0.21–0.63"] * 5] * 7},
        {"values": PART, "excluded": FULL < 0.2, "title": CAPTION, "measure": CAPTION},
        {"values": FULL * 1e6, "limits": (-100000, 12345), "caption": "x"},
        {"values": FULL, "noise": FULL < 0.4, "points": [[(0.1, 0.9)] * 5] * 7, "cmap": ERRORS},
        {"values": [[0.5]], "rows": ["one"], "columns": ["a"], "row_label": "number of primes |P|"},
        {"values": FULL[:1], "rows": ["N = 385 = 5 · 7 · 11"], "texts": [["12\nseeds of 15"] * 5]},
        {"values": FULL, "columns": [10**12 + i for i in range(5)], "column_label": CAPTION},
    ],
)
def test_every_heatmap_can_be_read(options: dict[str, Any]) -> None:
    assert_readable(heatmap(**options))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"values": FULL[:6]}, r"values must have shape \(7, 5\), got \(6, 5\)"),
        ({"excluded": [[True]]}, r"excluded must have shape \(7, 5\)"),
        ({"noise": [[True]]}, r"noise must have shape \(7, 5\)"),
        ({"texts": [["a"]]}, r"texts must have shape \(7, 5\)"),
        ({"limits": (1, 0)}, "limits must be finite and ascend, got 1 and 0"),
        ({"rows": []}, "needs rows and columns, got 0 and 5"),
    ],
)
def test_wrong_heatmaps_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        heatmap(**options)


PRIMES = PAPER_BASIS.primes
NOTE = "One model for each task prime; noise floor 0.032; seed 42. " * 8


def drops(size: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(size)
    return rng.normal(0.03, 0.03, (size, size)) + np.diag(rng.uniform(0.5, 0.9, size))


SEVEN = [DropMatrix(f"|P| = {n}", PRIMES[:n], drops(n)) for n in range(4, 17, 2)]


def page(panels: list[DropMatrix], caption: str = NOTE) -> Figure:
    return draw_drop_matrices(panels, title="Profiles, r = 100", caption=caption)


def test_a_page_has_all_panels_with_square_cells_and_one_colour_bar() -> None:
    figure = page(SEVEN)
    *panels, bar = figure.axes
    assert len(panels) == 7
    assert bar.get_xlabel() == "drop of test accuracy", "it fills the place of an eighth panel"
    assert_readable(figure)
    for axes, panel in zip(panels, SEVEN, strict=True):
        assert inside(axes) == [write_short(drop) for drop in np.ravel(panel.drops)]
        assert axes.get_title("left") == panel.name
        box, inches = axes.get_window_extent(), len(panel.primes) * figure.dpi
        assert box.width == pytest.approx(box.height)
        assert box.width / inches > 0.24
    boxes = [axes.get_window_extent() for axes in panels]
    assert np.ptp([box.width for box in boxes]) < 3, "all panels have one size"
    for i, box in enumerate(boxes):
        assert (box.x0, box.y0) == pytest.approx((boxes[i % 4].x0, boxes[i // 4 * 4].y0), abs=3)
    width, height = figure.get_size_inches()
    assert 1.5 <= width / height <= 2, "it fills a slide"


@pytest.mark.parametrize(("count", "rows"), [(1, [1]), (5, [3, 2]), (8, [4, 4])])
def test_panels_fill_rows_of_at_most_four(count: int, rows: list[int]) -> None:
    figure = page([DropMatrix("two", (3, 5), [[0.6, 0.1], [0.1, 0.6]])] * count)
    assert_readable(figure)
    tops = Counter(round(axes.get_position().y1, 2) for axes in figure.axes[:count])
    assert list(tops.values()) == rows


def test_drops_below_the_noise_floor_are_grey_without_a_number() -> None:
    figure = page([DropMatrix("two", (3, 5), [[0.6, -0.01], [np.nan, 0.02]], 0.015)])
    assert inside(figure.axes[0]) == [".60", ".02"]
    assert len(filled(figure.axes[0], NOISE)) == 1
    assert key(figure) == ["below the noise floor", "not measured yet"]


@pytest.mark.parametrize(
    "panels",
    [
        [DropMatrix("nothing yet", PRIMES[:8], np.full((8, 8), np.nan)), SEVEN[0]],
        [DropMatrix("a name much wider than its panel is", (3, 5), [[-1, 2], [1, -9]]), *SEVEN[:3]],
        [DropMatrix("large", (10007, 10009, 100003), np.ones((3, 3)))] * 9,
    ],
)
def test_all_matrices_can_be_read(panels: list[DropMatrix]) -> None:
    assert_readable(page(panels))


def test_every_value_stands_inside_its_cell() -> None:
    panel = DropMatrix("extremes", PRIMES[:8], np.linspace(-1.5, 1.5, 64).reshape(8, 8))
    figure = page([panel])
    assert_readable(figure)
    axes = figure.axes[0]
    cell = axes.get_window_extent().width / 8
    assert all(text.get_window_extent().width < cell for text in axes.texts)


def test_wrong_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one DropMatrix, got none"):
        page([])
    with pytest.raises(ValueError, match=r"drops of two must have shape \(2, 2\), got \(1, 2\)"):
        DropMatrix("two", (3, 5), [[1, 2]])
    with pytest.raises(ValueError, match="got 9 = 3²"):
        DropMatrix("two", (3, 9), np.eye(2))
