"""The results part of a report: what it shows are the numbers of the records."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator

from explorer_pages import write_report
from lab_records import EXP1, EXP2, PAPER, by_key, configs_of, failed, plausible
from primefourier.lab.results import find_variants, make_cells
from primefourier.lab.results.cells import Cell
from visits import Visit, visit

TITLES = {"exp1": "Experiment 1", "control": "Control (PFE-Shuffled)", "exp2": "Experiment 2"}
RECORDS = by_key(plausible(PAPER[:740]))  # of which the report is made: see conftest.py
CELLS = {
    (variant.experiment, *place): cell
    for variant, configs in find_variants(PAPER).items()
    for place, cell in make_cells(configs, RECORDS).items()
}


def cell_button(opened: Visit, experiment: str, row: int, input_range: int) -> Locator:
    figure = opened.page.get_by_role("figure", name=TITLES[experiment], exact=True)
    return figure.locator(f'button[data-row="{row}"][data-range="{input_range}"]')


MEASURES = {
    "Diagonal / factor drop": lambda cell: f"{cell.on.mean:z.3f}",
    "Off-diagonal / nonfactor drop": lambda cell: f"{cell.off.mean:z.3f}",
    "Ratio": lambda cell: str(cell.ratio).removesuffix(".0"),
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


def test_convergence_is_the_share_of_models(report: Visit) -> None:
    report.page.get_by_role("radio", name="Convergence").click()
    cell = CELLS["exp1", 8, 1000]
    assert cell.converged == 1
    assert cell_button(report, "exp1", 8, 1000).inner_text() in ("1.000", "100 %")


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_the_tooltip_tells_value_floor_seeds_and_models(report: Visit, how: str) -> None:
    cell = CELLS["exp1", 8, 1000]
    getattr(cell_button(report, "exp1", 8, 1000), how)()
    text = report.page.get_by_role("tooltip").inner_text()
    assert cell.on is not None
    for word in (f"{cell.on.mean:.3f}", f"{cell.noise_floor:.3f}", "42", "8"):
        assert word in text


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
    for title in ("Ablation profile", "Training curves"):
        assert panel.get_by_text(title).is_visible()


def test_a_training_curve_is_drawn_for_every_model(report: Visit) -> None:
    cell_button(report, "exp1", 6, 1000).click()
    models = report.page.get_by_role("list", name="Models")
    assert models.get_by_role("button").all_inner_texts() == [
        f"p = {p}" for p in (3, 5, 7, 11, 13, 17)
    ]


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


@pytest.mark.parametrize("state", ["waiting", "partial", "missing", "failed", "left-out"])
def test_what_has_no_value_says_why(browser: Browser, unfinished: Path, state: str) -> None:
    with visit(browser, unfinished) as opened:
        cell = opened.page.locator(f"#results [role=grid] button.{state}").first
        cell.click()
        text = opened.page.locator(".detail").inner_text()
        assert "pfe run" in text
        assert "--out results/paper" in text


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


def test_several_seeds_have_an_interval_and_can_be_seen_one_by_one(seeds: Visit) -> None:
    cell_button(seeds, "exp1", 4, 100).hover()
    assert "±" in seeds.page.get_by_role("tooltip").inner_text()
    cell_button(seeds, "exp1", 4, 100).click()
    panel = seeds.page.locator(".detail")
    assert "9007199254740993" in panel.inner_text()
    panel.get_by_label("Seeds shown").select_option("43")
    names = seeds.page.get_by_role("list", name="Models").get_by_role("button")
    assert names.count() == 4
