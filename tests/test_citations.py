"""Works by others are cited alike in CITATION.cff, on the page of related work and in findings."""

import re
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[1]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
RELATED = (ROOT / "docs" / "related-work.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"(?:arXiv[:\s]\s*|arxiv\.org/abs/)(\d{4}\.\d{4,5})")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def cited() -> set[str]:
    works = [CITATION["preferred-citation"], *CITATION["references"]]
    numbers = {one["value"] for work in works for one in work.get("identifiers", [])}
    assert all(number.startswith("arXiv:") for number in numbers)
    return {number.removeprefix("arXiv:") for number in numbers}


def test_every_reference_has_what_the_format_requires() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    for work in CITATION["references"]:
        assert work["type"] in {"article", "conference-paper", "software"}
        assert work["title"]
        assert work["authors"]
        for author in work["authors"]:
            person = set(author) <= {"given-names", "family-names", "affiliation"}
            assert person or set(author) in ({"name"}, {"alias"})
        for one in work.get("identifiers", []):
            assert work["url"] == f"https://arxiv.org/abs/{one['value'].removeprefix('arXiv:')}"


def test_the_page_of_related_work_names_every_reference_and_no_other() -> None:
    assert set(NUMBER.findall(RELATED)) == cited()
    for work in CITATION["references"]:
        if "identifiers" not in work:
            (first, *_) = work["authors"]
            names = [first.get("family-names"), first.get("name"), work["title"]]
            assert any(name and name.split()[0] in RELATED for name in names), work["title"]


def test_no_page_cites_what_the_references_lack() -> None:
    for page in PAGES:
        assert set(NUMBER.findall(page.read_text(encoding="utf-8"))) <= cited(), page


def test_related_work_is_linked_from_the_front_page_and_the_findings() -> None:
    assert "(docs/related-work.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    findings = ROOT / "docs" / "findings"
    assert "(../related-work.md)" in (findings / "README.md").read_text(encoding="utf-8")
