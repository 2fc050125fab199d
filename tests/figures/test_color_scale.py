import math

import matplotlib
import pytest

from drawn import assert_readable
from primefourier.figures.color_scale import ColorScale
from primefourier.figures.page import Page, lay_out


def test_values_outside_have_the_colour_of_the_nearer_end() -> None:
    scale = ColorScale(-2, 2, "viridis")
    shown = matplotlib.colormaps["viridis"]
    assert scale.color(-9) == scale.color(-2) == shown(0.0)
    assert scale.color(9) == scale.color(2) == shown(1.0)
    assert scale.color(0) == shown(0.5)


def test_limits_must_ascend() -> None:
    for low, high in ((1, 0), (1, 1), (0, math.nan), (0, math.inf)):
        with pytest.raises(ValueError, match="limits must be finite and ascend"):
            ColorScale(low, high, "viridis")


def page_with_bar(scale: ColorScale, values: list[float], *, flat: bool) -> Page:
    room = scale.bar_room("measure")
    page = lay_out(4 if flat else 0.2 + room, 1 if flat else 3, title="", caption="")
    place = (0.3, 0, 3.4, 0.2) if flat else (0, 0, 0.2, 3)
    scale.draw_bar(page, place, label="measure", values=values)
    return page


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize(
    "limits", [(0, 1), (-0.00002, 0.00001), (-123456, 2), (0.01, 0.013), (-1.37, 1.37)]
)
def test_the_bar_and_its_numbers_have_room(limits: tuple[float, float], flat: bool) -> None:
    page = page_with_bar(ColorScale(*limits, "viridis"), [], flat=flat)
    assert_readable(page.figure)
    assert (page.figure.axes[0].get_xlabel() or page.figure.axes[0].get_ylabel()) == "measure"


def test_ticks_are_round_and_within_the_limits() -> None:
    assert list(ColorScale(0, 1, "viridis").ticks.values()) == [
        "0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1",
    ]
    assert list(ColorScale(-1.3, 1.3, "viridis").ticks.values()) == ["−1", "−0.5", "0", "0.5", "1"]


@pytest.mark.parametrize(
    ("values", "arrows"), [([0.5, math.nan], 0), ([-1.0], 1), ([2.0], 1), ([-1.0, 2.0], 2)]
)
def test_an_arrow_stands_where_values_exceed_the_scale(values: list[float], arrows: int) -> None:
    figure = page_with_bar(ColorScale(0, 1, "viridis"), values, flat=False).figure
    assert len(figure.axes[0].patches) == arrows
