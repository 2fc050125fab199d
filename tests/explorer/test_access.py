"""The page is for everybody: names, alt texts, contrast, keyboard, any width, light and dark."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from visits import PHONE, WIDE, Visit, visit


@pytest.fixture(params=["explorer", "report"])
def file(request: pytest.FixtureRequest, explorer_file: Path, report_file: Path) -> Path:
    return {"explorer": explorer_file, "report": report_file}[request.param]


@pytest.fixture(params=[WIDE, PHONE, (768, 1024)], ids=["wide", "phone", "tablet"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    found: tuple[int, int] = request.param
    return found


def open_all(opened: Visit) -> None:
    """Open what can be opened, so that it is judged too."""
    opened.page.evaluate(
        """() => {
          const closed = "[aria-expanded=false]:not([role=grid] *)";
          document.querySelectorAll(closed).forEach((button) => button.click());
          document.querySelector("[role=grid] button.value")?.click();
          document.querySelectorAll("details").forEach((part) => (part.open = true));
        }"""
    )


@pytest.fixture
def opened(browser: Browser, file: Path, size: tuple[int, int]) -> Iterator[Visit]:
    with visit(browser, file, size=size) as found:
        yield found


def check(opened: Visit, name: str) -> Any:
    """Return what is wrong with a page according to one of the scripts beside this file."""
    script = Path(__file__).parent / "checks" / f"{name}.js"
    return opened.page.evaluate(script.read_text(encoding="utf-8"))


def test_nothing_is_wider_than_the_window(opened: Visit) -> None:
    open_all(opened)
    width = opened.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everything_has_a_name_and_can_be_read(browser: Browser, file: Path, dark: bool) -> None:
    with visit(browser, file, dark=dark) as opened:
        open_all(opened)
        assert check(opened, "nameless") == []
        assert check(opened, "pictures_without_words") == []
        assert check(opened, "double_ids") == []
        assert check(opened, "poor_contrast") == []


def test_headings_do_not_skip_a_level(browser: Browser, file: Path) -> None:
    with visit(browser, file) as opened:
        open_all(opened)
        levels = opened.page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3, h4, h5')]"
            ".filter((h) => h.checkVisibility()).map((h) => Number(h.tagName[1]))",
        )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_keyboard_reaches_every_part(explorer: Visit) -> None:
    page = explorer.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        section = page.evaluate("document.activeElement.closest('section')?.id")
        reached.add(section)
        if section is None and reached >= {"circles", "channels", "own"}:
            break
    assert reached >= {"circles", "channels", "own"}


def test_colours_can_be_chosen(explorer: Visit) -> None:
    page = explorer.page
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    seen = {page.evaluate(ground)}
    button = page.get_by_role("button", name="Colours:")
    button.click()
    light = page.evaluate(ground)
    button.click()
    dark = page.evaluate(ground)
    assert light in seen
    assert dark not in seen
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(ground) == dark  # the choice is kept
    page.get_by_role("button", name="Colours:").click()
    assert page.evaluate(ground) in seen
