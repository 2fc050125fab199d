"""Make the numbers and figures of all findings from their results: python -m findings.

Every table and every sentence with a number stands in a page between ``<!-- name -->`` and ``<!--
end of name -->``. This command computes them anew and rewrites them in place; a test compares the
pages with the records. ``run.py`` of a finding has ``blocks()``, which returns them by name. It may
also have ``SUMMARIES`` and ``FIGURES``: files of its folder, and what counts or draws them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from findings.runs import HOME, write_json
from findings.text import rewrite

FINDINGS = (
    *("beyond", "channels", "claims", "control", "cure", "decoys", "huge", "longer_training"),
    *("predictions", "probes", "products", "proofs", "repair", "summands", "word_problems"),
)
"""The folders; ``weekdays`` trains what it counts, and is run by itself."""
DOCS = HOME.parent / "docs"
PAGES = [
    HOME.parent / "README.md",
    *(DOCS / name for name in ("hugging-face.md", "paper-vs-measured.md")),
    *sorted((DOCS / "findings").glob("*.md")),
    *sorted(HOME.glob("*/README.md")),
]
"""Pages with blocks; the long tables stand beside the records."""


def findings() -> Iterator[ModuleType]:
    """Yield the module of each finding."""
    for name in FINDINGS:
        yield import_module(f"findings.{name}.run")


def all_blocks() -> dict[str, str]:
    """Return the text of every block of the pages by its name."""
    return {name: text for finding in findings() for name, text in finding.blocks()}


def main() -> None:
    """Rewrite the pages, write the counts and draw the figures."""
    blocks = all_blocks()
    for page in PAGES:
        page.write_text(rewrite(page.read_text(), blocks))
    for name, finding in zip(FINDINGS, findings(), strict=True):
        for file, count in getattr(finding, "SUMMARIES", {}).items():
            write_json(f"{name}/{file}", count())
        for file, draw in getattr(finding, "FIGURES", {}).items():
            target = HOME / name / "figures" / file
            draw().savefig(target, metadata={"Software": "python -m findings"})


if __name__ == "__main__":
    main()
