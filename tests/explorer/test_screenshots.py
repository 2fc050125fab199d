"""What people see: pictures of the pages, and the one in the README, which is made here.

``make screenshots`` writes them all to ``screenshots`` and the README's to ``docs/images``.
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
PARTS = ["circles", "channels", "results", "detail", "lines", "claims", "failures", "own"]
README_SIZE = (1200, 1215)
MOST_DIFFERENCE = 10  # of 255, in pictures of 60 × 50 pixels: fonts may differ, the content not


def keep(picture: bytes, name: str) -> None:
    """Keep a picture where SCREENSHOTS names a folder, for people to look at."""
    if folder := os.environ.get("SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(picture)


def take(opened: Visit, part: str, name: str) -> np.ndarray:
    """Go to a part of the page and take a picture of the screen."""
    if part == "detail":
        opened.page.locator("[role=grid] button.value").nth(34).click()
    opened.page.evaluate(f"document.querySelector('#{part}, .{part}').scrollIntoView()")
    picture = opened.page.screenshot()
    keep(picture, f"{name}-{part}")
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L"), dtype=float)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_every_part_fills_its_screen(
    browser: Browser, explorer_file: Path, report_file: Path, size: tuple[int, int], dark: bool
) -> None:
    look = f"{'phone' if size == PHONE else 'wide'}-{'dark' if dark else 'light'}"
    pictures = {}
    for name, file, parts in (
        ("explorer", explorer_file, ["introduction", "own"]),
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


def photograph(opened: Visit) -> bytes:
    """Take the README's picture: figure 2 of the paper, alive."""
    opened.load("#a=13&b=15&n=21&operation=add")
    opened.page.evaluate("document.getElementById('circles').scrollIntoView()")
    picture: bytes = opened.page.screenshot()
    return picture


def coarse(picture: bytes) -> np.ndarray:
    """Reduce a picture to what differs only if the page does."""
    small = Image.open(io.BytesIO(picture)).convert("L").resize((60, 50), Image.Resampling.BOX)
    return np.asarray(small, dtype=float)


def test_the_readme_shows_the_page_as_it_is(browser: Browser, explorer_file: Path) -> None:
    shown = IMAGES / "explorer.png"
    with visit(browser, explorer_file, size=README_SIZE, still=True) as opened:
        picture = photograph(opened)
    if os.environ.get("SCREENSHOTS"):
        shown.write_bytes(picture)
    difference = np.abs(coarse(picture) - coarse(shown.read_bytes())).mean()
    assert difference < MOST_DIFFERENCE, "the page has changed; make screenshots shows it anew"
    with visit(browser, explorer_file, size=README_SIZE, still=True) as opened:
        opened.load()
        other = opened.page.screenshot()
    assert np.abs(coarse(other) - coarse(picture)).mean() > MOST_DIFFERENCE  # it can fail
