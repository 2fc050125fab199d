from matplotlib.figure import Figure

from primefourier.lab.report import FigureFile


def test_a_figure_is_drawn_only_when_it_is_asked_for() -> None:
    drawn: list[Figure] = []

    def draw() -> Figure:
        drawn.append(Figure())
        return drawn[-1]

    file = FigureFile("figure-99", draw)
    assert not drawn
    assert file.draw() is drawn[0]
