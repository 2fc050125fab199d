"""Pages opened in a real Chromium that cannot reach any network, and what went wrong on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page

WIDE, PHONE = (1440, 900), (390, 844)


@dataclass
class Visit:
    """A page that is open, and everything that should not have happened on it."""

    page: Page
    address: str
    problems: list[str] = field(default_factory=list)

    def load(self, fragment: str = "") -> None:
        """Open the page anew, as if for the first time."""
        self.page.goto("about:blank")
        self.page.goto(self.address + fragment)
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def check(self) -> None:
        """Fail if something happened that should not have."""
        assert self.problems == []

    def text(self, selector: str) -> str:
        """Return the text that an element shows."""
        return self.page.locator(selector).first.inner_text()

    def until(self, expression: str, seconds: float = 10) -> None:
        """Wait until an expression is true; the page's policy forbids playwright's own way."""
        for _ in range(round(seconds / 0.02)):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(20)
        raise TimeoutError(f"still not true after {seconds} seconds: {expression}")


@contextmanager
def visit(
    browser: Browser,
    file: Path,
    *,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
    still: bool = False,
    touch: bool = False,
    fragment: str = "",
) -> Iterator[Visit]:
    """Open a file without network; errors, warnings and requests to outside fail the test."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if still else "no-preference",
        has_touch=touch,
        offline=True,
    )
    page = context.new_page()
    page.set_default_timeout(10_000)
    address = file.resolve().as_uri()
    opened = Visit(page, address)
    page.on("console", lambda message: opened.problems.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: opened.problems.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.split("#")[0] == address or request.url.startswith(("data:", "about:"))
            else opened.problems.append(f"request: {request.url}")
        ),
    )
    try:
        opened.load(fragment)
        yield opened
        opened.check()
    finally:
        context.close()
