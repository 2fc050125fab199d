"""The paper's figures: which there are, what they show, and their captions."""

import math
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from drawn import around, assert_readable, hatched, inside, key
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
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.studies import models_of, profile
from primefourier.lab.studies.figure_files import FigureFile
from primefourier.lab.studies.grid import Grid
from primefourier.lab.studies.paper_figures import draw_figures, draw_lines

FIXED = [
    "figure-01-circles-9-17-mod-23", "figure-02-circles-13-15-mod-21", "figure-03-block-diagonal",
]  # fmt: skip
FIGURES = sorted([
    *FIXED,
    "figure-04-exp1-diagonal", "figure-05-exp1-off-diagonal", "figure-06-exp1-convergence",
    "figure-07-control-diagonal", "figure-08-control-off-diagonal",
    "figure-09-exp2-factor", "figure-10-exp2-nonfactor", "figure-11-exp2-accuracy",
    "figure-12-exp1-profiles-r100", "figure-13-exp1-profiles-r500",
    "figure-14-exp1-profiles-r1000", "figure-15-exp1-profiles-r2000",
    "figure-16-exp1-profiles-r4000", "figure-17-exp1-lines",
    "figure-18-exp2-profiles-r100", "figure-19-exp2-profiles-r500",
    "figure-20-exp2-profiles-r1000", "figure-21-exp2-profiles-r2000",
    "figure-22-exp2-profiles-r4000",
])  # fmt: skip


def files(configs: list[ModelConfig], records: list[Record] | None = None) -> list[FigureFile]:
    return list(draw_figures(run_of(configs, records or []).grids))


def names(configs: list[ModelConfig]) -> list[str]:
    found = [file.name for file in files(configs)]
    assert len(set(found)) == len(found), "two figures in one file"
    return found


def grid_of(configs: list[ModelConfig], records: list[Record] | None = None) -> Grid:
    (grid,) = run_of(configs, records or []).grids
    return grid


# Which figures there are.


def test_the_paper_has_22_figures_measured_or_not() -> None:
    assert len(FIGURES) == 22
    assert sorted(names(PAPER)) == FIGURES
    assert sorted(file.name for file in files(PAPER, plausible(PAPER))) == FIGURES
    assert sorted(names(models_of(profile("quick")))) == FIGURES


@pytest.mark.parametrize(
    ("configs", "numbers"),
    [
        ([], []),
        (EXP1, [4, 5, 6, 12, 13, 14, 15, 16, 17]),
        (CONTROL, [7, 8]),
        (EXP2, [9, 10, 11, 18, 19, 20, 21, 22]),
    ],
)
def test_experiments_without_planned_models_have_no_figures(
    configs: list[ModelConfig], numbers: list[int]
) -> None:
    assert sorted(int(name[7:9]) for name in names(configs)) == [1, 2, 3, *numbers]


@pytest.mark.parametrize("measured", [False, True])
def test_all_figures_are_drawn_and_readable(measured: bool) -> None:
    configs = models_of(profile("smoke"))
    found = files(configs, plausible(configs) if measured else [])
    assert len(found) == 15
    for file in found:
        figure = file.draw()
        assert_readable(figure)
        text = around(figure)
        if file.name not in FIXED:
            _, _, experiment, *_ = file.name.split("-")
            rows = "--moduli 15,21,77,105,231" if experiment == "exp2" else "--sizes 4"
            ranges = "100" if experiment == "exp2" else "100,500"
            assert file.made_by == f"pfe run {experiment} {rows} --ranges {ranges}"
            assert ("Nothing is measured yet." in text) is not measured
            assert ("1 seed (42) per configuration" in text) is measured
            assert ("noise floor 0.0" in text) is measured


def test_other_ranges_get_files_of_their_own() -> None:
    own = [
        *configs_of("exp1", sizes=(4,), ranges=(10, 300)),
        *configs_of("exp2", moduli=(15,), ranges=(10, 300)),
    ]
    extra = [f"figure-extra-{e}-profiles-r{r}" for e in ("exp1", "exp2") for r in (10, 300)]
    assert sorted(set(names([*PAPER, *own]))) == sorted([*FIGURES, *extra])
    assert set(extra) <= set(names(own))


def test_other_settings_get_files_of_their_own() -> None:
    p0 = PAPER_BASIS.primes
    small = [*EXP1[:4], *CONTROL[:4], *EXP2[:1]]
    others = [
        *(with_fields(c, depth=5) for c in small),
        *(with_fields(c, operation="multiply") for c in small),
        *(with_fields(c, epochs=3) for c in small),
        *(with_fields(c, trainer="plain") for c in small),
        *configs_of("control", sizes=(4,), ranges=(100,), embedding="shuffled-pair"),
        *configs_of("exp1", primes=(*p0, 61), sizes=(17,), ranges=(100,)),
        *configs_of("exp1", primes=(2, 3, 5), sizes=(3,), ranges=(100, 77)),
        *configs_of("exp2", primes=(3, 5), moduli=(15,), ranges=(100, 77)),
    ]
    before, after = names(PAPER), names([*PAPER, *others])
    assert [name for name in after if name in FIGURES] == before
    added = [name for name in after if name not in FIGURES]
    exp1, control, exp2 = 5, 2, 4  # heatmaps, profiles and lines of a study at one range
    pools = exp1 + (exp1 + 1) + (exp2 + 1)  # two of them with one more range
    assert len(added) == 4 * (exp1 + control + exp2) + control + pools
    assert not set(names(others)) & (set(FIGURES) - set(FIXED))


def test_a_file_keeps_its_name_when_more_is_planned() -> None:
    first = configs_of("exp1", sizes=(4,), ranges=(100,), depth=3)
    more = configs_of("exp1", sizes=(4, 8), ranges=(100,), depth=3)
    assert names(first) == names(more)


def test_the_records_of_other_settings_stay_out_of_the_papers_figures() -> None:
    planned = EXP2[:1]
    other = [with_fields(config, depth=5) for config in planned]
    records = records_of(other, on=0.75)
    found = {f.name: f for f in files([*planned, *other], records)}
    paper = found["figure-09-exp2-factor"].draw()
    assert inside(paper.axes[0]) == []
    (name,) = (name for name in found if name.startswith("figure-09-exp2-factor-"))
    drawn = found[name].draw()
    assert inside(drawn.axes[0]) == ["0.75"]
    assert around(drawn).startswith("Experiment 2, depth 5: mean factor drop")


# Heatmaps.


def draw(number: int, configs: list[ModelConfig], records: list[Record]) -> Figure:
    (file,) = (f for f in files(configs, records) if f.name.startswith(f"figure-{number:02}-"))
    return file.draw()


def table(figure: Figure) -> dict[tuple[str, str], str]:
    """Return what is written in each cell, by the names of its row and column."""
    axes = figure.axes[0]
    rows, columns = axes.get_yticklabels(), axes.get_xticklabels()
    return {
        (rows[round(y)].get_text(), columns[round(x)].get_text()): text.get_text()
        for text in axes.texts
        for x, y in [text.get_position()]
        if "±" not in text.get_text()
    }


def drop(record: Record, *, relevant: bool) -> float:
    config, m = record.config, record.measured
    return statistics.mean(
        (m.lost[i] - m.gained[i]) / m.test_size
        for i, p in enumerate(primes(config))
        if (modulus(config) % p == 0) is relevant
    )


@pytest.mark.parametrize(
    ("number", "configs"),
    [
        (4, EXP1),
        (5, EXP1),
        (6, EXP1),
        (7, CONTROL),
        (8, CONTROL),
        (9, EXP2),
        (10, EXP2),
        (11, EXP2),
    ],
)
def test_every_cell_shows_its_own_mean(number: int, configs: list[ModelConfig]) -> None:
    records = plausible(configs)
    expected: dict[tuple[str, str], list[float]] = {}
    for record in records:
        config, m = record.config, record.measured
        row = modulus(config) if configs is EXP2 else len(primes(config))
        value = {
            6: float(max(m.correct_by_epoch) / m.test_size > 0.85),
            11: m.correct / m.test_size,
        }.get(number)
        if value is None:
            value = drop(record, relevant=number in (4, 7, 9))
        expected.setdefault((str(row), str(input_range(config))), []).append(value)
    figure = draw(number, configs, records)
    found = table(figure)
    crossed = {("231", "100"), ("385", "100")} if configs is EXP2 else set()
    assert {place for place, text in found.items() if text == "×"} == crossed
    assert set(found) == set(expected)
    for place in set(found) - crossed:
        value = float(found[place].replace("−", "-"))
        assert value == pytest.approx(statistics.mean(expected[place]), abs=0.00501)
    assert hatched(figure.axes[0]) == []


def test_what_is_not_measured_is_a_gap_and_not_zero() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100, 500))
    records = records_of(configs, on=0.5)
    gone = {configs[0], configs[-1]}
    kept = [record for record in records if record.config not in gone]
    figure = draw(4, configs, [*kept, failed(configs[0])])
    assert table(figure) == {("4", "500"): "0.50", ("6", "100"): "0.50"}
    assert len(hatched(figure.axes[0])) == 2
    assert key(figure) == ["not measured yet"]
    assert "10 models, 1 seed (42) per configuration; noise floor 0.032 to 0.011." in around(figure)


def test_left_out_cells_are_explained_and_do_not_count() -> None:
    figure = draw(9, EXP2, plausible(EXP2))
    assert "Left out where no sum wraps around. 48 models," in around(figure)
    assert key(figure) == ["× left out on purpose"]
    assert "Left out" not in around(draw(4, EXP1[:4], []))
    unmeasured = draw(9, EXP2, [])
    assert list(table(unmeasured).values()) == ["×", "×"]
    assert len(hatched(unmeasured.axes[0])) == 48


def test_a_measured_modulus_without_such_rows_is_not_called_unmeasured() -> None:
    configs = configs_of("exp2", moduli=(4, 15), ranges=(500,), primes=(3, 5))
    records = [measured(config, [0.5, 0.25]) for config in configs]
    factor, nonfactor = draw(9, configs, records), draw(10, configs, records)
    assert table(factor) == {("4", "500"): "×", ("15", "500"): "0.38"}
    assert table(nonfactor) == {("4", "500"): "0.38", ("15", "500"): "×"}
    for figure in (factor, nonfactor):
        assert key(figure) == ["× left out on purpose"]
        assert "Left out where there are no such rows. 1 model," in around(figure)


def test_several_seeds_show_their_interval() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))
    records = records_of(configs, on=lambda c: 0.5 + 0.01 * c.seed)
    figure = draw(4, configs, records)
    assert inside(figure.axes[0]) == ["0.52", "± 0.064"]  # 12.706 · 0.00707 / √2
    assert "± gives the 95 % interval over seeds. 8 models, 2 seeds (1, 2)" in around(figure)
    assert "±" not in around(draw(6, configs, records))
    one = [record for record in records if record.config.seed == 1]
    assert "±" not in around(draw(4, configs, one))
    assert inside(draw(4, configs, one).axes[0]) == ["0.51"]


def test_captions_say_how_it_was_measured() -> None:
    configs = EXP1[:4]
    zeroed = around(draw(5, configs, plausible(configs)))
    assert "Rows are zeroed in trained networks, on test pairs. Means over the task" in zeroed
    assert "exceeds 0.85 after some epoch" in around(draw(6, configs, []))
    accuracy = draw(11, EXP2, plausible(EXP2))
    assert "zeroed" not in around(accuracy)
    assert_readable(accuracy)


# Lines.


def draw_both(configs: list[ModelConfig], records: list[Record]) -> Figure:
    return draw_lines(grid_of(configs, records))


def drawn_lines(figure: Figure, panel: int) -> list[list[float]]:
    """Return the values of each line with markers."""
    lines = [line for line in figure.axes[panel].lines if line.get_marker() not in ("None", "_")]
    return [np.asarray(line.get_ydata(), dtype=float).tolist() for line in lines]


def steps(figure: Figure) -> list[float]:
    """Return the upper edge of the noise band."""
    (band,) = figure.axes[1].patches
    return [float(value) for value in band.get_data().values]  # type: ignore[attr-defined]


def test_each_line_has_the_drops_of_its_size() -> None:
    def on(config: ModelConfig) -> float:
        return len(primes(config)) / 20 + input_range(config) / 40_000

    figure = draw_both(EXP1, records_of(EXP1, on=on, off=lambda c: on(c) / 10))
    ranges, sizes = (100, 500, 1000, 2000, 4000), (4, 6, 8, 10, 12, 14, 16)
    expected = [[size / 20 + r / 40_000 for r in ranges] for size in sizes]
    for panel, scale in ((0, 1), (1, 0.1)):
        found = drawn_lines(figure, panel)
        assert len(found) == 7
        for line, values in zip(found, expected, strict=True):
            assert line == pytest.approx([scale * value for value in values], abs=3e-4)
    assert key(figure) == [*(f"|P| = {size}" for size in sizes), "noise floor"]
    assert "350 models, 1 seed (42) per configuration; noise floor 0.032 to 0.011." in around(
        figure
    )
    assert "Error bars" not in around(figure)


def test_ranges_that_are_not_measured_are_gaps() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100, 500, 1000))
    records = [r for r in plausible(configs) if input_range(r.config) != 500][:-1]
    figure = draw_both(configs, records)
    for panel in (0, 1):
        four, six = drawn_lines(figure, panel)
        assert [math.isnan(y) for y in four] == [False, True, False]
        assert [math.isnan(y) for y in six] == [False, True, True]


def test_lines_are_drawn_with_nothing_measured() -> None:
    figure = draw_both(EXP1, [])
    assert "Nothing is measured yet." in around(figure)
    assert "|P| = 4, not measured yet" in key(figure)
    assert_readable(figure)


def test_the_noise_band_is_that_of_each_range_measured_or_not() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100, 500))
    right = [2 * math.sqrt(0.5 / n) for n in (2000, 16000)]
    assert steps(draw_both(configs, plausible(configs)[:4])) == pytest.approx(right)
    odd = configs_of("exp1", sizes=(1,), ranges=(9, 101), pairs=10_003)
    sizes = [len(config.task.draw(config.seed).test.labels) for config in odd]
    assert steps(draw_both(odd, [])) == pytest.approx([2 * math.sqrt(0.5 / n) for n in sizes])


def test_lines_of_several_seeds_have_error_bars() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100, 500), seeds=(1, 2))
    records = records_of(configs, on=lambda c: 0.5 + 0.01 * c.seed)
    half = [r for r in records if r.config.seed == 1 or input_range(r.config) == 100]
    figure = draw_both(configs, half)
    (bars,) = figure.axes[0].collections
    ((low, high),) = [
        (float(path[0][1]), float(path[1][1]))
        for path in bars.get_segments()  # type: ignore[attr-defined]
        if len(path)
    ]
    assert (low, high) == pytest.approx((0.515 - 0.06353, 0.515 + 0.06353), abs=1e-4)
    assert "Error bars are 95 % intervals over seeds. 12 models, 1–2 seeds" in around(figure)
    assert_readable(figure)


# Captions.


def caption(configs: list[ModelConfig], several: str = "") -> str:
    records = plausible(configs)
    return grid_of(configs, records).caption("Text.", records, several=several)


def test_a_caption_gives_models_seeds_and_noise_floor() -> None:
    assert caption(EXP1) == (
        "Text. 350 models, 1 seed (42) per configuration; noise floor 0.032 to 0.011."
    )
    one = configs_of("exp2", moduli=(15,), ranges=(500,))
    assert "1 model, 1 seed (42) per configuration; noise floor 0.011." in caption(one)
    assert "Bars." not in caption(one, several="Bars.")
    three = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=(9, 3, 7))
    assert caption(three, several="Bars.").startswith(
        "Text. Bars. 3 models, 3 seeds (3, 7, 9) per configuration"
    )
    mixed = [*three, *configs_of("exp2", moduli=(21,), ranges=(500,), seeds=(3,))]
    assert "4 models, 1–3 seeds (3, 7, 9) per configuration" in caption(mixed)
    many = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=tuple(range(9)))
    assert "Text. 9 models, 9 seeds per configuration; noise floor" in caption(many)


def test_a_title_names_the_plain_trainer_and_a_caption_failures() -> None:
    plain = [with_fields(config, trainer="plain") for config in EXP2[:2]]
    assert grid_of(plain).title == "Experiment 2, trainer plain"
    records = [*plausible(plain[:1]), failed(plain[1])]
    found = grid_of(plain, records).caption("Text.", records[:1])
    assert found.endswith("noise floor 0.032. 1 model failed; pfe status shows why.")
    assert grid_of(EXP2).caption("Text.", []) == "Text. Nothing is measured yet."


@pytest.mark.process
def test_several_processes_draw_the_same_files_as_one(tmp_path: Path) -> None:
    """The threads of the test runner forbid forking, so another program draws."""
    program = (
        "import sys; from pathlib import Path\n"
        "from primefourier.figures import draw_circles\n"
        "from primefourier.lab.studies import figure_files\n"
        "figure_files.usable_cores = lambda: int(sys.argv[2])\n"
        "files = [figure_files.FigureFile(f'figure-{n}', lambda n=n: draw_circles(1, n, 7))\n"
        "         for n in range(8)]\n"
        "print(*figure_files.write_figures(files, Path(sys.argv[1])), sep='\\n')\n"
    )
    found = []
    for cores in (1, 2):
        folder = tmp_path / str(cores)
        folder.mkdir()
        words = [sys.executable, "-c", program, str(folder), str(cores)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        names = [Path(line).name for line in done.stdout.splitlines()]
        assert names == [f"figure-{n}.{kind}" for n in range(8) for kind in ("png", "svg")]
        found.append({name: (folder / name).read_bytes() for name in names})
    assert found[0] == found[1]
