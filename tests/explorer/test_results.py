"""The results part of a report: what it shows are the numbers of the records."""

import math
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator

from explorer_pages import RECORDS, read_command, write_report
from lab_records import EXP1, EXP2, PAPER, by_key, configs_of, failed, plausible
from primefourier.analysis import Interval
from primefourier.lab.results import find_variants, make_cells, paper_variant
from primefourier.lab.results.cells import Cell
from visits import Visit, visit

TITLES = {"exp1": "Experiment 1", "control": "Control (PFE-Shuffled)", "exp2": "Experiment 2"}
CELLS = {
    (variant.experiment, *place): cell
    for variant, configs in find_variants(PAPER).items()
    for place, cell in make_cells(configs, by_key(RECORDS)).items()
}
TICKS = """
(svg) => [...svg.querySelectorAll("text.tick[text-anchor=end]")].map((tick) =>
  [Number(tick.textContent), Number(tick.getAttribute("y"))])
"""


def cell_button(opened: Visit, experiment: str, row: int, input_range: int) -> Locator:
    figure = opened.page.get_by_role("figure", name=TITLES[experiment], exact=True)
    return figure.locator(f'button[data-row="{row}"][data-range="{input_range}"]')


DROPS: list[Callable[[Cell], Interval | None]] = [lambda cell: cell.on, lambda cell: cell.off]
MEASURES: dict[str, Callable[[Any], str]] = {
    "Diagonal / factor drop": lambda cell: f"{cell.on.mean:z.3f}",
    "Off-diagonal / nonfactor drop": lambda cell: f"{cell.off.mean:z.3f}",
    "Ratio": lambda cell: str(cell.ratio),
    "Convergence": lambda cell: f"{math.floor(100 * cell.converged + 0.5)} %",
    "Accuracy": lambda cell: f"{cell.accuracy.mean:.3f}",
}


@pytest.mark.parametrize("measure", MEASURES)
def test_every_cell_shows_the_value_of_its_records(report: Visit, measure: str) -> None:
    report.page.get_by_role("radio", name=measure, exact=True).click()
    shown = report.page.evaluate(
        """() => [...document.querySelectorAll("#results figure")].map((figure) =>
          [...figure.querySelectorAll("[role=grid] button.value")].map((button) =>
            [Number(button.dataset.row), Number(button.dataset.range), button.textContent]))"""
    )
    found = {
        (experiment, row, r): text.replace("−", "-")
        for experiment, cells in zip(TITLES, shown, strict=True)
        for row, r, text in cells
    }
    expected = {
        place: MEASURES[measure](cell) for place, cell in CELLS.items() if not cell.degenerate
    }
    assert found == expected


def test_some_models_of_the_report_did_not_converge() -> None:
    assert 0 < CELLS["exp1", 16, 1000].converged < 1


def test_both_drops_are_told_at_a_glance(report: Visit) -> None:
    for experiment, title in TITLES.items():
        figure = report.page.get_by_role("figure", name=title, exact=True)
        cells = [c for (name, *_), c in CELLS.items() if name == experiment and not c.degenerate]
        shown = [float(text) for text in figure.locator(".two-bars strong").all_inner_texts()]
        expected = [
            statistics.mean(interval.mean for cell in cells if (interval := read(cell)))
            for read in DROPS
        ]
        assert shown == pytest.approx(expected, abs=0.0006)


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_the_tooltip_tells_value_floor_seeds_and_models(report: Visit, how: str) -> None:
    cell = CELLS["exp1", 8, 1000]
    getattr(cell_button(report, "exp1", 8, 1000), how)()
    text = report.page.get_by_role("tooltip").inner_text()
    assert cell.on is not None
    assert cell.off is not None
    assert text.split("\n") == [
        "|P| = 8, r = 1000",
        *("diagonal drop", f"{cell.on.mean:.3f}"),
        *("off-diagonal drop", f"{cell.off.mean:.4f}"),
        *("noise floor", f"{cell.noise_floor:.4f}"),
        *("seed", "42"),
        *("models", "8 of 8 measured"),
    ]


def test_pointing_at_a_cell_links_the_grids(report: Visit) -> None:
    cell_button(report, "exp1", 6, 500).hover()
    assert "same" in (cell_button(report, "control", 6, 500).get_attribute("class") or "").split()
    other = cell_button(report, "control", 8, 500).get_attribute("class") or ""
    assert "same" not in other.split()
    column = cell_button(report, "exp2", 15, 500).get_attribute("class") or ""
    assert "same-range" in column.split()


@pytest.mark.parametrize(
    ("experiment", "row", "input_range"),
    [("exp1", 4, 100), ("exp1", 16, 4000), ("control", 8, 500), ("exp2", 105, 1000)],
)
def test_opening_a_cell_shows_the_numbers_of_the_store(
    report: Visit, experiment: str, row: int, input_range: int
) -> None:
    cell_button(report, experiment, row, input_range).click()
    panel = report.page.get_by_role("region", name=TITLES[experiment])
    cell: Cell = CELLS[experiment, row, input_range]
    assert cell.name in panel.inner_text()
    panel.locator("details.raw summary").click()
    panel.locator("td[data-prime]").first.wait_for()
    drops = panel.locator("td[data-prime]").evaluate_all(
        "cells => cells.map(({ dataset: d }) => [d.modulus, d.seed, d.prime, d.value])"
    )
    assert {(int(m), int(s), int(p)): float(value) for m, s, p, value in drops} == {
        (record.config.modulus, record.config.seed, prime): drop
        for record in cell.records
        for prime, drop in zip(record.config.primes, record.measured.drops, strict=True)
    }
    accuracies = panel.locator("td[data-measure=accuracy]").evaluate_all(
        "cells => cells.map(({ dataset: d }) => [d.modulus, d.value])"
    )
    assert {int(modulus): float(value) for modulus, value in accuracies} == {
        record.config.modulus: record.measured.accuracy for record in cell.records
    }
    p_values = panel.locator("td[data-prime] small").evaluate_all(
        "notes => notes.map((note) => Number(note.dataset.p))"
    )
    expected = [p for record in cell.records for p in record.measured.p_values]
    assert p_values == pytest.approx(expected, rel=0.06)
    bold = panel.locator("td.relevant").evaluate_all(
        "cells => cells.map(({ dataset: d }) => [Number(d.modulus), Number(d.prime)])"
    )
    assert bold == [[r.config.modulus, p] for r in cell.records for p in r.config.relevant]


def heights(chart: Locator, points: list[float]) -> list[float]:
    """Turn heights on a chart into the values that its axis gives them."""
    ticks = dict(chart.evaluate(TICKS))
    return [(y - ticks[0]) / (ticks[1] - ticks[0]) for y in points]


def test_the_profile_is_that_of_the_records(report: Visit) -> None:
    cell_button(report, "exp1", 6, 1000).click()
    rows = report.page.locator(".profile-matrix tbody tr").all_inner_texts()
    assert [row.replace("−", "-").split("\t") for row in rows] == [
        [str(record.config.modulus), *(f"{drop:z.2f}" for drop in record.measured.drops)]
        for record in CELLS["exp1", 6, 1000].records
    ]
    cell_button(report, "exp2", 105, 1000).click()
    (record,) = CELLS["exp2", 105, 1000].records
    chart = report.page.locator(".detail svg").first
    label = chart.get_attribute("aria-label") or ""
    told = [
        f"{p}: {drop:z.3f}{' (factor)' if p in record.config.relevant else ''}".replace("-", "−")
        for p, drop in zip(record.config.primes, record.measured.drops, strict=True)
    ]
    assert label.endswith(", ".join(told))
    assert chart.locator(".bar.factor").count() == 3


def test_a_training_curve_is_drawn_for_every_model(report: Visit) -> None:
    cell_button(report, "exp1", 6, 1000).click()
    models = report.page.get_by_role("list", name="Models")
    assert models.get_by_role("button").all_inner_texts() == [
        f"p = {p}" for p in (3, 5, 7, 11, 13, 17)
    ]
    chart = report.page.locator(".curves svg").first
    for i, record in enumerate(CELLS["exp1", 6, 1000].records):
        path = chart.locator("path.stroke").nth(i).get_attribute("d") or ""
        points = [float(place.split(" ")[1]) for place in re.split("[ML]", path)[1:]]
        curve = pytest.approx(record.measured.accuracy_by_epoch, abs=0.005)
        assert heights(chart, points) == curve


def test_the_lines_go_through_the_values(report: Visit) -> None:
    chart = report.page.locator(".lines svg").first
    points = chart.locator(".point").evaluate_all(
        "marks => marks.map((mark) => Number(mark.getAttribute('transform').match(/ (.*)\\)/)[1]))"
    )
    ranges, sizes = (100, 500, 1000, 2000, 4000), (4, 6, 8, 10, 12, 14, 16)
    cells = [CELLS["exp1", size, r] for size in sizes for r in ranges]
    expected = [
        interval.mean
        for row in range(len(sizes))
        for read in DROPS
        for cell in cells[5 * row : 5 * row + 5]
        if (interval := read(cell))
    ]
    assert heights(chart, points) == pytest.approx(expected, abs=0.005)


def test_arrow_keys_walk_and_enter_opens_and_escape_closes(report: Visit) -> None:
    page = report.page
    cell_button(report, "exp1", 4, 100).focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    focused = page.evaluate(
        "[document.activeElement.dataset.row, document.activeElement.dataset.range]"
    )
    assert focused == ["8", "100"]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "detail-title"
    page.keyboard.press("Escape")
    assert page.locator(".detail").count() == 0
    assert page.evaluate("document.activeElement.dataset.row") == "8"


def test_the_close_button_closes(report: Visit) -> None:
    cell_button(report, "exp1", 4, 100).click()
    report.page.get_by_role("button", name="Close").click()
    assert report.page.locator(".detail").count() == 0


def test_lines_follow_the_choice_of_the_experiment(report: Visit) -> None:
    page = report.page
    lines = page.get_by_role("list", name="Lines")
    assert "|P| = 16" in lines.inner_text()
    page.get_by_role("radiogroup", name="Lines of").get_by_role(
        "radio", name="Experiment 2"
    ).click()
    assert "N = 105" in lines.inner_text()


def test_a_name_in_a_legend_brings_out_its_line(report: Visit) -> None:
    cell_button(report, "exp1", 4, 100).click()
    for chart, name in [(".lines", "|P| = 6"), (".curves", "p = 7")]:
        entry = report.page.locator(f"{chart} .legend").get_by_role("button", name=name)
        entry.hover()
        assert report.page.locator(f"{chart} g.strong").count() == 1
        assert report.page.locator(f"{chart} g.faded").count() >= 3
        assert name in report.page.get_by_role("tooltip").inner_text()


@pytest.mark.parametrize("state", ["waiting", "partial", "missing", "failed", "left-out"])
def test_what_has_no_value_says_why(browser: Browser, unfinished: Path, state: str) -> None:
    with visit(browser, unfinished) as opened:
        for button in opened.page.locator(f"#results [role=grid] button.{state}:visible").all()[:3]:
            button.click()
            command = opened.page.locator(".detail .command code").inner_text()
            asked = read_command(command)
            row, r = (int(button.get_attribute(f"data-{name}") or "") for name in ("row", "range"))
            (variant,) = find_variants(asked.configs())
            assert variant == paper_variant(variant.experiment)
            assert asked.configs() == variant.models(row, r, seed=42)


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cells of every kind: measured, waiting, partly measured, failed, not asked for."""
    file = tmp_path_factory.mktemp("unfinished") / "report.html"
    asked = [c for c in EXP1 if len(c.primes) == 4] + [c for c in EXP2 if c.input_range == 100]
    records = [*plausible(asked[:6]), *(failed(c) for c in asked[8:12])]
    write_report(file, asked, records)
    return file


@pytest.fixture(scope="module")
def seeds(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """Three seeds of one configuration, one of them beyond what a float64 can hold."""
    file = tmp_path_factory.mktemp("seeds") / "report.html"
    asked = configs_of("exp1", sizes=[4], ranges=[100], seeds=[42, 43, 2**53 + 1])
    write_report(file, asked, plausible(asked))
    with visit(browser, file) as opened:
        yield opened


def test_the_command_asks_for_the_seeds_of_its_own_cell(browser: Browser, tmp_path: Path) -> None:
    """Not for those of other cells, which would train what nobody asked for."""
    file = tmp_path / "report.html"
    asked = [
        *configs_of("exp1", sizes=[4], ranges=[100], seeds=[42]),
        *configs_of("exp1", sizes=[4], ranges=[500], seeds=[7, 8]),
    ]
    write_report(file, asked, plausible(asked[1:]))
    with visit(browser, file) as opened:
        cell_button(opened, "exp1", 4, 100).click()
        command = opened.page.locator(".detail .command code").inner_text()
        assert read_command(command).seeds == (42,)


def test_several_seeds_have_an_interval_and_can_be_seen_one_by_one(seeds: Visit) -> None:
    cell_button(seeds, "exp1", 4, 100).hover()
    assert "±" in seeds.page.get_by_role("tooltip").inner_text()
    cell_button(seeds, "exp1", 4, 100).click()
    panel = seeds.page.locator(".detail")
    assert "9007199254740993" in panel.inner_text()
    panel.get_by_label("Seeds shown").select_option("43")
    names = seeds.page.get_by_role("list", name="Models").get_by_role("button")
    assert names.count() == 4
