"""Pages opened in Chromium without a network, and the errors on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

WIDE, PHONE = (1440, 900), (390, 844)


@dataclass
class Visit:
    """An open page, and its errors, warnings and requests."""

    page: Page
    address: str
    problems: list[str] = field(default_factory=list)

    def load(self, fragment: str = "") -> None:
        """Reload the page."""
        self.page.goto("about:blank")
        self.page.goto(self.address + fragment)
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def check(self) -> None:
        """Fail if there was an error, a warning or a request."""
        assert self.problems == []

    def find_problems(self) -> dict[str, list[object]]:
        """Return what the page lacks for people with a screen reader or poor sight."""
        script = Path(__file__).parent / "explorer" / "accessibility.js"
        self.page.evaluate(script.read_text(encoding="utf-8"))
        found: dict[str, list[object]] = self.page.evaluate("findProblems()")
        return {problem: elements for problem, elements in found.items() if elements}

    def text(self, selector: str) -> str:
        """Return the text of the first element that a selector finds."""
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


def read_heights(chart: Locator, points: list[float]) -> list[float]:
    """Return the values that the y axis of a chart gives to heights on it."""
    ticks = chart.locator("text.tick[text-anchor=end]:not(.halo)").evaluate_all(
        "ticks => ticks.map((tick) => [Number(tick.textContent), Number(tick.getAttribute('y'))])"
    )
    (low, bottom), (high, top) = ticks[0], ticks[-1]
    return [low + (high - low) * (y - bottom) / (top - bottom) for y in points]
