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


def test_networks_are_drawn_one_below_the_other() -> None:
    assert len(draw_cliffs([CHEAT, CHEAT, CHEAT], title="t").axes) == 6
    with pytest.raises(ValueError, match="at least one Cliff, got none"):
        draw_cliffs([], title="t")
