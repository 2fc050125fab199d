import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from primefourier.figures.style import (
    BLUE,
    DIVERGING,
    EXCLUDED,
    GAP,
    GREEN,
    PURPLE,
    SEQUENTIAL,
    VERMILLION,
    contrasting,
    luminance,
)


@pytest.mark.parametrize("name", [SEQUENTIAL, DIVERGING])
def test_text_on_every_colour_of_a_map_has_the_contrast_that_wcag_asks_for(name: str) -> None:
    for color in matplotlib.colormaps[name](np.linspace(0, 1, 101)):
        one, other = sorted(luminance(c) + 0.05 for c in (tuple(color), contrasting(tuple(color))))
        assert other / one >= 4.5


def test_cells_without_a_value_look_like_no_value_and_unlike_each_other() -> None:
    colors = matplotlib.colormaps[SEQUENTIAL](np.linspace(0, 1, 1001))[:, :3]
    for look in (GAP, EXCLUDED):
        assert np.abs(colors - to_rgb(look["facecolor"])).max(axis=1).min() > 0.2
    assert GAP["hatch"]
    assert "hatch" not in EXCLUDED
    assert GAP["facecolor"] != EXCLUDED["facecolor"]


def test_zero_of_the_diverging_map_is_not_the_paper() -> None:
    middle = matplotlib.colormaps[DIVERGING](0.5)
    assert max(middle[:3]) < 0.9


def test_the_palette_is_okabe_and_itos() -> None:
    shown = [tuple(round(255 * c) for c in to_rgb(x)) for x in (VERMILLION, BLUE, PURPLE, GREEN)]
    assert shown == [(213, 94, 0), (0, 114, 178), (204, 121, 167), (0, 158, 115)]
