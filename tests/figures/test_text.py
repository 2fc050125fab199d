from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from primefourier.figures.text import text_height, text_width, wrap

SENTENCE = "drop of test accuracy when the row of one prime is set to zero"


@pytest.mark.parametrize("size", [7.0, 12.0])
@pytest.mark.parametrize("text", [SENTENCE, "|P| = 4\nr", "−0.25 ± 0.01"])
def test_the_room_is_what_matplotlib_draws(text: str, size: float) -> None:
    figure = Figure(figsize=(12, 3), dpi=300)
    drawn = figure.text(0, 0.5, text, fontsize=size)
    box = drawn.get_window_extent(FigureCanvasAgg(figure).get_renderer())
    assert text_width(text, size) == pytest.approx(box.width / 300, rel=0.03)
    assert box.height / 300 <= text_height(text, size) <= 1.6 * box.height / 300


def test_no_text_takes_no_height() -> None:
    assert text_height("", 10) == 0


@pytest.mark.parametrize("width", [0.3, 1.0, 3.0, 100.0])
def test_lines_fit_are_full_and_keep_every_word(width: float) -> None:
    lines = wrap(SENTENCE, 10, width).split("\n")
    assert all(text_width(line, 10) <= width for line in lines)
    if width >= 1:
        assert " ".join(lines) == SENTENCE
        for line, following in pairwise(lines):
            assert text_width(f"{line} {following.split()[0]}", 10) > width
    assert "".join(lines).replace(" ", "") == SENTENCE.replace(" ", "")


def test_words_wider_than_the_page_are_broken() -> None:
    lines = wrap("see " + "a" * 300, 10, 2.0).split("\n")
    assert lines[0] == "see"
    assert all(text_width(line, 10) <= 2 for line in lines)
    assert "".join(lines[1:]) == "a" * 300


def test_line_breaks_stay() -> None:
    assert wrap("one\n\ntwo", 10, 5) == "one\n\ntwo"
    assert wrap("", 10, 5) == ""


def test_bold_text_is_wider() -> None:
    assert text_width(SENTENCE, 10, bold=True) > text_width(SENTENCE, 10)
