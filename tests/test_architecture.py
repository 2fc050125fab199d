"""The house rules that a program can check."""

import ast
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

import primefourier

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "primefourier"
GROUND = {"arithmetic", "encoding"}
KNOWS = {
    "arithmetic": set[str](),
    "encoding": {"arithmetic"},
    "theory": GROUND,
    "nn": GROUND,
    "figures": GROUND,
    "explorer": GROUND,
    "cluster": set[str](),
    "bulk": GROUND | {"cluster"},
    "analysis": GROUND | {"nn"},
    "lab": GROUND | {"theory", "nn", "figures", "explorer", "cluster", "analysis"},
    "cli": GROUND | {"theory", "nn", "figures", "explorer", "cluster", "bulk", "analysis", "lab"},
}
"""Which other rooms a room may import from; a room stands below all that it knows."""
THIRD_PARTY = {
    "arithmetic": {"numpy"},
    "encoding": {"numpy"},
    "theory": {"numpy"},
    "nn": {"numpy", "torch"},
    "figures": {"matplotlib"},
    "explorer": set[str](),
    "cluster": {"dask", "distributed"},
    "bulk": {"numpy", "pyarrow", "distributed"},
    "analysis": {"numpy", "torch"},
    "lab": {"numpy", "torch", "matplotlib", "dask", "distributed", "duckdb"},
    "cli": {"numpy", "torch", "matplotlib", "cyclopts", "rich"},
}
FILES = sorted(SOURCE.rglob("*.py"))
PAGE_FILES = sorted([*SOURCE.rglob("*.js"), *SOURCE.rglob("*.css")])
NOT_IN_A_PAGE = (
    *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "srcdoc"),
    *("eval(", "new Function", "import(", "fetch(", "XMLHttpRequest", "WebSocket", "EventSource"),
    *("sendBeacon", "http://", "https://"),
)
"""What could make markup or code of data, or reach out of the page."""
SVG_NAMESPACE = '"http://www.w3.org/2000/svg"'


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_only_point_upward(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0]
    if room == "__init__.py":
        room = "encoding"  # the package itself offers arithmetic and encoding
    allowed = KNOWS[room] | {room}
    for name in imported(path):
        top, *rest = name.split(".")
        if top == "primefourier":
            assert not rest or rest[0] in allowed, f"{room} must not import {name}"
            assert rest or room == "cli", "only the command line imports the whole package"
        elif top not in sys.stdlib_module_names:
            assert top in THIRD_PARTY[room], f"{room} must not import {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_file_says_what_it_is_for_and_holds_one_idea(path: Path) -> None:
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), "a file begins with what it is for"
    assert text.count("\n") <= 300, "does it still hold one idea?"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_file_has_a_test_file_of_its_name(path: Path) -> None:
    if path.name != "__init__.py":
        mirrored = ROOT / "tests" / path.relative_to(SOURCE)
        assert mirrored.with_name(f"test_{path.name}").exists()


@pytest.mark.parametrize("path", PAGE_FILES, ids=lambda path: path.name)
def test_scripts_and_styles_say_what_they_are_for_and_hold_one_idea(path: Path) -> None:
    text = path.read_text()
    assert path.parent.parent == SOURCE / "explorer"
    assert text.startswith("// " if path.suffix == ".js" else "/* ")
    assert text.count("\n") <= 300, "does it still hold one idea?"


@pytest.mark.parametrize("path", PAGE_FILES, ids=lambda path: path.name)
def test_scripts_and_styles_make_no_markup_of_text_and_reach_nobody(path: Path) -> None:
    text = path.read_text().replace(SVG_NAMESPACE, "")
    assert [word for word in NOT_IN_A_PAGE if word in text] == []


def test_scripts_export_what_others_import_and_nothing_else() -> None:
    texts = {path.stem: path.read_text() for path in PAGE_FILES if path.suffix == ".js"}
    exported = {
        (name, found)
        for name, text in texts.items()
        for found in re.findall(r"^export (?:async )?(?:function\*?|class|const) (\w+)", text, re.M)
    }
    imported_names = {
        (name, found)
        for text in texts.values()
        for names, name in re.findall(r'^import \{([^}]*)\} from "\./(\w+)\.js";', text, re.M)
        for found in names.replace(",", " ").split()
    }
    assert exported == imported_names
    assert max(len(line) for text in texts.values() for line in text.split("\n")) <= 120


def test_the_page_has_scripts_and_styles() -> None:
    assert {"main.js", "dom.js", "base.css"} <= {path.name for path in PAGE_FILES}


def test_the_import_is_light() -> None:
    program = (
        "import sys, time\nbefore = time.process_time()\nimport primefourier\n"
        "print(time.process_time() - before)\n"
        "heavy = {'torch', 'matplotlib', 'cyclopts', 'rich', 'dask', 'duckdb', 'pyarrow'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    seconds, heavy = done.stdout.split("\n")[:2]
    assert heavy == "[]"
    assert float(seconds) < 0.5


def test_public_names_exist_and_are_the_contract() -> None:
    for name in primefourier.__all__:
        assert hasattr(primefourier, name)
    assert {"PrimeBasis", "PAPER_BASIS", "encode", "decode", "combine_residues", "plan"} <= set(
        primefourier.__all__
    )


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {primefourier.__version__}\n" in citation
    assert f"## {primefourier.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_constraints_pin_every_dependency_without_local_builds() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert not any("+" in version or "/" in version for version in pins.values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {requirement.split(">=")[0] for requirement in wanted if "[" not in requirement}
    assert names <= set(pins)
