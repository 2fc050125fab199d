"""Accessibility, any width, light and dark; and pictures of the pages, the README's among them.

``make screenshots`` writes them to ``screenshots``, and the README's to ``docs/images``.
"""

import io
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

from visits import PHONE, WIDE, Visit, visit


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


IMAGES = Path(__file__).parents[2] / "docs" / "images"
PARTS = ["results", "detail", "claims", "failures", "circles", "channels"]
README_SIZE = (1200, 1215)


def keep(picture: bytes, name: str) -> None:
    """Write a picture to the folder that SCREENSHOTS names, if any."""
    if folder := os.environ.get("SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(picture)


def take(opened: Visit, part: str, name: str) -> np.ndarray:
    """Scroll to a part of the page and take a picture of the screen."""
    if part == "detail":
        opened.page.locator("[role=grid] button.value").nth(34).click()
    opened.page.evaluate(f"document.querySelector('#{part}, .{part}').scrollIntoView()")
    picture = opened.page.screenshot()
    keep(picture, f"{name}-{part}")
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L"), dtype=float)


@pytest.mark.parametrize(
    ("name", "size", "dark"),
    [("explorer", PHONE, True), ("report", WIDE, False), ("report", PHONE, True)],
    ids=["explorer-phone", "report-wide", "report-phone"],
)
def test_every_part_is_legible_named_and_fills_its_screen(
    browser: Browser,
    explorer_file: Path,
    report_file: Path,
    name: str,
    size: tuple[int, int],
    dark: bool,
) -> None:
    file, parts = {
        "explorer": (explorer_file, ["introduction", "channels"]),
        "report": (report_file, ["run", *PARTS]),
    }[name]
    look = f"{name}-{'phone' if size == PHONE else 'wide'}-{'dark' if dark else 'light'}"
    with visit(browser, file, size=size, dark=dark, still=True) as opened:
        for part in parts:
            pixels = take(opened, part, look)
            assert pixels.shape == size[::-1], part
            assert (pixels.mean() < 100) == dark, part
            thirds = [third.std() for third in np.array_split(pixels, 3)]
            assert min(thirds) > 10, f"{part}: a third of the screen is empty"
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


def test_the_readme_shows_figure_2_of_the_paper(browser: Browser, explorer_file: Path) -> None:
    """Fonts differ between machines, so the test compares the content, not the pixels."""
    shown = IMAGES / "explorer.png"
    task = "#a=13&b=15&n=21&operation=add"
    with visit(browser, explorer_file, size=README_SIZE, still=True, fragment=task) as opened:
        opened.page.evaluate("document.getElementById('circles').scrollIntoView()")
        picture = opened.page.screenshot()
        assert opened.text("#equation") == "(13 + 15) mod 21 = 7"
        for part in (*opened.page.locator(".dial").all(), opened.page.locator(".bar-row").last):
            box = part.bounding_box()
            assert box is not None
            assert 0 < box["y"] < box["y"] + box["height"] < README_SIZE[1], "cut off"
    if os.environ.get("SCREENSHOTS"):
        shown.write_bytes(picture)
    with Image.open(shown) as committed:
        assert committed.size == README_SIZE
    assert "](docs/images/explorer.png)" in (IMAGES.parents[1] / "README.md").read_text()
