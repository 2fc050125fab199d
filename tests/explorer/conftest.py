"""One Chromium for all tests of the page, and the explorer's page without a run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from chromium import start_chromium
from explorer_pages import RECORDS, write_report
from lab_records import PAPER
from primefourier.explorer import make_page, page_data
from visits import Visit, visit


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with start_chromium() as started:
        yield started


@pytest.fixture(scope="session")
def explorer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("explorer") / "explorer.html"
    file.write_text(make_page(page_data(), title="Explorer"), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of invented records of the paper's models: one failed, and some are waiting."""
    file = tmp_path_factory.mktemp("report") / "report.html"
    write_report(file, PAPER, RECORDS)
    return file


@pytest.fixture(scope="package")
def report_tab(browser: Browser, report_file: Path) -> Iterator[Visit]:
    with visit(browser, report_file) as opened:
        yield opened


@pytest.fixture
def report(report_tab: Visit) -> Iterator[Visit]:
    """The report, not reloaded: a test sets what it depends on."""
    report_tab.page.mouse.move(0, 0)
    yield report_tab
    report_tab.check()


@pytest.fixture(scope="package")
def explorer_tab(browser: Browser, explorer_file: Path) -> Iterator[Visit]:
    with visit(browser, explorer_file) as opened:
        yield opened


@pytest.fixture
def explorer(explorer_tab: Visit) -> Iterator[Visit]:
    """The explorer as it is when opened."""
    explorer_tab.page.emulate_media(reduced_motion="no-preference")
    explorer_tab.load()
    yield explorer_tab
    explorer_tab.check()
