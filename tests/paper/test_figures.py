"""The paper's figures: which there are, what they show, and their captions.

``tests/figures/test_published.py`` compares every text and value of the published ones.
"""

import math
import re
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from drawn import around, assert_readable, filled, hatched, inside, key
from lab_records import (
    CONTROL,
    EXP1,
    EXP2,
    PAPER,
    configs_of,
    failed,
    measured,
    plausible,
    records_of,
    run_of,
    with_fields,
)
from prime_models import input_range, modulus, primes
from primefourier.figures import draw_circles
from primefourier.figures.style import NOISE, OTHER, RELEVANT
from primefourier.lab import figures as figure_files
from primefourier.lab.config import ModelConfig
from primefourier.lab.figures import FigureFile, draw_bars, draw_figures
from primefourier.lab.grid import Grid
from primefourier.lab.record import Record
from primefourier_paper import models_of, profile
from primefourier_paper.figures import draw_lines, draw_matrices

FIXED = [
    "figure-01-circles-9-17-mod-23", "figure-02-circles-13-15-mod-21", "figure-03-block-diagonal",
]  # fmt: skip


def files(configs: list[ModelConfig], records: list[Record] | None = None) -> list[FigureFile]:
    return list(draw_figures(run_of(configs, records or []).grids))


def names(configs: list[ModelConfig]) -> list[str]:
    found = [file.name for file in files(configs)]
    assert len(set(found)) == len(found), "two figures in one file"
    return found


def grid_of(configs: list[ModelConfig], records: list[Record] | None = None) -> Grid:
    (grid,) = run_of(configs, records or []).grids
    return grid


def draw(start: str, configs: list[ModelConfig], records: list[Record]) -> Figure:
    """Draw the one figure whose file name starts in some way."""
    (file,) = (f for f in files(configs, records) if f.name.startswith(start))
    return file.draw()


def table(figure: Figure) -> dict[tuple[str, str], str]:
    """Return what is written in each cell, by the names of its row and column."""
    axes = figure.axes[0]
    rows, columns = axes.get_yticklabels(), axes.get_xticklabels()
    return {
        (rows[round(y)].get_text(), columns[round(x)].get_text()): text.get_text()
        for text in axes.texts
        for x, y in [text.get_position()]
        if "–" not in text.get_text() and "seed" not in text.get_text()
    }


# Which figures there are.


@pytest.mark.parametrize(
    ("configs", "numbers"),
    [
        ([], []),
        (EXP1, [4, 5, 6, 12, 13, 14, 15, 16, 17]),
        (CONTROL, [7, 8]),
        (EXP2, [9, 10, 11, 18, 19, 20, 21, 22]),
        (PAPER, range(4, 23)),
    ],
    ids=["nothing", "exp1", "control", "exp2", "paper"],
)
def test_experiments_with_planned_models_have_their_figures(
    configs: list[ModelConfig], numbers: list[int]
) -> None:
    first = [1, 2, 3] if configs else []
    assert sorted(int(name[7:9]) for name in names(configs)) == [*first, *numbers]


def test_figures_are_drawn_and_readable_with_nothing_measured() -> None:
    found = files(models_of(profile("smoke")))
    assert len(found) == 15
    assert [file.name for file in found[:3]] == FIXED
    for file in found[3:]:
        figure = file.draw()
        assert "Nothing is measured yet." in around(figure)
        if re.search("diagonal$|profiles", file.name):
            assert_readable(figure)


def test_other_settings_and_ranges_get_files_of_their_own() -> None:
    small = [*EXP1[:4], *CONTROL[:4], *EXP2[:1]]
    before = names(small)
    ranges = [
        *configs_of("exp1", sizes=(4,), ranges=(10, 300)),
        *configs_of("exp2", moduli=(15,), ranges=(10, 300)),
    ]
    extra = [f"figure-extra-{e}-profiles-r{r}" for e in ("exp1", "exp2") for r in (10, 300)]
    assert sorted(names([*small, *ranges])) == sorted([*before, *extra])
    others = [
        *(with_fields(c, depth=5) for c in small),
        *configs_of("exp1", primes=(2, 3, 5), sizes=(3,), ranges=(100, 77)),
    ]
    after = names([*small, *others])
    assert [name for name in after if name in before] == before
    exp1, control, exp2 = 5, 2, 4  # heatmaps, profiles and lines of a study at one range
    assert len(after) - len(before) == exp1 + control + exp2 + exp1 + 1


def test_the_records_of_other_settings_stay_out_of_the_papers_figures() -> None:
    planned = EXP2[:1]
    other = [with_fields(config, depth=5) for config in planned]
    found = {f.name: f for f in files([*planned, *other], records_of(other, on=0.75))}
    assert inside(found["figure-09-exp2-factor"].draw().axes[0]) == []
    (name,) = (name for name in found if name.startswith("figure-09-exp2-factor-"))
    drawn = found[name].draw()
    assert inside(drawn.axes[0]) == ["0.75"]
    assert around(drawn).startswith("Experiment 2, depth 5: mean factor drop")


# Heatmaps.


@pytest.mark.parametrize(("number", "configs"), [(4, EXP1), (8, CONTROL), (10, EXP2)])
def test_every_cell_shows_its_own_mean(number: int, configs: list[ModelConfig]) -> None:
    expected: dict[tuple[str, str], list[float]] = {}
    records = plausible(configs)
    for record in records:
        config, m = record.config, record.measured
        drops = [
            drop
            for p, drop in zip(primes(config), m.drops, strict=True)
            if (modulus(config) % p == 0) is (number == 4)
        ]
        row = modulus(config) if number == 10 else len(primes(config))
        expected.setdefault((str(row), str(input_range(config))), []).append(statistics.mean(drops))
    found = table(draw(f"figure-{number:02}", configs, records))
    assert set(found) == set(expected)
    for place, text in found.items():
        if text != "×":
            assert float(text) == pytest.approx(statistics.mean(expected[place]), abs=0.00501)


def test_models_that_did_not_converge_or_fell_back_are_counted() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,))
    records = records_of(
        configs,
        on=0.3,
        accuracy=lambda c: 1.0 if modulus(c) == 3 else 0.75,
        best=lambda c: 0.75 if modulus(c) == 5 else 1.0,
    )
    figure = draw("figure-06", configs, records)
    assert inside(figure.axes[0]) == ["1 of 4", "2 fell back"]
    (mesh,) = (x for x in figure.axes[0].collections if isinstance(x, QuadMesh))
    assert np.asarray(mesh.get_array()).ravel().tolist() == [0.75]
    assert inside(draw("figure-06", configs, records_of(configs)).axes[0]) == ["0 of 4"]


def test_what_is_not_measured_is_a_gap_and_not_zero() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100, 500))
    gone = {configs[0], configs[-1]}
    kept = [record for record in records_of(configs, on=0.5) if record.config not in gone]
    figure = draw("figure-04", configs, [*kept, failed(configs[0])])
    assert table(figure) == {("4", "500"): "0.50", ("6", "100"): "0.50"}
    assert len(hatched(figure.axes[0])) == 2
    assert key(figure) == ["not measured yet"]
    assert "10 models, 1 seed (42) per configuration; noise floor 0.032 to 0.011." in around(figure)


def test_a_measured_modulus_without_such_rows_is_not_called_unmeasured() -> None:
    configs = configs_of("exp2", moduli=(4, 15), ranges=(500,), primes=(3, 5))
    records = [measured(config, [0.5, 0.25]) for config in configs]
    factor, nonfactor = (draw(f"figure-{n}", configs, records) for n in ("09", "10"))
    assert table(factor) == {("4", "500"): "×", ("15", "500"): "0.38"}
    assert table(nonfactor) == {("4", "500"): "0.38", ("15", "500"): "×"}
    assert "Left out where there are no such rows. 1 model," in around(factor)


def test_drops_below_the_noise_floor_are_grey() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100, 500))
    figure = draw("figure-05", configs, records_of(configs, off=0.02))
    (grey,) = filled(figure.axes[0], NOISE)
    assert isinstance(grey, Rectangle)
    assert (grey.get_x(), inside(figure.axes[0])) == (-0.5, ["0.02", "0.02"]), "0.032 and 0.011"
    assert key(figure) == ["below the noise floor"]
    assert not filled(draw("figure-04", configs, records_of(configs)).axes[0], NOISE)


# Lines.


def test_ranges_that_are_not_measured_are_gaps() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100, 500, 1000))
    records = [r for r in plausible(configs) if input_range(r.config) != 500][:-1]
    for axes in draw_lines(grid_of(configs, records)).axes:
        lines = [line for line in axes.lines if line.get_marker() != "None"]
        gaps = [np.isnan(np.asarray(line.get_ydata(), dtype=float)).tolist() for line in lines]
        assert gaps == [[False, True, False], [False, True, True]]


def test_the_noise_band_is_that_of_each_range_measured_or_not() -> None:
    configs = configs_of("exp1", sizes=(1,), ranges=(9, 101), pairs=10_003)
    sizes = [len(config.task.draw(config.seed).test.labels) for config in configs]
    for records in ([], plausible(configs)[:1]):
        (band,) = draw_lines(grid_of(configs, records)).axes[1].patches
        found = band.get_data().values.tolist()  # type: ignore[attr-defined]
        assert found == pytest.approx([2 * math.sqrt(0.5 / n) for n in sizes])


# Profiles.


def heights(axes: Axes, color: str) -> list[float]:
    wanted = Rectangle((0, 0), 1, 1, color=color).get_facecolor()
    bars = [bar for group in axes.containers for bar in group if isinstance(bar, Rectangle)]
    return [bar.get_height() for bar in bars if bar.get_facecolor() == wanted]


def headings(figure: Figure) -> list[str]:
    return [axes.get_title("left") for axes in figure.axes if axes.get_title("left")]


def test_a_matrix_has_a_row_for_each_task_and_a_column_for_each_ablated_prime() -> None:
    configs = configs_of("exp1", sizes=(2, 3), ranges=(100, 500))
    records = [
        measured(c, [modulus(c) / 100 + i / 10 for i in range(len(primes(c)))])
        for c in configs
        if input_range(c) == 500
    ]
    figure = draw_matrices(grid_of(configs, records), 500)
    assert headings(figure) == ["|P| = 2", "|P| = 3"]
    for axes, size in zip(figure.axes, (2, 3), strict=False):
        places = {text.get_position(): text.get_text() for text in axes.texts}
        assert places == {
            (j, i): f".{p + 10 * j:02}" for i, p in enumerate((3, 5, 7)[:size]) for j in range(size)
        }
    assert "5 models, 1 seed (42) per configuration; noise floor 0.011." in around(figure)


def test_a_task_that_is_not_measured_is_a_gap() -> None:
    configs = configs_of("exp1", sizes=(3,), ranges=(100,))
    records = [*records_of(configs[:1], on=0.5), failed(configs[1])]
    figure = draw_matrices(grid_of(configs, records), 100)
    assert inside(figure.axes[0]) == [".50"], "the two others are below the noise floor"
    assert len(hatched(figure.axes[0])) == 6
    assert "1 model, 1 seed (42) per configuration; noise floor 0.032." in around(figure)


def test_bars_have_the_drops_of_their_modulus_and_colour_its_factors() -> None:
    configs = [c for c in EXP2 if input_range(c) == 500]
    records = [measured(c, [modulus(c) / 1000 + i / 100 for i in range(8)]) for c in configs]
    figure = draw_bars(grid_of(configs, records), 500)
    assert headings(figure) == [f"N = {modulus(config)}" for config in configs]
    for axes, n in zip(figure.axes, map(modulus, configs), strict=True):
        drops = {p: n / 1000 + i / 100 for i, p in enumerate((3, 5, 7, 11, 13, 17, 19, 23))}
        factors = [drop for p, drop in drops.items() if n % p == 0]
        others = [drop for p, drop in drops.items() if n % p]
        assert heights(axes, RELEVANT["facecolor"]) == pytest.approx(factors)
        assert heights(axes, OTHER["facecolor"]) == pytest.approx(others)


def test_empty_and_degenerate_panels_say_so() -> None:
    configs = configs_of("exp2", moduli=(15, 21, 231), ranges=(100,))
    figure = draw_bars(grid_of(configs, records_of(configs[:1])), 100)
    assert [inside(axes)[-1] for axes in figure.axes] == [".00", "not measured yet", "degenerate"]
    assert_readable(figure)
    measured_too = draw_bars(grid_of(configs, records_of(configs)), 100)
    assert headings(measured_too) == ["N = 15", "N = 21", "N = 231 (degenerate)"]


def test_only_models_planned_at_a_range_have_a_panel() -> None:
    moduli = configs_of("exp2", moduli=(15,), ranges=(100, 500))
    moduli += configs_of("exp2", moduli=(35,), ranges=(500,))
    assert [len(headings(draw_bars(grid_of(moduli), r))) for r in (100, 500)] == [1, 2]
    sizes = configs_of("exp1", sizes=(2,), ranges=(100, 500))
    sizes += configs_of("exp1", sizes=(3,), ranges=(500,))
    assert [len(headings(draw_matrices(grid_of(sizes), r))) for r in (100, 500)] == [1, 2]


# Captions.


def caption(configs: list[ModelConfig], several: str = "") -> str:
    records = plausible(configs)
    return grid_of(configs, records).caption("Text.", records, several=several)


def test_a_caption_gives_models_seeds_noise_floor_and_failures() -> None:
    assert caption(EXP1, several="Bars.") == (
        "Text. 350 models, 1 seed (42) per configuration; noise floor 0.032 to 0.011."
    )
    three = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=(9, 3, 7))
    mixed = [*three, *configs_of("exp2", moduli=(21,), ranges=(500,), seeds=(3,))]
    assert caption(mixed, several="Bars.").startswith(
        "Text. Bars. 4 models, 1–3 seeds (3, 7, 9) per configuration; noise floor 0.011"
    )
    many = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=tuple(range(9)))
    assert "Text. 9 models, 9 seeds per configuration; noise floor" in caption(many)
    records = [*plausible(EXP2[:1]), failed(EXP2[1])]
    found = grid_of(EXP2[:2], records).caption("Text.", records[:1])
    assert found.endswith("noise floor 0.032. 1 model failed; pfe status shows why.")
    assert grid_of(EXP2).caption("Text.", []) == "Text. Nothing is measured yet."


@pytest.mark.process
def test_several_processes_draw_the_same_files_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The threads of the test runner forbid forking, so another program draws with two."""
    program = (
        "import sys; from pathlib import Path\n"
        "from primefourier.figures import draw_circles\n"
        "from primefourier.lab import figures as figure_files\n"
        "figure_files.usable_cores = lambda: 2\n"
        "files = [figure_files.FigureFile(f'figure-{n}', lambda n=n: draw_circles(1, n, 7))\n"
        "         for n in range(3)]\n"
        "print(*figure_files.write_figures(files, Path(sys.argv[1])), sep='\\n')\n"
    )
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    monkeypatch.setattr(figure_files, "usable_cores", lambda: 1)
    drawn = [FigureFile(f"figure-{n}", partial(draw_circles, 1, n, 7)) for n in range(3)]
    written = [path.name for path in figure_files.write_figures(drawn, one)]
    words = [sys.executable, "-c", program, str(two)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert written == [Path(line).name for line in done.stdout.splitlines()]
    assert written == [f"figure-{n}.{kind}" for n in range(3) for kind in ("png", "svg")]
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in written)
