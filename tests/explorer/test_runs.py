"""Reports of empty, partial, failed and hostile runs."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from explorer_pages import write_report
from lab_records import EXP1, PAPER, configs_of, failed, plausible, records_of
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


OWN = configs_of("exp2", moduli=[45, 12], ranges=[50], primes=[2, 3], operation="multiply")
NONE_RELEVANT = configs_of("exp2", moduli=[49], ranges=[50], primes=[2, 3])
CASES: dict[str, tuple[Sequence[ModelConfig], Sequence[Record], list[str]]] = {
    "nothing planned": (
        [],
        [],
        ["No models are planned in this run yet"],
    ),
    "nothing measured": (EXP1[:20], [], ["0 of 20 models measured", "waiting"]),
    "half of a cell": (EXP1[:4], plausible(EXP1[:2]), ["2 of 4 models measured", "2 of 4"]),
    "all failed": (
        EXP1[:4],
        [failed(config, "Traceback\nout of luck") for config in EXP1[:4]],
        ["4 failed", "exp1 N=3 r=100 |P|=4 seed=42", "failed"],
    ),
    "all of it": (PAPER, plausible(PAPER), ["750 models measured"]),
    "own settings": (
        OWN,
        plausible(OWN),
        ["Experiment 2, operation multiply, primes 2, 3", "2 models measured"],
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
        assert HOSTILE.replace("/", "|") in page.locator("h1").inner_text()
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 2  # the data and the page's own
        assert page.title() != "owned"


def test_the_offered_command_trains_the_planned_models(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(file, EXP1[:8], plausible(EXP1[:4]))
    with visit(browser, file) as opened:
        offered = opened.page.locator("#run .command code").all_inner_texts()
        assert offered == ["pfe run exp1 --sizes 4 --ranges 100,500 --out results/paper"]


def test_a_very_long_line_fits_the_page(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(file, EXP1[:1], [failed(EXP1[0], "x" * 200_000)])
    with visit(browser, file) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert opened.page.locator("#failures").bounding_box()["height"] < 1000  # type: ignore[index]


def test_own_settings_come_before_the_papers(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_report(file, OWN, plausible(OWN))
    with visit(browser, file) as opened:
        shown = opened.page.locator("#results figure:visible h3")
        assert shown.all_inner_texts() == ["Experiment 2, operation multiply, primes 2, 3"]
        opened.page.get_by_text("that this run does not contain").click()
        assert shown.count() == 4
