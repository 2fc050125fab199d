"""The house rules that a program can check."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import primefourier
from primefourier import analysis, figures, lab, nn, theory

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "primefourier"
GROUND = {"arithmetic", "encoding"}
KNOWS = {
    "plugins": {"lab"},  # for annotations
    "_checks": set[str](),
    "_files": set[str](),
    "arithmetic": set[str](),
    "encoding": {"arithmetic"},
    "theory": GROUND,
    "nn": GROUND | {"_checks"},
    "figures": GROUND,
    "explorer": GROUND,
    "files": GROUND | {"_checks", "_files"},
    "sklearn": GROUND | {"_checks"},
    "analysis": GROUND | {"_checks", "figures", "nn"},
}
KNOWS["lab"] = {*KNOWS} - {"files", "sklearn"}
KNOWS["cli"] = {*KNOWS} - {"sklearn"}
"""Which other rooms a room may import from; a room stands below all that it knows."""
THIRD_PARTY = {
    "plugins": {"lab"},  # for annotations
    "_checks": set[str](),
    "_files": set[str](),
    "arithmetic": {"numpy"},
    "encoding": {"numpy"},
    "theory": {"numpy"},
    "nn": {"numpy", "torch"},
    "figures": {"matplotlib", "numpy"},
    "explorer": set[str](),
    "files": {"numpy", "pyarrow"},
    "sklearn": {"narwhals", "numpy", "sklearn"},
    "analysis": {"matplotlib", "numpy", "scipy", "torch"},
    "lab": {"numpy", "torch", "matplotlib", "pandas", "pyarrow"},
    "cli": {"numpy", "torch", "matplotlib", "cyclopts", "distributed", "rich"},
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
    """Return the modules that a file imports; a relative import begins with a dot."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


def room_of(path: Path) -> str:
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    # the package itself offers arithmetic and encoding; __main__ is the command line
    return {"__init__": "encoding", "__main__": "cli"}.get(room, room)


def may_import(room: str, name: str) -> bool:
    top, *rest = name.split(".")
    if top != "primefourier":
        return top in sys.stdlib_module_names or top in THIRD_PARTY[room]
    return rest[0] in KNOWS[room] | {room} if rest else room == "cli"


def test_imports_are_absolute_and_only_point_upward() -> None:
    offences = [
        f"{path.relative_to(SOURCE)} must not import {name}"
        for path in FILES
        for name in sorted(imported(path))
        if not may_import(room_of(path), name)
    ]
    assert offences == []


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


@pytest.mark.parametrize("door", [primefourier, analysis, figures, lab, nn, theory])
def test_every_public_name_of_a_door_is_there(door: ModuleType) -> None:
    assert [name for name in door.__all__ if not hasattr(door, name)] == []
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        door.nonsense  # noqa: B018


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {primefourier.__version__}\n" in citation
    assert f"## {primefourier.__version__}" in (ROOT / "CHANGELOG.md").read_text()
