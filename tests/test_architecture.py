"""The house rules that a program can check, beside those of imports in pyproject.toml."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import primefourier
import primefourier_paper
from primefourier import analysis, figures, lab, nn, theory

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "primefourier"
PAPER = ROOT / "paper" / "src" / "primefourier_paper"
FILES = sorted([*SOURCE.rglob("*.py"), *PAPER.rglob("*.py")])
PAGE_FILES = sorted([*SOURCE.rglob("*.js"), *SOURCE.rglob("*.css")])
NOT_IN_A_PAGE = (
    *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "srcdoc"),
    *("eval(", "new Function", "import(", "fetch(", "XMLHttpRequest", "WebSocket", "EventSource"),
    *("sendBeacon", "http://", "https://"),
)
"""What could make markup or code of data, or reach out of the page."""
SVG_NAMESPACE = '"http://www.w3.org/2000/svg"'


def test_every_file_says_what_it_is() -> None:
    begins = {".js": "// ", ".css": "/* "}
    assert [str(p) for p in FILES if not ast.get_docstring(ast.parse(p.read_text()))] == []
    assert [str(p) for p in PAGE_FILES if not p.read_text().startswith(begins[p.suffix])] == []


def test_no_file_has_more_than_500_lines() -> None:
    lengths = {str(path): path.read_text().count("\n") for path in FILES + PAGE_FILES}
    assert {path: lines for path, lines in lengths.items() if lines > 500} == {}


def test_scripts_and_styles_turn_no_text_into_markup_and_load_nothing() -> None:
    offences = [
        f"{path.name}: {word}"
        for path in PAGE_FILES
        for word in NOT_IN_A_PAGE
        if word in path.read_text().replace(SVG_NAMESPACE, "")
    ]
    assert offences == []


def test_scripts_export_what_others_import_and_nothing_else() -> None:
    texts = {path: path.read_text() for path in PAGE_FILES if path.suffix == ".js"}
    exported = {
        (path, found)
        for path, text in texts.items()
        for found in re.findall(r"^export (?:async )?(?:function\*?|class|const) (\w+)", text, re.M)
    }
    imported_names = {
        ((path.parent / other).resolve(), found)
        for path, text in texts.items()
        for names, other in re.findall(r'^import \{([^}]*)\} from "([^"]+)";', text, re.M)
        for found in names.replace(",", " ").split()
    }
    assert exported == imported_names


@pytest.mark.process
@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        (
            "import primefourier",
            {"torch", "matplotlib", "cyclopts", "rich", "dask", "pyarrow", "sklearn"},
        ),
        (
            "from primefourier import analysis, lab\n"
            "assert {'certify', 'drop_bounds'} < {*dir(analysis)}\n"
            "assert {'measure', 'ModelConfig'} < {*dir(lab)}",
            {"torch", "scipy", "matplotlib", "dask", "distributed", "pyarrow", "rich"},
        ),
        (
            "from primefourier.cli.app import run\n"
            f"assert run(['claims', {str(ROOT / 'paper' / 'results')!r}, '--json']) == 0",
            {"torch", "matplotlib", "distributed", "duckdb", "pyarrow"},
        ),
    ],
    ids=["the library", "names of doors", "reading results"],
)
def test_heavy_packages_are_loaded_only_where_they_are_used(program: str, heavy: set[str]) -> None:
    check = f"\nimport sys\nassert not {heavy} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", program + check], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "door", [primefourier, primefourier_paper, analysis, figures, lab, nn, theory]
)
def test_every_public_name_of_a_door_is_there(door: ModuleType) -> None:
    assert [name for name in door.__all__ if not hasattr(door, name)] == []
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        door.nonsense  # noqa: B018


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "paper" / "pyproject.toml").read_text())["project"]
    assert primefourier_paper.__version__ == primefourier.__version__
    assert project["dependencies"] == [f"primefourier[lab]=={primefourier.__version__}"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {primefourier.__version__}\n" in citation
    assert f"## {primefourier.__version__}" in (ROOT / "CHANGELOG.md").read_text()
