"""The 22 figures of paper/results say what was recorded of them, and can be read."""

import json
import re

import pytest
from matplotlib.figure import Figure

from drawn import assert_readable
from figure_texts import GOLDEN, figure_says, published_figures
from primefourier.lab.figures import FigureFile

pytestmark = pytest.mark.slow

SAID = json.loads(GOLDEN.read_text(encoding="utf-8"))

Drawn = dict[str, tuple[FigureFile, Figure]]


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    return {file.name: (file, file.draw()) for file in published_figures()}


def test_22_figures_say_what_they_said(drawn: Drawn) -> None:
    assert list(drawn) == list(SAID)
    assert len(drawn) == 22
    for name, (_, figure) in drawn.items():
        says = json.loads(json.dumps(figure_says(figure)))
        for what, said in SAID[name].items():
            assert says[what] == said, (name, what)


# Profiles of all ranges have one layout, so those of the smallest stand for them.
READ = [name for name in SAID if not re.search("profiles-r(500|[124]000)$", name)]


@pytest.mark.parametrize("name", READ)
def test_a_figure_can_be_read(drawn: Drawn, name: str) -> None:
    assert_readable(drawn[name][1])
