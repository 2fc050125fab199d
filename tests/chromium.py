"""A real Chromium, found on this machine."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ["--no-sandbox", "--disable-background-networking"]


def find_chromium() -> str:
    """Return the path of an installed Chromium, or say how to get one."""
    found = [os.environ.get("CHROMIUM"), *map(shutil.which, NAMES)]
    for path in found:
        if path:
            return path
    raise FileNotFoundError(
        "this needs Chromium, which was not found; install it (on Debian: apt-get install "
        "chromium) or name its program in the environment variable CHROMIUM"
    )


@contextmanager
def start_chromium() -> Iterator[Browser]:
    """Start Chromium; it ends with the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
