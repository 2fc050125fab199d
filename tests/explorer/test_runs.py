"""Reports of empty, partial, failed and hostile runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from explorer_pages import write_report
from lab_records import EXP1, configs_of, diverged, failed, plausible, records_of
from primefourier import lab
from primefourier.lab import Study
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from visits import visit

HOSTILE = (
    "</script><script>document.title='owned'</script>"
    "<img src=x onerror=\"document.title='owned'\"> \u202e${1+1}"
)
"""Ends the script of the data, runs code, loads a file, reverses text, looks like a template."""


def check_page(browser: Browser, file: Path, *words: str) -> None:
    with visit(browser, file) as opened:
        text = opened.text("body")
        for word in words:
            assert word in text
        assert opened.page.locator("#circles .circle").count() == 4
        assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


OWN = configs_of("exp2", moduli=[45, 12], ranges=[50], primes=[2, 3], operation="multiply")
DIVERGED = configs_of("exp2", moduli=[15], ranges=[50], seeds=[1, 2])
DIVERGED_RECORDS = plausible(DIVERGED)
NONE_RELEVANT = configs_of("exp2", moduli=[49], ranges=[50], primes=[2, 3])
CASES: dict[str, tuple[Sequence[ModelConfig], Sequence[Record], list[str]]] = {
    "nothing planned": (
        [],
        [],
        ["No models are planned in this run yet"],
    ),
    "all failed": (
        EXP1[:4],
        [failed(config, "x" * 200_000) for config in EXP1[:4]],
        ["4 failed", "a+b mod 3 r=100 |P|=4 seed=42", "failed"],
    ),
    "one of two seeds diverged": (
        DIVERGED,
        [diverged(DIVERGED_RECORDS[0]), DIVERGED_RECORDS[1]],
        ["2 of 2 models measured, 1 diverged and left out of means"],
    ),
    "all diverged": (
        DIVERGED,
        [diverged(record) for record in DIVERGED_RECORDS],
        ["2 diverged and left out of means", "all networks diverged", "NaN"],
    ),
    "own settings, and some waiting": (
        OWN,
        plausible(OWN[:1]),
        [
            "Experiment 2, primes 2, 3, operation multiply",
            "1 of 2 models measured",
            "run the same command again",
        ],
    ),
    "no relevant rows": (
        NONE_RELEVANT,
        records_of(NONE_RELEVANT),
        ["1 model measured"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_run_gives_a_complete_page(browser: Browser, tmp_path: Path, case: str) -> None:
    planned, records, words = CASES[case]
    file = tmp_path / "report.html"
    write_report(file, planned, records)
    check_page(browser, file, *words)


def test_hostile_text_is_shown_and_does_nothing(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(
        file,
        EXP1[:8],
        [failed(EXP1[0], HOSTILE), *plausible(EXP1[1:8])],
        folder=Path(f"results/{HOSTILE.replace('/', '|')}"),
    )
    with visit(browser, file) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        assert HOSTILE in page.locator("#failures pre").inner_text()
        assert HOSTILE.replace("/", "|") in opened.text("#run")
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 2  # the data and the page's own
        assert page.title() != "owned"


def own_study() -> Study:
    """A study of one's own: rows are periods, and one of its four cells is not planned."""
    models = [
        lab.ModelConfig(
            embedding=lab.Periods((7.0, 10.5, 3.0)),
            task=lab.ModularArithmetic(modulus=n, input_range=40, samples=500, beyond=(10**18,)),
            training=lab.Training(epochs=epochs),
            seed=seed,
        )
        for n, epochs in ((7, 2), (7, 3), (11, 2))
        for seed in (1, 2)
    ]
    return Study("periods", models, "Periods of my own")


def test_a_study_of_ones_own_shows_its_axes_and_rows_and_nothing_of_the_paper(
    browser: Browser, tmp_path: Path
) -> None:
    study = own_study()
    records = [
        replace(record, measurement=replace(record.measured, beyond={str(10**18): (1, 2)}))
        for record in records_of(study.configs[:4], accuracy=0.9)
    ]
    records.append(failed(study.configs[5], "Traceback\nout of luck"))
    file = tmp_path / "report.html"
    write_report(file, [], records, studies=[study], folder=Path("results/mine"))
    with visit(browser, file) as opened:
        page = opened.page
        assert "4 of 6 models measured, 1 failed, 1 waiting." in opened.text("#run")
        assert "claims" not in opened.text("#run").lower()
        assert page.locator("h1").inner_text() == "Periods of my own"
        names = page.get_by_role("navigation").get_by_role("link").all_inner_texts()
        assert names == ["Results", "Failures", "Circles", "Channels"]
        assert page.locator("#claims").count() == 0
        assert page.locator("a[href='#claims']").count() == 0
        figure = page.get_by_role("figure", name="Periods of my own", exact=True)
        assert page.locator("#results figure").count() == 1
        assert figure.locator("caption").inner_text().endswith(" by modulus and epochs")
        assert figure.locator("thead th").all_inner_texts() == ["modulus \\ epochs", "2", "3"]
        assert figure.locator("tbody th").all_inner_texts() == ["7", "11"]
        faces = dict.fromkeys([("7", "2"), ("7", "3")], "value")
        faces |= {("11", "2"): "none failed", ("11", "3"): "none missing"}
        for (row, column), kind in faces.items():
            button = figure.locator(f'button[data-row="{row}"][data-column="{column}"]')
            expect(button).to_have_class(kind)
            button.click()
            panel = page.locator(".detail")
            title = f"Periods of my own: modulus = {row}, epochs = {column}"
            assert panel.locator("h3").inner_text() == title
        assert "modulus = 11, epochs = 3 is not planned." in panel.inner_text()
        figure.locator('button[data-row="7"][data-column="2"]').click()
        text = panel.inner_text()
        assert "accuracy below 10^18" in text
        assert "Filled bars: relevant rows (7)." in text
        chart = panel.locator("svg").first  # it is drawn when its width is known
        chart.wait_for()
        ticks = chart.locator("text.tick").all_text_contents()
        assert [name for name in ticks if name in ("7", "10.5", "3")] == ["7", "10.5", "3"]
        panel.locator("details.raw summary").click()
        panel.locator("td[data-row]").first.wait_for()
        heads = panel.locator("table.numbers thead th").all_inner_texts()
        assert heads[-3:] == ["drop of 7", "drop of 10.5", "drop of 3"]
        assert panel.locator("td[data-model]").first.get_attribute("data-model") == (
            study.configs[0].describe()
        )
        assert opened.text("#failures p") == "1 model failed."
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert opened.find_problems() == {}


def test_a_study_without_axes_is_one_cell(browser: Browser, tmp_path: Path) -> None:
    config = lab.ModelConfig(
        embedding=lab.LearnedTable(size=30),
        task=lab.ModularArithmetic(modulus=5, input_range=30),
        training=lab.Training(epochs=1),
    )
    file = tmp_path / "report.html"
    write_report(file, [], records_of([config]), studies=[Study("table", [config])])
    with visit(browser, file) as opened:
        opened.page.locator("#results [role=grid] button").click()
        assert opened.page.locator("#detail-title").inner_text() == "table: all models"
        assert "row 1" in opened.page.locator(".detail").inner_text()
