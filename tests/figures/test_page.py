import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Patch

from drawn import around, assert_readable, key
from primefourier.figures.page import MARGIN, lay_out, note

WORDS = "each row of the network holds the circles of one prime, "


@pytest.mark.parametrize("entries", [0, 1, 9])
@pytest.mark.parametrize("title", ["", "Short", WORDS * 4])
@pytest.mark.parametrize("caption", ["", "Short.", WORDS * 12, "a\n\n$b$ and $c$_{"])
def test_body_has_its_size_and_texts_stand_clear_of_it(
    entries: int, title: str, caption: str
) -> None:
    samples = [(Patch(color="red"), f"number {i}") for i in range(entries)]
    page = lay_out(4, 2, title=title, caption=caption, key=samples)
    axes = page.axes(0, 0, 4, 2)
    axes.tick_params(labelleft=False, labelbottom=False)
    wide, high = page.figure.get_size_inches()
    box = axes.get_position()
    assert (box.width * wide, box.height * high) == pytest.approx((4, 2))
    assert box.x0 * wide == pytest.approx(MARGIN)
    if entries or title or caption:
        assert_readable(page.figure)
    assert around(page.figure) == " ".join(f"{title} {caption}".split())
    assert key(page.figure) == [label for _, label in samples]


def test_long_entries_of_the_key_are_wrapped() -> None:
    samples = [(Patch(color="red"), label) for label in (WORDS * 3, "short", "word" * 40)]
    page = lay_out(4, 2, title="", caption="A caption.", key=samples)
    page.axes(0, 0, 4, 2).tick_params(labelleft=False, labelbottom=False)
    assert_readable(page.figure)
    assert [" ".join(text.split()) for text in key(page.figure)][:2] == [
        (WORDS * 3).strip(),
        "short",
    ]


def test_caption_stands_below_title_above_both_at_the_left() -> None:
    page = lay_out(4, 2, title="Title", caption=WORDS * 5)
    axes = page.axes(0, 0, 4, 2)
    FigureCanvasAgg(page.figure).draw()
    title, caption = (text.get_window_extent() for text in page.figure.texts)
    body = axes.get_window_extent()
    assert title.y0 > body.y1 > body.y0 > caption.y1
    assert title.x0 == pytest.approx(body.x0, abs=3)
    assert caption.x0 == pytest.approx(body.x0, abs=3)


def test_labels_are_wrapped_to_the_axes() -> None:
    page = lay_out(4, 2, title="", caption="")
    axes = page.axes(2, 0, 2, 1)
    page.label(axes, across="input range of both integers a and b", up="r")
    assert axes.get_xlabel().count("\n") == 1
    assert axes.get_ylabel() == "r"


def test_a_note_stands_in_the_middle() -> None:
    page = lay_out(4, 2, title="", caption="")
    axes = page.axes(0, 0, 4, 2)
    note(axes, "degenerate")
    FigureCanvasAgg(page.figure).draw()
    box, frame = axes.texts[0].get_window_extent(), axes.get_window_extent()
    assert (box.x0 + box.x1) / 2 == pytest.approx((frame.x0 + frame.x1) / 2, abs=2)
