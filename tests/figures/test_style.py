from collections.abc import Callable
from io import BytesIO

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.typing import ColorType

from drawn import assert_saves
from primefourier.figures import (
    DropBars,
    DropMatrix,
    Line,
    Panel,
    draw_block_matrix,
    draw_circles,
    draw_drop_bars,
    draw_drop_matrices,
    draw_heatmap,
    draw_panels,
)
from primefourier.figures.style import (
    DIVERGING,
    EXCLUDED,
    GAP,
    NOISE,
    SEQUENTIAL,
    contrasting,
    new_page,
    read_table,
    wrap,
)


@pytest.mark.parametrize("name", [SEQUENTIAL, DIVERGING])
def test_text_on_every_colour_of_a_map_has_the_contrast_that_wcag_asks_for(name: str) -> None:
    def luminance(color: ColorType) -> float:
        parts = np.array(to_rgb(color))
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.2126, 0.7152, 0.0722))

    for color in matplotlib.colormaps[name](np.linspace(0, 1, 101)):
        one, other = sorted(luminance(c) + 0.05 for c in (tuple(color), contrasting(tuple(color))))
        assert other / one >= 4.5


def test_cells_without_a_value_look_like_no_value_and_unlike_each_other() -> None:
    colors = matplotlib.colormaps[SEQUENTIAL](np.linspace(0, 1, 1001))[:, :3]
    for look in (GAP, EXCLUDED, {"facecolor": NOISE}):
        assert np.abs(colors - to_rgb(look["facecolor"])).max(axis=1).min() > 0.2
    assert GAP["hatch"]
    assert "hatch" not in EXCLUDED
    assert NOISE not in (GAP["facecolor"], EXCLUDED["facecolor"])


def test_wrong_tables_are_refused() -> None:
    with pytest.raises(ValueError, match=r"drops must have shape \(2, 3\), got \(1, 3\)"):
        read_table([[1, 2, 3]], (2, 3), "drops")
    with pytest.raises(ValueError, match=r"drops must be numbers of shape \(2, 2\)"):
        read_table([[1, 2], [1]], (2, 2), "drops")
    with pytest.raises(ValueError, match="got infinity"):
        read_table([np.inf], (1,), "drops")


def test_a_wrapped_text_keeps_every_word_and_its_own_line_breaks() -> None:
    sentence = "drop of test accuracy when the row of one prime is set to zero"
    assert wrap(sentence, 1, 10).split() == sentence.split()
    assert wrap("one\n\ntwo", 5, 10) == "one\n\ntwo"
    assert "".join(wrap("a" * 300, 2, 10).split("\n")) == "a" * 300


def test_texts_are_drawn_as_they_are_and_never_read_as_mathematics() -> None:
    figure, body = new_page(4, 2, title="$x$", caption="$y", key=[(Patch(), "$z$")])
    entry = body.legends[0].get_texts()[0]
    for text, said in zip((*figure.texts, entry), ("$x$", "$y", "$z$"), strict=True):
        assert text.get_text() == said
        assert not text.get_parse_math()
    figure.savefig(BytesIO())


NAN = float("nan")
BARS = DropBars("N = 15", (3, 5), [0.1, NAN], (3,), [(0, 0.2), ()])
FEW, MANY = (Line(f"{n} points", range(n), [(0.4, 0.6)] * n) for n in (3, 20))
KINDS: dict[str, Callable[[], Figure]] = {
    "circles": lambda: draw_circles(9, 17, 23),
    "blocks": lambda: draw_block_matrix(np.eye(2), primes=[3], depth=1, title="Blocks"),
    "heatmap": lambda: draw_heatmap(
        [[0.5, NAN, 0]],
        rows=[4],
        columns=[1, 2, 3],
        title="A heatmap",
        row_label="rows",
        column_label="columns",
        excluded=[[0, 0, 1]],
    ),
    "matrices": lambda: draw_drop_matrices(
        [DropMatrix("one", (3, 5), [[0.5, NAN], [0.0, 1.0]])], title="Matrices"
    ),
    "bars": lambda: draw_drop_bars([BARS], title="Bars", noise_floor=0.01),
    "lines": lambda: draw_panels(
        [Panel("lines", "y", [FEW, MANY], noise_floor={0: 0.1})], title="Lines", across="x"
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_figure_is_saved_in_every_format_without_a_warning(kind: str) -> None:
    assert_saves(KINDS[kind]())
