"""The profiles: the drop of every row, as matrices and as bars."""

from collections.abc import Callable

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from drawn import around, assert_readable, hatched, inside
from lab_records import EXP2, configs_of, failed, measured, plausible, records_of, run_of
from prime_models import input_range, modulus, primes
from primefourier.figures.style import OTHER, RELEVANT
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper_figures import draw_matrices
from primefourier.lab.studies.study_figures import draw_bars


def draw(
    way: Callable[[Grid, int], Figure],
    configs: list[ModelConfig],
    records: list[Record],
    column: int,
) -> Figure:
    (grid,) = run_of(configs, records).grids
    return way(grid, column)


def cells(axes: Axes) -> dict[tuple[int, int], str]:
    """Return what is written in each cell of a matrix, by row and column."""
    places = ((text, text.get_position()) for text in axes.texts)
    return {(round(y), round(x)): text.get_text() for text, (x, y) in places}


def heights(axes: Axes, color: str | None = None) -> list[float]:
    bars = [bar for group in axes.containers for bar in group if isinstance(bar, Rectangle)]
    wanted = None if color is None else Rectangle((0, 0), 1, 1, color=color).get_facecolor()
    return [bar.get_height() for bar in bars if wanted in (None, bar.get_facecolor())]


def headings(figure: Figure) -> list[str]:
    return [axes.get_title("left") for axes in figure.axes if axes.get_title("left")]


def test_a_matrix_has_a_row_for_each_task_and_a_column_for_each_ablated_prime() -> None:
    configs = configs_of("exp1", sizes=(2, 3), ranges=(100, 500))
    records = [
        measured(c, [modulus(c) / 100 + i / 10 for i in range(len(primes(c)))])
        if input_range(c) == 500
        else measured(c, [0.99] * len(primes(c)))
        for c in configs
    ]
    figure = draw(draw_matrices, configs, records, 500)
    assert headings(figure) == ["|P| = 2", "|P| = 3"]
    for axes, size in zip(figure.axes, (2, 3), strict=False):
        assert cells(axes) == {
            (i, j): f".{p + 10 * j:02}" for i, p in enumerate((3, 5, 7)[:size]) for j in range(size)
        }
    assert "r = 500" in around(figure)
    assert "5 models, 1 seed (42) per configuration; noise floor 0.011." in around(figure)


def test_a_task_that_is_not_measured_is_a_gap() -> None:
    configs = configs_of("exp1", sizes=(3,), ranges=(100,))
    records = records_of(configs, on=0.5)
    figure = draw(draw_matrices, configs, [records[0], failed(configs[1])], 100)
    assert cells(figure.axes[0]) == {(0, 0): ".50", (0, 1): ".00", (0, 2): ".00"}
    assert len(hatched(figure.axes[0])) == 6
    assert "Nothing is measured" not in around(figure)
    assert "1 model, 1 seed (42) per configuration; noise floor 0.032." in around(figure)
    assert "Nothing is measured yet." in around(draw(draw_matrices, configs, [], 100))


def test_matrices_of_several_seeds_are_means() -> None:
    configs = configs_of("exp1", sizes=(2,), ranges=(500,), seeds=(1, 2))
    figure = draw(draw_matrices, configs, records_of(configs, on=lambda c: 0.2 * c.seed), 500)
    assert cells(figure.axes[0])[0, 0] == ".30"
    assert "Means over seeds. 4 models, 2 seeds (1, 2)" in around(figure)


def test_other_primes_have_matrices_of_their_own() -> None:
    configs = configs_of("exp1", primes=(2, 59), sizes=(2,), ranges=(500,))
    figure = draw(draw_matrices, configs, plausible(configs), 500)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["2", "59"]


def test_bars_have_the_drops_of_their_modulus_and_colour_its_factors() -> None:
    configs = [c for c in EXP2 if input_range(c) in (100, 500)]
    records = [
        measured(c, [modulus(c) / 1000 + i / 100 for i in range(8)])
        if input_range(c) == 500
        else measured(c, [0.9] * 8)
        for c in configs
    ]
    figure = draw(draw_bars, configs, records, 500)
    moduli = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
    assert headings(figure) == [f"N = {n}" for n in moduli]
    for axes, n in zip(figure.axes, moduli, strict=True):
        drops = {p: n / 1000 + i / 100 for i, p in enumerate((3, 5, 7, 11, 13, 17, 19, 23))}
        factors = [drop for p, drop in drops.items() if n % p == 0]
        others = [drop for p, drop in drops.items() if n % p]
        assert heights(axes, RELEVANT["facecolor"]) == pytest.approx(factors)
        assert heights(axes, OTHER["facecolor"]) == pytest.approx(others)
    assert "10 models, 1 seed (42) per configuration; noise floor 0.011." in around(figure)


def test_empty_panels_say_why() -> None:
    configs = configs_of("exp2", moduli=(15, 21, 231), ranges=(100,))
    figure = draw(draw_bars, configs, records_of(configs[:1]), 100)
    assert [inside(axes)[-1] for axes in figure.axes] == [".00", "not measured yet", "degenerate"]
    assert heights(figure.axes[1]) == []
    assert_readable(figure)


def test_only_models_planned_at_a_range_have_a_panel() -> None:
    moduli = configs_of("exp2", moduli=(15,), ranges=(100, 500))
    moduli += configs_of("exp2", moduli=(35,), ranges=(500,))
    assert headings(draw(draw_bars, moduli, [], 100)) == ["N = 15"]
    assert headings(draw(draw_bars, moduli, [], 500)) == ["N = 15", "N = 35"]
    sizes = configs_of("exp1", sizes=(2,), ranges=(100, 500))
    sizes += configs_of("exp1", sizes=(3,), ranges=(500,))
    assert headings(draw(draw_matrices, sizes, [], 100)) == ["|P| = 2"]
    assert headings(draw(draw_matrices, sizes, [], 500)) == ["|P| = 2", "|P| = 3"]


def test_a_degenerate_modulus_is_marked() -> None:
    configs = configs_of("exp2", moduli=(231,), ranges=(100, 500))
    records = plausible(configs)
    assert "N = 231 (degenerate)" in headings(draw(draw_bars, configs, records, 100))
    assert "N = 231" in headings(draw(draw_bars, configs, records, 500))


@pytest.mark.parametrize("moduli", [(4,), (15,)])
def test_no_or_only_relevant_primes_can_be_drawn(moduli: tuple[int, ...]) -> None:
    configs = configs_of("exp2", moduli=moduli, ranges=(500,), primes=(3, 5))
    figure = draw(draw_bars, configs, [measured(configs[0], [0.5, 0.25])], 500)
    relevant = moduli == (15,)
    assert len(heights(figure.axes[0], RELEVANT["facecolor"])) == 2 * relevant
    assert len(heights(figure.axes[0], OTHER["facecolor"])) == 2 * (not relevant)


def test_several_seeds_have_error_bars() -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2))
    records = records_of(configs, on=lambda c: 0.5 + 0.01 * c.seed)
    figure = draw(draw_bars, configs, records[:3], 500)
    assert heights(figure.axes[0], RELEVANT["facecolor"]) == pytest.approx([0.515, 0.515])
    assert heights(figure.axes[1], RELEVANT["facecolor"]) == pytest.approx([0.51, 0.51])
    (bars,) = (c for c in figure.axes[0].collections if hasattr(c, "get_segments"))
    low, high = (float(end[1]) for end in bars.get_segments()[0])
    assert (low, high) == pytest.approx((0.515 - 0.06353, 0.515 + 0.06353), abs=1e-4)
    assert not [c for c in figure.axes[1].collections if hasattr(c, "get_segments")]
    assert "Error bars are 95 % intervals over seeds. 3 models, 1–2 seeds" in around(figure)
