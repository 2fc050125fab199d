"""Read the tags and texts of an HTML page."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path


@dataclass
class Page(HTMLParser):
    """The tags of a page in order, each with the names of its attributes; texts by id or tag."""

    tags: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    """The contents of meta elements, by name."""

    def __post_init__(self) -> None:
        super().__init__()
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, tuple(found)))
        self._inside = found.get("id", tag)
        if tag == "meta":
            self.attributes[found.get("http-equiv", found.get("name", ""))] = found.get(
                "content", ""
            )

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data


def parse_page(text: str) -> Page:
    """Parse the text of a page."""
    page = Page()
    page.feed(text)
    page.close()
    return page


def read_page(path: Path) -> Page:
    """Parse the page in a file."""
    return parse_page(path.read_text(encoding="utf-8"))
