import math
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from drawn import assert_readable, filled, hatched, inside, key
from primefourier import PAPER_BASIS
from primefourier.figures import DropBars, draw_drop_bars
from primefourier.figures.style import NOISE, OTHER, RELEVANT

PRIMES = PAPER_BASIS.primes[:8]
MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
CAPTION = "Drops of one model for each modulus; r = 100. " * 8
NOTHING = [math.nan] * 8


def bars(n: int) -> DropBars:
    rng = np.random.default_rng(n)
    relevant = [p for p in PRIMES if n % p == 0]
    drops = [rng.uniform(0.3, 0.9) if p in relevant else rng.normal(0, 0.02) for p in PRIMES]
    return DropBars(f"N = {n}", PRIMES, drops, relevant, [(d - 0.02, d + 0.03) for d in drops])


TEN = [bars(n) for n in MODULI]


def page(panels: list[DropBars], caption: str = CAPTION, noise_floor: float = 0.032) -> Figure:
    return draw_drop_bars(
        panels, title="Profiles, r = 100", caption=caption, noise_floor=noise_floor
    )


def heights(figure: Figure, color: str) -> list[float]:
    return [p.get_height() for p in filled(figure.axes[0], color) if isinstance(p, Rectangle)]


def test_bars_are_the_drops_and_relevant_ones_stand_out() -> None:
    figure = page([DropBars("N = 15", (3, 5, 7, 11), [0.6, 0.7, 0.01, -0.02], (3, 5))])
    assert heights(figure, RELEVANT["facecolor"]) == [0.6, 0.7]
    assert heights(figure, OTHER["facecolor"]) == [0.01, -0.02]
    assert inside(figure.axes[0]) == [".60", ".70", ".01", "−.02"]
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["3", "5", "7", "11"]


def test_the_noise_floor_is_a_band_on_both_sides_of_zero() -> None:
    figure = page(TEN[:2])
    for axes in figure.axes:
        (band,) = (p for p in filled(axes, NOISE) if isinstance(p, Rectangle))
        assert (band.get_y(), band.get_height()) == pytest.approx((-0.032, 0.064))
    assert "noise floor ± 0.032" in key(figure)
    assert key(page(TEN[:1], noise_floor=0)) == ["relevant row", "other row", "one seed"]


def test_a_number_stands_above_its_bar_and_its_dots() -> None:
    axes = page([DropBars("N = 3", (3, 5), [0.5, -0.2], (3,), [(0.4, 0.6), (-0.3, -0.1)])]).axes[0]
    assert [text.xy for text in axes.texts] == [(0, 0.6), (1, 0)]  # type: ignore[attr-defined]


def test_all_panels_have_one_scale_that_holds_every_bar() -> None:
    figure = page([*TEN[:3], DropBars("low", PRIMES, [-0.8] * 8, (), [(-0.9, 1.3)] * 8)])
    (scale,) = {axes.get_ylim() for axes in figure.axes}
    assert scale[0] < -0.9
    assert scale[1] > 1.3


def test_single_gaps_are_hatched_and_explained() -> None:
    figure = page([DropBars("N = 15", PRIMES, [0.5, math.nan, *NOTHING[:5], 0], (3, 5))])
    assert len(hatched(figure.axes[0])) == 6
    assert inside(figure.axes[0]) == [".50", ".00"]
    assert key(figure)[-1] == "not measured yet"
    assert "not measured yet" not in key(page(TEN[:1]))


def test_an_empty_panel_says_why() -> None:
    figure = page(
        [
            DropBars("N = 15", PRIMES, NOTHING, (3, 5)),
            DropBars("N = 385", PRIMES, NOTHING, (5, 7, 11), note="degenerate"),
        ]
    )
    assert [inside(axes) for axes in figure.axes] == [["not measured yet"], ["degenerate"]]
    assert not any(hatched(axes) for axes in figure.axes)


@pytest.mark.parametrize(
    "panels",
    [
        TEN,
        [DropBars("nothing", PRIMES, NOTHING, (), note=CAPTION[:92])] * 4,
        [DropBars("16", PAPER_BASIS.primes, np.linspace(-0.9, 1, 16), (), [(-1, 1)] * 16)] * 2,
        [
            DropBars("words", [f"period {i / 7:g}" for i in range(12)], [0.5] * 12, ()),
            DropBars("unknown rows", (), [], ()),
            DropBars("a very long name of a panel, longer than it is wide", (3,), [1], (3,)),
        ],
    ],
)
def test_everything_can_be_read(panels: list[DropBars]) -> None:
    assert_readable(page(panels))


def test_wrong_arguments_are_refused() -> None:
    cases: dict[str, Callable[[], object]] = {
        "at least one DropBars, got none": lambda: page([]),
        "noise_floor must be a number of at least 0": lambda: page(TEN, noise_floor=math.nan),
        "relevant rows must be among the rows, got 29": lambda: DropBars(
            "", PRIMES, NOTHING, (29,)
        ),
        r"drops of N must have shape \(8,\), got \(1,\)": lambda: DropBars("N", PRIMES, [1], ()),
        "of 8 rows, got 1": lambda: DropBars("N", PRIMES, NOTHING, (), [(0, 1)]),
        "must have different names": lambda: DropBars("N", ("low", "low"), [0, 1], ()),
    }
    for words, make in cases.items():
        with pytest.raises(ValueError, match=words):
            make()
