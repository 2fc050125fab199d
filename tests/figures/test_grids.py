from typing import Any

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from drawn import assert_readable, filled, hatched, inside, key
from primefourier import PAPER_BASIS
from primefourier.figures import DropMatrix, draw_drop_matrices, draw_heatmap
from primefourier.figures.style import EXCLUDED, contrasting, write_short

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
    assert inside(heatmap(format=".1%").axes[0])[0] == f"{FULL[0, 0]:.1%}"


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
    ("value", "arrows"), [(0.5, "neither"), (-1.0, "min"), (2.0, "max"), (np.nan, "neither")]
)
def test_the_colour_bar_has_an_arrow_where_values_exceed_it(value: float, arrows: str) -> None:
    one = heatmap(np.array([[value]]), rows=[4], columns=[100])
    assert one.axes[1]._colorbar.extend == arrows  # type: ignore[attr-defined]
    both = heatmap(np.array([[-1.0, 2.0]]), rows=[4], columns=[100, 500])
    assert both.axes[1]._colorbar.extend == "both"  # type: ignore[attr-defined]


def test_marks_stand_below_the_values_they_belong_to() -> None:
    marks = [[f"{i}/{j}" for j in range(5)] for i in range(7)]
    places = {x.get_text(): x.get_position() for x in heatmap(marks=marks).axes[0].texts}
    for i in range(7):
        for j in range(5):
            x, y = places[f"{i}/{j}"]
            assert (x, round(y)) == (j, i)
            assert y > i
    assert "6/4" not in inside(
        heatmap(np.where(FULL[6, 4] == FULL, np.nan, FULL), marks=marks).axes[0]
    )


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
    assert inside(figure.axes[0]).count("×") == len(filled(figure.axes[0], EXCLUDED["facecolor"]))
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
        {},
        {"values": PART, "caption": CAPTION, "marks": [["± 0.01"] * 5] * 7},
        {"values": FULL * np.nan, "caption": CAPTION},
        {"values": PART, "excluded": FULL < 0.2, "title": CAPTION, "measure": CAPTION},
        {"values": FULL * 1e6, "format": ",.3f", "limits": (-100000, 12345), "caption": "x"},
        {"values": [[0.5]], "rows": ["one"], "columns": ["a"], "row_label": "number of primes |P|"},
        {"values": FULL[:1], "rows": ["N = 385 = 5 · 7 · 11"], "marks": [["12 seeds of 15"] * 5]},
        {"values": FULL, "columns": [10**12 + i for i in range(5)], "column_label": CAPTION},
        {"values": np.full((16, 16), 0.5), "rows": range(16), "columns": range(16)},
    ],
)
def test_every_heatmap_can_be_read(options: dict[str, Any]) -> None:
    assert_readable(heatmap(**options))


def test_wrong_heatmaps_are_refused() -> None:
    with pytest.raises(ValueError, match=r"values must have shape \(7, 5\), got \(6, 5\)"):
        heatmap(FULL[:6])
    with pytest.raises(ValueError, match=r"excluded must have shape \(7, 5\)"):
        heatmap(excluded=[[True]])
    with pytest.raises(ValueError, match=r"marks must have shape \(7, 5\)"):
        heatmap(marks=[["a"]])
    with pytest.raises(ValueError, match="limits must be finite and ascend, got 1 and 0"):
        heatmap(limits=(1, 0))
    with pytest.raises(ValueError, match="needs rows and columns, got 0 and 5"):
        heatmap(rows=[])


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
    assert bar.get_xlabel() == "drop of test accuracy"
    assert_readable(figure)
    for axes, panel in zip(panels, SEVEN, strict=True):
        assert inside(axes) == [write_short(drop) for drop in np.ravel(panel.drops)]
        assert axes.get_title("left") == panel.name
        box, inches = axes.get_window_extent(), len(panel.primes) * figure.dpi
        assert box.width == pytest.approx(box.height)
        assert box.width / inches > 0.29
    width, height = figure.get_size_inches()
    assert 1 <= height / width <= 1.6, "it fills a page of a paper"


@pytest.mark.parametrize(
    "panels",
    [
        SEVEN,
        SEVEN[-1:],
        SEVEN[:1],
        [DropMatrix("nothing yet", PRIMES, np.full((16, 16), np.nan)), SEVEN[0]],
        [DropMatrix("a name much wider than its panel is", (3, 5), [[-1, 2], [1, -9]]), *SEVEN[:3]],
        [DropMatrix("large", (10007, 10009, 100003), np.ones((3, 3)))] * 9,
    ],
)
def test_all_matrices_can_be_read(panels: list[DropMatrix]) -> None:
    assert_readable(page(panels))


def test_every_value_stands_inside_its_cell() -> None:
    panel = DropMatrix("extremes", PRIMES, np.linspace(-1.5, 1.5, 256).reshape(16, 16))
    figure = page([panel])
    assert_readable(figure)
    axes = figure.axes[0]
    cell = axes.get_window_extent().width / 16
    assert all(text.get_window_extent().width < cell for text in axes.texts)


def test_wrong_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one DropMatrix, got none"):
        page([])
    with pytest.raises(ValueError, match=r"drops of two must have shape \(2, 2\), got \(1, 2\)"):
        DropMatrix("two", (3, 5), [[1, 2]])
    with pytest.raises(ValueError, match="got 9 = 3²"):
        DropMatrix("two", (3, 9), np.eye(2))
