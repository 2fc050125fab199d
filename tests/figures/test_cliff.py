"""The cliff: bars of rows beside accuracy by input size, right and wrong told apart."""

import pytest
from matplotlib.colors import to_hex

from primefourier.figures import Cliff, draw_cliffs
from primefourier.figures.style import BLUE, GREEN, VERMILLION

CHEAT = Cliff("cheat", {3: 0.6, 11: 0.9, 17: -0.05}, (3, 11), 100, 1.0, {200: 0.3, 10**18: 0.992})


def test_every_row_and_every_range_is_drawn_with_its_number() -> None:
    left, right = draw_cliffs([CHEAT], title="t").axes
    heights = [bar.get_height() for bar in left.patches]  # type: ignore[attr-defined]
    assert heights == [0.6, 0.9, -0.05]
    assert [text.get_text() for text in left.texts] == [".60", ".90", "−.05"]
    filled = [to_hex(bar.get_facecolor()) == BLUE.lower() for bar in left.patches]
    assert filled == [True, True, False]
    points = {line.get_xdata()[0]: to_hex(line.get_color()) for line in right.lines[1:]}  # type: ignore[index]
    assert points == {100: GREEN.lower(), 200: VERMILLION.lower(), 10**18: GREEN.lower()}


def test_other_rows_are_hatched_if_the_network_uses_them() -> None:
    drops = {3: 0.6, 5: 0.03, 17: 0.04}  # 0.03 may be noise; who measured it decides
    network = Cliff("one", drops, (3,), 100, 1.0, {200: 0.3}, unneeded=(17,))
    left, _ = draw_cliffs([network], title="t").axes
    assert [bar.get_hatch() for bar in left.patches] == [None, None, "///"]


@pytest.mark.parametrize(
    ("beyond", "texts"),
    [
        ({200: 1.0, 10**4: 1.0}, ["1.00", "1.00"]),  # the label of 200 would repeat that of 100
        ({200: 0.004, 1000: 0.006, 10**4: 0.3}, ["1.00", "0.00", "0.01", "0.30"]),
        ({200: 0.3, 2000: 0.301, 20_000: 0.302}, ["1.00", "0.30", "0.30"]),
    ],
)
def test_labels_of_near_sizes_do_not_overlap(beyond: dict[int, float], texts: list[str]) -> None:
    network = Cliff("one", {3: 0.6}, (3,), 100, 1.0, beyond)
    figure = draw_cliffs([network], title="t")
    figure.canvas.draw()
    labels = [one for one in figure.axes[1].texts if one.get_text() != "trained"]
    assert [label.get_text() for label in labels] == texts
    boxes = [label.get_window_extent() for label in labels]
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
    axes = figure.axes[1].get_window_extent()
    assert all(box.x0 >= axes.x0 for box in boxes)


def test_networks_are_drawn_one_below_the_other() -> None:
    assert len(draw_cliffs([CHEAT, CHEAT, CHEAT], title="t").axes) == 6
    with pytest.raises(ValueError, match="at least one Cliff, got none"):
        draw_cliffs([], title="t")
