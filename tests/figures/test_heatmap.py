from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray

from drawn import around, assert_readable, assert_saves, filled, hatched, inside, key
from primefourier.figures import draw_heatmap
from primefourier.figures.style import EXCLUDED

SIZES, RANGES = [4, 6, 8, 10, 12, 14, 16], [100, 500, 1000, 2000, 4000]
FULL = np.random.default_rng(0).uniform(-0.1, 1, (7, 5))
PART = np.where(FULL > 0.7, np.nan, FULL)
CAPTION = "Drop of test accuracy when the row of the task prime is set to zero; 350 models. " * 6


def heatmap(values: NDArray[np.float64] = FULL, **options: Any) -> Figure:
    plain: dict[str, Any] = {
        "rows": SIZES, "columns": RANGES, "title": "Diagonal drop", "row_label": "|P|",
        "column_label": "input range r",
    }  # fmt: skip
    return draw_heatmap(values, **(plain | options))


def test_every_cell_says_its_value_in_order() -> None:
    texts = inside(heatmap().axes[0])
    assert [float(text.replace("−", "-")) for text in texts] == pytest.approx(
        FULL.ravel().tolist(), abs=0.005
    )
    assert inside(heatmap(format=".1%").axes[0])[0] == f"{FULL[0, 0]:.1%}"


def test_rows_columns_labels_title_caption_and_measure_are_written() -> None:
    figure = heatmap(caption=CAPTION, measure="drop of test accuracy")
    axes, bar = figure.axes
    assert [text.get_text() for text in axes.yaxis.get_ticklabels()] == [str(p) for p in SIZES]
    assert [text.get_text() for text in axes.xaxis.get_ticklabels()] == [str(r) for r in RANGES]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("|P|", "input range r")
    assert bar.get_ylabel() == "drop of test accuracy"
    assert around(figure) == f"Diagonal drop {CAPTION}".strip()
    assert heatmap().axes[1].get_ylabel() == "Diagonal drop"


def test_gaps_are_hatched_and_explained() -> None:
    figure = heatmap(PART)
    assert len(hatched(figure.axes[0])) == np.isnan(PART).sum() > 3
    assert len(inside(figure.axes[0])) == (~np.isnan(PART)).sum()
    assert key(figure) == ["not measured yet"]
    assert key(heatmap()) == []


def test_excluded_cells_are_crossed_and_explained() -> None:
    out = np.zeros((7, 5), dtype=bool)
    out[0, :2] = True
    figure = heatmap(FULL, excluded=out)
    assert inside(figure.axes[0]).count("×") == len(filled(figure.axes[0], EXCLUDED["facecolor"]))
    assert inside(figure.axes[0])[:2] == ["×", "×"]
    assert key(figure) == ["× left out on purpose"]
    assert len(key(heatmap(PART, excluded=out))) == 2
    assert key(heatmap(np.full((7, 5), np.nan), excluded=np.ones((7, 5)))) == [
        "× left out on purpose"
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"values": PART, "caption": CAPTION, "marks": [["± 0.01"] * 5] * 7},
        {"values": FULL * np.nan, "caption": CAPTION},
        {"values": PART, "excluded": FULL < 0.2, "title": CAPTION, "measure": CAPTION},
        {"values": FULL * 1e6, "format": ",.3f", "limits": (-100000, 12345), "caption": "x"},
        {"values": [[0.5]], "rows": ["one"], "columns": ["a"], "row_label": "number of primes |P|"},
        {"values": FULL[:1], "rows": ["N = 385 = 5 · 7 · 11"], "marks": [["12 seeds of 15"] * 5]},
        {"values": FULL, "columns": [10**12 + i for i in range(5)], "column_label": CAPTION},
        {"values": np.full((16, 16), 0.5), "rows": range(16), "columns": range(16)},
    ],
)
def test_everything_can_be_read(options: dict[str, Any]) -> None:
    assert_readable(heatmap(**options))


def test_it_is_saved_in_every_format() -> None:
    assert_saves(heatmap(PART, excluded=FULL < 0.1, caption=CAPTION))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="values must have 7 rows of 5, got 6 rows of 5"):
        heatmap(FULL[:6])
    with pytest.raises(ValueError, match="excluded must have 7 rows of 5"):
        heatmap(excluded=[[True]])
    with pytest.raises(ValueError, match="marks must have 7 rows of 5"):
        heatmap(marks=[["a"]])
    with pytest.raises(ValueError, match="limits must be finite and ascend, got 1 and 0"):
        heatmap(limits=(1, 0))
    with pytest.raises(ValueError, match="needs rows and columns, got 0 and 5"):
        heatmap(rows=[])
