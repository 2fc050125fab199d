import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, Wedge

from drawn import around, assert_readable, inside, key
from primefourier.figures import draw_circles
from primefourier.figures.circles import COLOR_A, COLOR_B, COLOR_SUM

CASES = [
    (10**30, -7, 360),
    (1, 0, 2),
    (12345678901234567890, 98765432109876543210, 1_000_000_007),
    (1, 0, 614889782588491410),
]


def texts(figure: Figure) -> list[str]:
    """Return the title, the labels of bars and circles, and the numbers around circles."""
    found = [around(figure)]
    for axes in figure.axes:
        found += [axes.get_xlabel(), *inside(axes)]
        found += [label.get_text() for label in axes.get_yticklabels()]
    return found


def wedges(figure: Figure, color: str) -> list[float]:
    """Return the fractions of a turn that sectors of one colour cover."""
    return [
        (patch.theta2 - patch.theta1) / 360
        for axes in figure.axes
        for patch in axes.patches
        if isinstance(patch, Wedge) and np.allclose(patch.get_facecolor()[:3], to_rgb(color))
    ]


def frames(figure: Figure) -> list[str]:
    """Return the labels of the circles in frames."""
    return [axes.get_xlabel() for axes in figure.axes[1:] if axes.spines["left"].get_visible()]


def bars(figure: Figure) -> list[list[float]]:
    """Return the coloured stretches of each bar as (from, length) one after the other."""
    found: list[list[float]] = [[] for _ in figure.axes[0].get_yticks()]
    for patch in figure.axes[0].patches:
        if isinstance(patch, Rectangle) and patch.get_fill():
            row = found[round(patch.get_y() + patch.get_height() / 2)]
            row += [patch.get_x(), patch.get_width()]
    return found


def test_figure_1_of_the_paper() -> None:
    figure = draw_circles(9, 17, 23)
    assert "(9 + 17) mod 23 = 3" in texts(figure)
    assert [t for t in texts(figure) if t.startswith("p =")] == [
        "p = 23",
        "p = 29",
        "p = 31",
        "p = 37",
    ]
    assert frames(figure) == ["p = 23"]
    assert key(figure)[2] == "answer, and where a and b overlap"
    for shown, expected in zip(
        bars(figure), [[0, 9], [0, 17], [0, 9, 9, 14, 0, 3], [0, 3]], strict=True
    ):
        assert shown == pytest.approx([x / 23 for x in expected])
    assert wedges(figure, COLOR_A) == pytest.approx([9 / p for p in (23, 29, 31, 37)])
    assert wedges(figure, COLOR_B) == pytest.approx([14 / 23, 17 / 29, 17 / 31, 17 / 37])
    assert wedges(figure, COLOR_SUM) == pytest.approx([3 / 23])
    starts = [p.theta2 for axes in figure.axes for p in axes.patches if isinstance(p, Wedge)]
    assert max(starts) == 90, "arcs run clockwise from the top"


def test_figure_2_of_the_paper() -> None:
    figure = draw_circles(13, 15, 21)
    assert [t for t in texts(figure) if t.startswith("p =")] == [
        "p = 3",
        "p = 5",
        "p = 7",
        "p = 11",
    ]
    assert frames(figure) == ["p = 3", "p = 7"]
    assert bars(figure)[2] == pytest.approx([0, 7 / 21])
    assert {"mod 3: 2·3 + 1", "mod 7: 1·7 + 0", "answer = 7"} <= set(texts(figure))
    assert wedges(figure, COLOR_SUM) == pytest.approx([1 / 3, 3 / 5, 6 / 11])


@pytest.mark.parametrize("case", CASES)
def test_everything_can_be_read(case: tuple[int, int, int]) -> None:
    assert_readable(draw_circles(*case))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="modulus must be an integer of at least 2, got 1"):
        draw_circles(1, 2, 1)
    for primes, words in (([], "at least one prime"), ([3, 4], "got 4 = 2²"), ([3, 3], "twice")):
        with pytest.raises(ValueError, match=words):
            draw_circles(1, 2, 5, primes=primes)
    with pytest.raises(TypeError, match="got a float"):
        draw_circles(1.5, 2, 5)  # type: ignore[arg-type]
