"""The promises of docs/security.md that concern the whole project."""

import ast
import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab_records import run_of, studies_of
from primefourier.cli.app import run
from primefourier.lab import Axis, ModelConfig, Run, Study, UnknownPart
from primefourier.lab.figures import draw_figures
from primefourier.lab.measurement import measure
from primefourier.lab.store import STORE_NAME, write_store
from read_page import read_page
from small_models import small_config

SOURCE = Path(__file__).parents[1] / "src" / "primefourier"
FILES = sorted(SOURCE.rglob("*.py"))
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
LOADERS = {"load", "loads", "load_module", "jit"}


def forbidden(node: ast.AST) -> bool:
    """Whether a statement could run what it reads."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {alias.name for alias in node.names} | {getattr(node, "module", None) or ""}
        return bool({name.split(".")[0] for name in names} & FORBIDDEN_MODULES)
    if not isinstance(node, ast.Call):
        return False
    options = {word.arg: ast.unparse(word.value) for word in node.keywords}
    called = ast.unparse(node.func)
    return (
        called in FORBIDDEN_CALLS
        or (called.startswith("torch.") and called.split(".")[1] in LOADERS)
        or options.get("shell", "False") != "False"
        or (called in ("np.load", "numpy.load") and options.get("allow_pickle") != "False")
    )


@pytest.mark.parametrize(
    "line",
    [
        *("import pickle", "from yaml import load", "eval(text)", "torch.load(file)"),
        *("np.load(file)", "np.load(file, allow_pickle=True)", "run(words, shell=True)"),
    ],
)
def test_a_line_that_could_run_data_is_found(line: str) -> None:
    assert any(map(forbidden, ast.walk(ast.parse(line))))


def test_no_source_file_can_run_what_it_reads() -> None:
    offences = [
        f"{path.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if forbidden(node)
    ]
    assert offences == []


HOSTILE = "\x1b]0;owned\x9b31m\x07<script>alert(1)</script> $\\frac{ ../../etc '\u202e"


@pytest.fixture(scope="module")
def hostile_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store made by an attacker, with correct digests."""
    folder = tmp_path_factory.mktemp("hostile")
    record = measure(small_config(epochs=1))
    made = replace(record.provenance, machine=HOSTILE, commit=HOSTILE)
    record = replace(record, provenance=made)
    failed = small_config(seed=2, epochs=1)
    strange = strange_model(seed=1, epochs=1)
    names = tuple(f"{name} {HOSTILE}" for name in record.config.row_names)
    measured = replace(record.measured, row_names=names, relevant=names[:1])
    with write_store(folder) as store:
        studies = [*studies_of([record.config, failed]), strange_study(strange)]
        store.begin(studies, shlex.join(["pfe", "run", HOSTILE]))
        store.add(record)
        store.add(replace(record, config=strange, measurement=measured))
        store.add(replace(record, config=failed, measurement=None, error=f"Traceback\n{HOSTILE}"))
    return folder


def strange_model(**fields: Any) -> ModelConfig:
    """Return a model with an embedding that nobody here knows."""
    part = {"name": f"../../{HOSTILE}", "version": 1, HOSTILE: HOSTILE, "base": HOSTILE}
    return replace(small_config(**fields), embedding=UnknownPart(json.dumps(part)))


def strange_study(config: ModelConfig) -> Study:
    """Return a study whose name, title and axes are as hostile as a store lets them be."""
    printable = re.sub("[\x00-\x1f\x7f-\x9f]", "", HOSTILE)
    axes = [Axis("embedding", HOSTILE, HOSTILE), Axis("embedding.base")]
    study = Study(f"x/../../{printable}", [config], HOSTILE, axes)
    object.__setattr__(study, "axes", (*axes, Axis(HOSTILE)))  # an attacker skips our checks
    return study


@pytest.fixture
def hostile_folder(hostile_store: Path, tmp_path: Path) -> Path:
    return shutil.copytree(hostile_store, tmp_path, dirs_exist_ok=True)


def around(folder: Path) -> set[Path]:
    return {path for path in folder.parent.rglob("*") if folder not in path.parents}


@pytest.mark.parametrize(
    "command",
    [
        *("status", "status --json", "summary", "summary --json", "claims", "figures", "report"),
        *("export", "repair"),
    ],
)
def test_what_a_store_says_cannot_steer_a_terminal_or_leave_the_folder(
    hostile_folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = around(hostile_folder)
    assert run([*command.split(), str(hostile_folder)]) == 0
    shown = capsys.readouterr()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown.out + shown.err)
    assert around(hostile_folder) == before


def test_a_report_holds_what_a_store_says_as_text_alone(
    hostile_folder: Path, tmp_path: Path
) -> None:
    assert run(["report", str(hostile_folder)]) == 0
    assert run(["explore", "--no-open", "--out", str(tmp_path / "explorer.html")]) == 0
    page = read_page(hostile_folder / "report.html")
    skeleton = read_page(tmp_path / "explorer.html")
    assert page.tags == skeleton.tags, "the data adds no element, and no attribute"
    data = json.loads(page.texts["data"])
    assert any(HOSTILE in failure["error"] for failure in data["run"]["failures"])
    titles = [grid["title"] for grid in data["run"]["grids"]]
    assert any("<script>alert(1)</script> $" in title for title in titles)


def test_nothing_that_a_store_names_is_imported(
    hostile_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown parts stay unknown, also if a module of their name could be imported."""
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    config = replace(small_config(), network=UnknownPart('{"name": "evil", "version": 1}'))
    with write_store(hostile_folder) as store:
        store.begin([Study("evil", [config])], "pfe run evil.py")
    for command in ("status", "summary", "report", "export"):
        assert run([command, str(hostile_folder)]) == 0
    assert run(["verify", str(hostile_folder), "--workers", "0"]) == 1
    assert "evil" not in sys.modules


def test_a_name_of_a_study_that_no_program_writes_is_damage(
    hostile_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = hostile_folder / STORE_NAME
    facts = (json.loads(line)["fact"] for line in path.read_text().splitlines())
    with path.open("wb") as file:
        printable = strange_study(strange_model()).name.removeprefix("x/../../")
        for fact in facts:
            text = json.dumps(fact).replace(json.dumps(f"x/../../{printable}"), json.dumps(HOSTILE))
            digest = hashlib.sha256(text.encode()).hexdigest()
            file.write(f'{{"sha256":"{digest}","fact":{text}}}\n'.encode())
    assert run(["status", str(hostile_folder)]) == 1
    shown = capsys.readouterr().err
    assert "is damaged: line 2, a study needs a name such as 'mine'" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)


def test_names_of_figures_are_made_of_plain_letters() -> None:
    """The paper's figures have fixed names; those of other studies begin with the study's name."""
    odd = small_config(primes=(2, 3, 5), learning_rate=0.1, epochs=3)
    for figure in draw_figures(run_of([odd]).grids):
        assert re.fullmatch(r"figure-[a-z0-9-]+", figure.name)
    studies = [strange_study(strange_model()), Study("é" * 200, [small_config()])]
    figures = list(draw_figures(Run(studies, [], [HOSTILE]).grids))
    assert len({figure.name for figure in figures}) == len(figures) == 2
    for figure in figures:
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}", figure.name)


def test_the_repository_holds_no_binary_that_could_be_run() -> None:
    root = SOURCE.parents[1]
    done = subprocess.run(
        ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False
    )
    endings = {Path(name).suffix for name in done.stdout.splitlines()}
    assert not endings & {".pkl", ".pickle", ".pt", ".pth", ".so", ".pyc", ".joblib"}
