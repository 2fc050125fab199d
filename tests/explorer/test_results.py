"""The results in a report are the numbers of the records, and the claims the library's verdicts."""

import math
import re
import statistics
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from explorer_pages import RECORDS, write_report
from lab_records import EXP1, EXP2, STUDIES, configs_of, failed, plausible, records_of, run_of
from prime_models import input_range, modulus, primes
from primefourier.analysis import Interval
from primefourier.lab import Run, Study
from primefourier.lab.cells import Cell
from primefourier_paper import judge
from primefourier_paper.rule import tally
from small_models import small_config
from visits import Visit, read_heights, visit

TITLES = {"exp1": "Experiment 1", "control": "Control (PFE-Shuffled)", "exp2": "Experiment 2"}
CELLS = {
    (grid.study.name, *place): cell
    for grid in Run(STUDIES, RECORDS).grids
    for place, cell in grid.cells.items()
}


def cell_button(opened: Visit, experiment: str, row: int, column: int) -> Locator:
    figure = opened.page.get_by_role("figure", name=TITLES[experiment], exact=True)
    return figure.locator(f'button[data-row="{row}"][data-column="{column}"]')


DROPS: list[Callable[[Cell], Interval | None]] = [
    lambda cell: cell.relevant,
    lambda cell: cell.other,
]


def decimals(value: float) -> str:
    """Write a number as the page does: to three digits, and exact ties away from zero."""
    rounded = Decimal(value).quantize(Decimal("0.001"), ROUND_HALF_UP)
    return f"{rounded:z.3f}"


MEASURES: dict[str, Callable[[Any], str]] = {
    "Drop of other rows": lambda cell: decimals(cell.other.mean),
    "Ratio": lambda cell: str(cell.ratio),
    "Convergence": lambda cell: f"{math.floor(100 * cell.converged + 0.5)} %",
    "Accuracy": lambda cell: decimals(cell.accuracy.mean),
    "Drop of relevant rows": lambda cell: decimals(cell.relevant.mean),
}


def test_every_cell_shows_the_value_of_its_records(report: Visit) -> None:
    assert 0 < CELLS["exp1", 16, 1000].converged < 1, "some models did not converge"
    for measure, write in MEASURES.items():
        report.page.get_by_role("radio", name=measure, exact=True).click()
        shown = report.page.evaluate(
            """() => [...document.querySelectorAll("#results figure")].map((figure) =>
              [...figure.querySelectorAll("[role=grid] button.value")].map((button) =>
                [Number(button.dataset.row), Number(button.dataset.column), button.textContent]))"""
        )
        found = {
            (experiment, row, r): text.replace("−", "-")
            for experiment, cells in zip(TITLES, shown, strict=True)
            for row, r, text in cells
        }
        assert found == {place: write(c) for place, c in CELLS.items() if not c.degenerate}


def test_each_grid_shows_the_means_of_both_drops(report: Visit) -> None:
    for experiment, title in TITLES.items():
        figure = report.page.get_by_role("figure", name=title, exact=True)
        cells = [c for (name, *_), c in CELLS.items() if name == experiment and not c.degenerate]
        shown = [float(text) for text in figure.locator(".two-bars strong").all_inner_texts()]
        expected = [
            statistics.mean(interval.mean for cell in cells if (interval := read(cell)))
            for read in DROPS
        ]
        assert shown == pytest.approx(expected, abs=0.0006)


def test_tooltips_show_value_floor_seeds_and_models(report: Visit) -> None:
    report.page.mouse.move(0, 0)  # a page that scrolls must not bring another cell under it
    report.page.get_by_role("radio", name="Drop of relevant rows").click()
    cell = CELLS["exp1", 8, 1000]
    cell_button(report, "exp1", 8, 500).focus()
    report.page.keyboard.press("ArrowRight")
    assert cell.relevant is not None
    assert cell.other is not None
    assert report.page.get_by_role("tooltip").inner_text().split("\n") == [
        "|P| = 8, r = 1000",
        *("drop of relevant rows", f"{cell.relevant.mean:.3f}"),
        *("drop of other rows", f"{cell.other.mean:.4f}"),
        *("noise floor", f"{cell.noise_floor:.4f}"),
        *("seed", "42"),
        *("models", "8 of 8 measured"),
    ]


def test_pointing_at_a_cell_marks_it_in_the_other_grids(report: Visit) -> None:
    cell_button(report, "exp1", 6, 500).hover()
    expect(cell_button(report, "control", 6, 500)).to_contain_class("same")
    expect(cell_button(report, "control", 8, 500)).to_contain_class("same-column")
    expect(cell_button(report, "exp2", 15, 500)).to_contain_class("same-column")
    expect(cell_button(report, "exp2", 15, 1000)).not_to_contain_class("same-column")


@pytest.mark.parametrize(
    ("experiment", "row", "column"), [("control", 8, 500), ("exp2", 105, 1000)]
)
def test_an_open_cell_shows_the_numbers_of_its_records(
    report: Visit, experiment: str, row: int, column: int
) -> None:
    cell_button(report, experiment, row, column).click()
    panel = report.page.get_by_role("region", name=TITLES[experiment])
    cell: Cell = CELLS[experiment, row, column]
    assert cell.name in panel.inner_text()
    panel.locator("details.raw summary").click()
    panel.locator("td[data-row]").first.wait_for()
    drops = panel.locator("td[data-row]").evaluate_all(
        "cells => cells.map(({ dataset: d }) => [d.model, d.seed, d.row, d.value])"
    )
    assert {(int(m), int(s), int(p)): float(value) for m, s, p, value in drops} == {
        (modulus(record.config), record.config.seed, prime): drop
        for record in cell.records
        for prime, drop in zip(primes(record.config), record.measured.drops, strict=True)
    }
    accuracies = panel.locator("td[data-measure=accuracy]").evaluate_all(
        "cells => cells.map(({ dataset: d }) => [d.model, d.value])"
    )
    assert {int(model): float(value) for model, value in accuracies} == {
        modulus(record.config): record.measured.accuracy for record in cell.records
    }
    p_values = panel.locator("td[data-row] small").evaluate_all(
        "notes => notes.map((note) => Number(note.dataset.p))"
    )
    expected = [p for record in cell.records for p in record.measured.p_values]
    assert p_values == pytest.approx(expected, rel=0.06)
    bold = panel.locator("td.relevant").evaluate_all(
        "cells => cells.map(({ dataset: d }) => [Number(d.model), d.row])"
    )
    assert bold == [
        [modulus(record.config), name]
        for record in cell.records
        for name in record.config.relevant or ()
    ]


def test_the_profile_shows_the_drops_of_the_records(report: Visit) -> None:
    cell_button(report, "exp1", 6, 1000).click()
    rows = report.page.locator(".profile-matrix tbody tr")
    assert [row.replace("−", "-").split("\t") for row in rows.all_inner_texts()] == [
        [str(modulus(record.config)), *(f"{drop:z.2f}" for drop in record.measured.drops)]
        for record in CELLS["exp1", 6, 1000].records
    ]
    framed = rows.evaluate_all(
        "rows => rows.map((row) => [...row.cells].findIndex((cell) => cell.matches('.framed')))"
    )
    assert framed == [1, 2, 3, 4, 5, 6], "the relevant row, and no other before it"
    assert report.page.locator(".profile-matrix .framed").count() == 6
    cell_button(report, "exp2", 105, 1000).click()
    (record,) = CELLS["exp2", 105, 1000].records
    relevant = record.config.relevant or ()
    chart = report.page.locator(".detail svg").first
    texts = [
        f"{row}: {drop:z.3f}{' (relevant)' * (row in relevant)}".replace("-", "−")
        for row, drop in zip(record.config.row_names, record.measured.drops, strict=True)
    ]
    expect(chart).to_have_attribute("aria-label", re.compile(re.escape(", ".join(texts)) + "$"))
    expect(chart.locator(".bar.relevant")).to_have_count(3)


def test_a_training_curve_is_drawn_for_every_model(report: Visit) -> None:
    cell_button(report, "exp1", 6, 1000).click()
    models = report.page.get_by_role("list", name="Models").get_by_role("button")
    assert models.all_inner_texts() == [f"p = {p}" for p in (3, 5, 7, 11, 13, 17)]
    curves = report.page.locator(".curves .chart path.stroke")
    expect(curves).to_have_count(6)
    for path, record in zip(curves.all(), CELLS["exp1", 6, 1000].records, strict=True):
        points = [float(y) for y in re.findall(r" ([\d.]+)", path.get_attribute("d") or "")]
        curve = pytest.approx(record.measured.accuracy_by_epoch, abs=0.005)
        assert read_heights(report.page.locator(".curves svg").first, points) == curve
    models.nth(2).hover()
    expect(report.page.locator(".curves g.strong")).to_have_count(1)
    assert report.page.locator(".curves g.faded").count() == 5
    assert "p = 7" in report.page.get_by_role("tooltip").inner_text()


def test_a_bound_below_1_is_no_ratio(browser: Browser, tmp_path: Path) -> None:
    asked = configs_of("exp1", sizes=[4], ranges=[100, 500])
    small = [c for c in asked if input_range(c) == 100]
    records = [*records_of(small, on=0.001, off=0.0), *plausible(asked[len(small) :])]
    write_report(tmp_path / "report.html", asked, records)
    with visit(browser, tmp_path / "report.html") as opened:
        opened.page.get_by_role("radio", name="Ratio", exact=True).click()
        without, with_ratio = (cell_button(opened, "exp1", 4, r) for r in (100, 500))
        assert with_ratio.inner_text().startswith(">")
        assert without.inner_text() == "✕"
        words = "no ratio: the drop of relevant rows is not above the noise floor"
        assert without.get_attribute("aria-label") == f"|P| = 4, r = 100: {words}"


def test_the_keyboard_walks_through_a_grid_and_opens_and_closes_cells(report: Visit) -> None:
    page = report.page
    focused = "[document.activeElement.dataset.row, document.activeElement.dataset.column]"
    cell_button(report, "exp1", 4, 100).focus()
    for keys, place in [
        (["ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"], ["8", "100"]),
        (["End"], ["8", "4000"]),
        (["ArrowRight"], ["8", "4000"]),
        (["Home"], ["8", "100"]),
    ]:
        for key in keys:
            page.keyboard.press(key)
        assert page.evaluate(focused) == place
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "detail-title"
    page.keyboard.press("Escape")
    expect(page.locator(".detail")).to_have_count(0)
    assert page.evaluate(focused) == ["8", "100"]
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".detail")).to_have_count(0)


def test_cells_without_a_value_explain_why(browser: Browser, tmp_path: Path) -> None:
    asked = [c for c in EXP1 if len(primes(c)) == 4] + configs_of("exp1", sizes=[6], ranges=[100])
    asked += [c for c in EXP2 if input_range(c) == 100]
    records = [*plausible(asked[:6]), *(failed(c) for c in asked[8:12])]
    write_report(tmp_path / "report.html", asked, records)
    words = {
        "waiting": "N = 15, r = 100 is planned, but none of its 1 model is measured yet.",
        "partial": "2 of the 4 models of |P| = 4, r = 500 are measured. "
        "A value needs all models of a seed.",
        "missing": "|P| = 6, r = 500 is not planned.",
        "failed": "|P| = 4, r = 1000 failed: 4 of 4 models.",
        "left-out": "Note: no answer wraps around, so it is left out of the heatmaps.",
    }
    with visit(browser, tmp_path / "report.html") as opened:
        for state, sentence in words.items():
            cells = opened.page.locator(f"#results [role=grid] button.{state}")
            cells.nth(3 if state == "waiting" else 0).click()
            assert sentence in opened.page.locator(".detail").inner_text()


def test_networks_beyond_the_range_are_counted_in_words(browser: Browser, tmp_path: Path) -> None:
    """Three networks: right everywhere, on the next integers alone, and on neither."""
    configs = [
        small_config(modulus=n, beyond=(60, 10**6), beyond_samples=100, seed=seed)
        for n, seed in ((3, 1), (3, 2), (7, 1))
    ]
    found = [(100, 100), (99, 98), (50, 100)]
    records = [
        replace(r, measurement=replace(r.measured, beyond={"60": (a, 100), str(10**6): (b, 100)}))
        for r, (a, b) in zip(records_of(configs), found, strict=True)
    ]
    write_report(tmp_path / "report.html", [], records, studies=[Study("mine", configs)])
    with visit(browser, tmp_path / "report.html") as opened:
        near = "Right in range: 3 of 3 networks. Right on the next integers: 2 of these."
        far = "Right on every test set up to 10^6: 1 of these."
        assert opened.text("#beyond dd") == f"{near} {far}"
        head = "2 of 3 networks that are right in range are right on the next integers."
        assert f"Beyond the range: {head} The others cheat." in opened.text("#run")
        opened.page.get_by_role("grid").get_by_role("button").last.click()
        text = opened.text(".detail .facts").replace("\n", " ")
        assert "accuracy on the next integers, below 60 0.5000" in text
        assert "accuracy below 10^6 1.0000" in text


def test_several_seeds_have_intervals_and_can_be_shown_one_by_one(
    browser: Browser, tmp_path: Path
) -> None:
    """One seed is beyond 2^53."""
    asked = configs_of("exp1", sizes=[4], ranges=[100], seeds=[42, 43, 2**53 + 1])
    write_report(tmp_path / "report.html", asked, plausible(asked))
    with visit(browser, tmp_path / "report.html") as opened:
        cell_button(opened, "exp1", 4, 100).hover()
        assert "±" in opened.page.get_by_role("tooltip").inner_text()
        cell_button(opened, "exp1", 4, 100).click()
        panel = opened.page.locator(".detail")
        assert "9007199254740993" in panel.inner_text()
        panel.get_by_label("Seeds shown").select_option("43")
        names = opened.page.get_by_role("list", name="Models").get_by_role("button")
        assert names.count() == 4


FINDINGS = judge(Run(STUDIES, RECORDS))


def test_every_claim_shows_its_verdict_rule_and_evidence(report: Visit) -> None:
    found = report.page.evaluate(
        """() => Object.fromEntries(
          [...document.querySelectorAll("tbody[data-claim]")].map((body) => {
            const button = body.querySelector("[aria-expanded]");
            const states = [button.ariaExpanded], closed = body.innerText;
            button.click();
            states.push(button.ariaExpanded);
            const table = body.querySelector("table"), opened = body.innerText;
            const lines = [...(table?.tBodies[0].rows ?? [])];
            const rows = lines.map((row) => row.innerText.split("\\t"));
            const name = table?.caption.textContent;
            button.click();
            states.push(button.ariaExpanded);
            return [body.dataset.claim, { closed, opened, states, rows, name }];
          }))"""
    )
    assert found.keys() == {claim.name for claim in FINDINGS}
    for claim, finding in FINDINGS.items():
        shown = found[claim.name]
        for words in (claim.name, claim.statement, claim.paper, finding.words, finding.measured):
            assert words in shown["closed"]
        assert shown["states"] == ["false", "true", "false"]
        assert claim.rule not in shown["closed"]
        assert claim.rule in shown["opened"]
        assert shown["name"] == f"Evidence for {claim.name}" or not finding.evidence
        assert [[name, value] for name, value, *_ in shown["rows"]] == [
            [item.configuration, item.value] for item in finding.evidence
        ]


def test_evidence_opens_its_configuration_and_the_head_counts_the_verdicts(report: Visit) -> None:
    page = report.page
    page.get_by_role("button", name="C.1").click()
    page.get_by_role("button", name="|P| = 6, r = 500", exact=True).click()
    assert page.locator("#detail-title").inner_text() == "Control (PFE-Shuffled): |P| = 6, r = 500"
    text = page.locator("#run").inner_text().replace("\n", " ")
    counted = [words for _, count, words, _ in tally(FINDINGS) if count]
    assert len(counted) > 2
    for words in counted:
        assert f" {words} " in text


def test_several_seeds_show_intervals_and_doubt(browser: Browser, tmp_path: Path) -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2))
    records = records_of(configs, off=lambda c: 0.3 if (modulus(c), c.seed) == (21, 2) else 0.0)
    file = tmp_path / "report.html"
    write_report(file, configs, records)
    with visit(browser, file) as opened:
        counts = {verdict: words for verdict, _, words, _ in tally(judge(run_of(configs, records)))}
        assert counts["undecided"] in opened.text("#run")
        opened.page.get_by_role("button", name="E2.1").click()
        text = opened.page.locator('tbody[data-claim="E2.1"]').inner_text()
        assert "Agree with single seeds: 2, 1 of 2 (seeds 1, 2)." in text
        assert "Within 95 % intervals: 1 to 2 of 2." in text
        rows = opened.page.get_by_role("table", name="Evidence for E2.1").locator("tbody tr")
        assert [row.split("\t")[2] for row in rows.all_inner_texts()] == ["yes", "no, not settled"]
