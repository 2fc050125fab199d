import math

import pytest
from matplotlib.figure import Figure

from drawn import filled, hatched, inside
from primefourier.figures.cells import draw_cells, name_cells
from primefourier.figures.color_scale import ColorScale
from primefourier.figures.style import EXCLUDED, contrasting

SCALE = ColorScale(0, 1, "viridis")
TABLE = [[0.0, 0.5, 1.0], [math.nan, 0.25, math.nan]]


def test_each_cell_has_the_colour_and_the_text_of_its_value() -> None:
    axes = Figure().add_subplot()
    draw_cells(axes, TABLE, scale=SCALE, write=str, size=9)
    assert inside(axes) == ["0.0", "0.5", "1.0", "0.25"]
    assert [text.get_position() for text in axes.texts] == [(0, 0), (1, 0), (2, 0), (1, 1)]
    for text in axes.texts:
        value = float(text.get_text())
        assert len(filled(axes, SCALE.color(value))) == 1
        assert text.get_color() == contrasting(SCALE.color(value))


def test_gaps_and_excluded_cells_have_no_value() -> None:
    axes = Figure().add_subplot()
    out = [[True, False, False], [True, False, False]]
    draw_cells(axes, TABLE, scale=SCALE, write=str, size=9, excluded=out)
    assert inside(axes) == ["×", "0.5", "1.0", "×", "0.25"]
    assert [patch.get_xy() for patch in hatched(axes)] == [(1.5, 0.5)]  # type: ignore[attr-defined]
    assert len(filled(axes, EXCLUDED["facecolor"])) == 2
    assert not filled(axes, SCALE.color(0.0))


def test_marks_stand_below_values_and_only_there() -> None:
    axes = Figure().add_subplot()
    draw_cells(axes, TABLE, scale=SCALE, write=str, size=9, marks=[["a", "", "c"], ["d", "e", "f"]])
    assert inside(axes) == ["0.0", "a", "0.5", "1.0", "c", "0.25", "e"]
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert heights["a"] > heights["0.0"]
    assert heights["0.5"] == pytest.approx(0)


def test_names_are_written_as_they_are() -> None:
    axes = Figure().add_subplot()
    draw_cells(axes, TABLE, scale=SCALE, write=str, size=9)
    name_cells(axes, ["$3$", "5"], ["a", "b", "c"])
    labels = axes.yaxis.get_ticklabels()
    assert [label.get_text() for label in labels] == ["$3$", "5"]
    assert not any(label.get_parse_math() for label in labels)
    assert axes.yaxis_inverted()
