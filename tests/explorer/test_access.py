"""Accessibility: names, alternative texts, contrast, keyboard, any width, light and dark."""

from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from visits import PHONE, WIDE, Visit, visit


@pytest.fixture(params=["explorer", "report"])
def file(request: pytest.FixtureRequest, explorer_file: Path, report_file: Path) -> Path:
    return {"explorer": explorer_file, "report": report_file}[request.param]


def open_all(opened: Visit) -> None:
    """Open everything that opens, so that it is checked too."""
    opened.page.evaluate(
        """() => {
          const closed = "[aria-expanded=false]:not([role=grid] *)";
          document.querySelectorAll(closed).forEach((button) => button.click());
          document.querySelector("[role=grid] button.value")?.click();
          document.querySelectorAll("details").forEach((part) => (part.open = true));
        }"""
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everything_is_named_legible_and_fits_the_window(
    browser: Browser, file: Path, dark: bool
) -> None:
    with visit(browser, file, dark=dark) as opened:
        open_all(opened)
        assert opened.find_problems() == {}
        levels = opened.page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3, h4, h5')]"
            ".filter((h) => h.checkVisibility()).map((h) => Number(h.tagName[1]))",
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        for width, height in (WIDE, (768, 1024), PHONE, (320, 640)):
            opened.page.set_viewport_size({"width": width, "height": height})
            wait = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))"
            opened.page.evaluate(wait)
            assert opened.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_keyboard_reaches_every_part(explorer: Visit) -> None:
    page = explorer.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        section = page.evaluate("document.activeElement.closest('section')?.id")
        reached.add(section)
        if section is None and reached >= {"circles", "channels"}:
            break
    assert reached >= {"circles", "channels"}


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
