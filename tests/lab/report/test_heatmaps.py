import statistics

import pytest
from matplotlib.figure import Figure

from drawn import around, assert_readable, hatched, inside, key
from lab_records import (
    CONTROL,
    EXP1,
    EXP2,
    by_key,
    configs_of,
    failed,
    measured,
    plausible,
    records_of,
)
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.report.heatmaps import HEATMAPS, draw_measure
from primefourier.lab.report.page import Page
from primefourier.lab.results import find_variants

BY_NUMBER = {heatmap.number: heatmap for heatmap in HEATMAPS}


def draw(number: int, configs: list[ModelConfig], records: list[Record]) -> Figure:
    ((variant, asked),) = find_variants(configs).items()
    return draw_measure(BY_NUMBER[number], Page(variant, asked, by_key(records), ["pfe run"]))


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
        for i, p in enumerate(config.primes)
        if (config.modulus % p == 0) is relevant
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
        row = config.modulus if config.experiment == "exp2" else len(config.primes)
        value = {
            6: float(max(m.correct_by_epoch) / m.test_size > 0.85),
            11: m.correct / m.test_size,
        }.get(number)
        if value is None:
            value = drop(record, relevant=number in (4, 7, 9))
        expected.setdefault((str(row), str(config.input_range)), []).append(value)
    figure = draw(number, configs, records)
    found = table(figure)
    crossed = {("231", "100"), ("385", "100")} if configs is EXP2 else set()
    assert {place for place, text in found.items() if text == "×"} == crossed
    assert set(found) == set(expected)
    for place in set(found) - crossed:
        value = float(found[place].replace("−", "-"))
        assert value == pytest.approx(statistics.mean(expected[place]), abs=0.00501)
    assert hatched(figure.axes[0]) == []


def test_numbers_measures_and_names_are_the_papers() -> None:
    assert {h.number: (h.experiment, h.slug) for h in HEATMAPS} == {
        4: ("exp1", "diagonal"), 5: ("exp1", "off-diagonal"), 6: ("exp1", "convergence"),
        7: ("control", "diagonal"), 8: ("control", "off-diagonal"),
        9: ("exp2", "factor"), 10: ("exp2", "nonfactor"), 11: ("exp2", "accuracy"),
    }  # fmt: skip


def test_what_is_not_measured_is_a_gap_and_not_zero() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100, 500))
    records = records_of(configs, on=0.5)
    gone = {configs[0], configs[-1]}
    kept = [record for record in records if record.config not in gone]
    figure = draw(4, configs, [*kept, failed(configs[0])])
    assert table(figure) == {("4", "500"): "0.50", ("6", "100"): "0.50"}
    assert len(hatched(figure.axes[0])) == 2
    assert key(figure) == ["not measured yet"]
    assert "10 models, 1 seed (42) a configuration; noise floor 0.032 to 0.011." in around(figure)


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


def test_a_cell_with_some_degenerate_tasks_is_shown() -> None:
    configs = configs_of("exp1", primes=(3, 59), sizes=(2,), ranges=(20,))
    assert table(draw(4, configs, records_of(configs, on=0.5))) == {("2", "20"): "0.50"}


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
