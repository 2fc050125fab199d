"""Pictures of the pages, among them the one in the README.

``make screenshots`` writes them to ``screenshots``, and the README's to ``docs/images``.
"""

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

from visits import PHONE, WIDE, Visit, visit

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


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (PHONE, True)], ids=["wide", "phone"])
def test_every_part_fills_its_screen(
    browser: Browser, explorer_file: Path, report_file: Path, size: tuple[int, int], dark: bool
) -> None:
    look = f"{'phone' if size == PHONE else 'wide'}-{'dark' if dark else 'light'}"
    pictures = {}
    for name, file, parts in (
        ("explorer", explorer_file, ["introduction", "channels"]),
        ("report", report_file, ["run", *PARTS]),
    ):
        with visit(browser, file, size=size, dark=dark, still=True) as opened:
            for part in parts:
                pictures[f"{name} {part}"] = take(opened, part, f"{name}-{look}")
    for part, pixels in pictures.items():
        assert pixels.shape == size[::-1], part
        assert (pixels.mean() < 100) == dark, part
        thirds = [third.std() for third in np.array_split(pixels, 3)]
        assert min(thirds) > 10, f"{part}: a third of the screen is empty"


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
