import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray

from drawn import around, assert_readable, assert_saves, hatched, inside, key
from primefourier import PAPER_BASIS
from primefourier.figures import DropMatrix, draw_drop_matrices
from primefourier.figures.table import write_short

PRIMES = PAPER_BASIS.primes
CAPTION = "One model for each task prime; noise floor 0.032; seed 42. " * 8


def drops(size: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(size)
    return rng.normal(0.03, 0.03, (size, size)) + np.diag(rng.uniform(0.5, 0.9, size))


SEVEN = [DropMatrix(f"|P| = {n}", PRIMES[:n], drops(n)) for n in range(4, 17, 2)]
GAPS = np.where(drops(6) < 0.03, np.nan, drops(6))


def page(panels: list[DropMatrix], caption: str = CAPTION) -> Figure:
    return draw_drop_matrices(panels, title="Profiles, r = 100", caption=caption)


def test_rows_are_task_primes_and_columns_ablated_rows() -> None:
    table = [[0.9, 0.1], [0.2, 0.8]]
    axes = page([DropMatrix("two", (3, 5), table)]).axes[0]
    where = {text.get_text(): text.get_position() for text in axes.texts}
    assert where == {".90": (0, 0), ".10": (1, 0), ".20": (0, 1), ".80": (1, 1)}
    assert axes.yaxis_inverted()
    assert (" ".join(axes.get_ylabel().split()), " ".join(axes.get_xlabel().split())) == (
        "task prime",
        "ablated row",
    )
    for axis in (axes.xaxis, axes.yaxis):
        assert [label.get_text() for label in axis.get_ticklabels()] == ["3", "5"]


def test_a_page_has_all_panels_with_equal_cells_and_one_colour_bar() -> None:
    figure = page(SEVEN)
    *panels, bar = figure.axes
    assert len(panels) == 7
    assert bar.get_xlabel() == "drop of test accuracy"
    for axes, panel in zip(panels, SEVEN, strict=True):
        assert inside(axes) == [write_short(drop) for row in panel.drops for drop in row]
        assert panel.name in around(figure)
        box, inches = axes.get_window_extent(), len(panel.primes) * figure.dpi
        assert (box.width / inches, box.height / inches) == pytest.approx((0.3, 0.3))
    width, height = figure.get_size_inches()
    assert 1 <= height / width <= 1.6, "it fills a page of a paper"


def test_gaps_are_hatched_and_explained() -> None:
    figure = page([*SEVEN[:2], DropMatrix("gaps", PRIMES[:6], GAPS)])
    assert [len(hatched(axes)) for axes in figure.axes[:3]] == [0, 0, np.isnan(GAPS).sum()]
    assert key(figure) == ["not measured yet"]
    assert key(page(SEVEN)) == []


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
def test_everything_can_be_read(panels: list[DropMatrix]) -> None:
    assert_readable(page(panels))


def test_every_value_stands_inside_its_cell() -> None:
    panel = DropMatrix("extremes", PRIMES, np.linspace(-1.5, 1.5, 256).reshape(16, 16))
    figure = page([panel])
    assert_readable(figure)
    axes = figure.axes[0]
    cell = axes.get_window_extent().width / 16
    assert all(text.get_window_extent().width < cell for text in axes.texts)


def test_it_is_saved_in_every_format() -> None:
    assert_saves(page(SEVEN[:2]))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one DropMatrix, got none"):
        page([])
    with pytest.raises(ValueError, match=r"drops of two must have 2 rows of 2, got 1 rows of 2"):
        DropMatrix("two", (3, 5), [[1, 2]])
    with pytest.raises(ValueError, match="got 9 = 3²"):
        DropMatrix("two", (3, 9), np.eye(2))


def test_a_panel_is_frozen_and_keeps_no_array_of_the_caller() -> None:
    table = drops(4)
    panel = DropMatrix("four", PRIMES[:4], table)
    before = panel.drops
    table[:] = 0
    assert panel.drops == before
    assert hash(panel) == hash(DropMatrix("four", list(PRIMES[:4]), drops(4)))
