import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from drawn import around, assert_readable, key
from lab_records import EXP1, by_key, configs_of, plausible, records_of
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.report.lines import draw_lines
from primefourier.lab.report.page import Page
from primefourier.lab.results import find_variants
from primefourier.lab.task import make_task


def draw(configs: list[ModelConfig], records: list[Record]) -> Figure:
    ((variant, asked),) = find_variants(configs).items()
    return draw_lines(Page(variant, asked, by_key(records), ["pfe run"]))


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
        return len(config.primes) / 20 + config.input_range / 40_000

    figure = draw(EXP1, records_of(EXP1, on=on, off=lambda c: on(c) / 10))
    ranges, sizes = (100, 500, 1000, 2000, 4000), (4, 6, 8, 10, 12, 14, 16)
    expected = [[size / 20 + r / 40_000 for r in ranges] for size in sizes]
    for panel, scale in ((0, 1), (1, 0.1)):
        found = drawn_lines(figure, panel)
        assert len(found) == 7
        for line, values in zip(found, expected, strict=True):
            assert line == pytest.approx([scale * value for value in values], abs=3e-4)
    assert key(figure) == [*(f"|P| = {size}" for size in sizes), "noise floor"]
    assert "350 models, 1 seed (42) a configuration; noise floor 0.032 to 0.011." in around(figure)
    assert "Error bars" not in around(figure)


def test_ranges_that_are_not_measured_are_gaps() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100, 500, 1000))
    records = [r for r in plausible(configs) if r.config.input_range != 500][:-1]
    figure = draw(configs, records)
    for panel in (0, 1):
        four, six = drawn_lines(figure, panel)
        assert [math.isnan(y) for y in four] == [False, True, False]
        assert [math.isnan(y) for y in six] == [False, True, True]


def test_with_nothing_measured_it_is_still_drawn() -> None:
    figure = draw(EXP1, [])
    assert "Nothing is measured yet." in around(figure)
    assert "|P| = 4, not measured yet" in key(figure)
    assert_readable(figure)


def test_the_noise_band_is_that_of_each_range_measured_or_not() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100, 500))
    right = [2 * math.sqrt(0.5 / n) for n in (2000, 16000)]
    assert steps(draw(configs, plausible(configs)[:4])) == pytest.approx(right)
    odd = configs_of("exp1", sizes=(1,), ranges=(9, 101), pairs=10_003)
    sizes = [len(make_task(config).test_labels) for config in odd]
    assert steps(draw(odd, [])) == pytest.approx([2 * math.sqrt(0.5 / n) for n in sizes])


def test_several_seeds_have_error_bars() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100, 500), seeds=(1, 2))
    records = records_of(configs, on=lambda c: 0.5 + 0.01 * c.seed)
    half = [r for r in records if r.config.seed == 1 or r.config.input_range == 100]
    figure = draw(configs, half)
    (bars,) = figure.axes[0].collections
    ((low, high),) = [
        (float(path[0][1]), float(path[1][1]))
        for path in bars.get_segments()  # type: ignore[attr-defined]
    ]
    assert (low, high) == pytest.approx((0.515 - 0.06353, 0.515 + 0.06353), abs=1e-4)
    assert "Error bars are 95 % intervals over seeds. 12 models, 1–2 seeds" in around(figure)
    assert_readable(figure)
