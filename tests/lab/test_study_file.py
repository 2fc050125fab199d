"""Studies from a Python file, and parts that workers load from it."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from primefourier import lab
from primefourier.lab import ModelConfig, parts
from primefourier.lab.pool import train_models
from primefourier.lab.provenance import versions
from primefourier.lab.study_file import (
    SourceError,
    find_sources,
    read_study_file,
    require_sources,
)
from primefourier.lab.verify import verify_records
from primefourier.lab.worker import train_task
from small_models import small_config

STUDY = """
from dataclasses import dataclass
from typing import ClassVar
import torch
from primefourier import lab

@lab.register
@dataclass(frozen=True)
class Halves:
    name: ClassVar[str] = "halves"
    version: ClassVar[int] = 1
    def row_names(self):
        return ["even", "odd"]
    def rows(self, integers):
        bits = torch.tensor([[int(a) % 2, 1 - int(a) % 2] for a in integers])
        return bits.float().unsqueeze(-1)
    def relevant(self, task):
        return ["even"] if task.modulus == 2 else None

study = lab.Study("halves", [
    lab.ModelConfig(
        embedding=Halves(),
        task=lab.ModularArithmetic(modulus=n, input_range=20),
        training=lab.Training(epochs=2),
        seed=seed,
    )
    for n in (2, 3) for seed in (1, 2)
])
"""


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """A file that defines a part and a study."""
    file = tmp_path / "study.py"
    file.write_text(STUDY)
    return file


def with_helper(folder: Path, value: int, *, where: str = "at once") -> Path:
    """Write a study whose rows are a number from a module beside it, and that module."""
    folder.mkdir(exist_ok=True)
    (folder / "helper.py").write_text(f"VALUE = {value}\n")
    text = STUDY.replace("bits.float()", "(0 * bits.float() + VALUE)")
    top = "from helper import VALUE\n" if where == "at once" else ""
    inner = "" if where == "at once" else "        from helper import VALUE\n"
    text = text.replace("        bits =", f"{inner}        bits =")
    (folder / "study.py").write_text(top + text)
    return folder / "study.py"


def ask(config: ModelConfig) -> dict[str, Any]:
    """Let this process answer as a worker that lives for more than one run."""
    task = {
        "config": config.to_dict(),
        "files": {kind: str(file) for kind, file in config.files.items()},
        "sources": find_sources([config]),
        "versions": versions(),
        "device": "cpu",
    }
    return dict(json.loads(train_task(json.dumps(task))))


def rows_used(config: ModelConfig, monkeypatch: pytest.MonkeyPatch) -> set[float]:
    """Return the values that the rows of a model had when a worker trained it."""
    seen: set[float] = set()
    check = "primefourier.lab.training._check_rows"
    monkeypatch.setattr(check, lambda rows, *_: seen.update(rows.flatten().tolist()))
    assert ask(config).get("error") is None
    return seen


def test_a_file_defines_parts_and_a_study(study_file: Path) -> None:
    (study,) = read_study_file(study_file)
    assert (study.name, len(study.configs)) == ("halves", 4)
    assert read_study_file(str(study_file))[0] is study, "a file is run once"
    assert list(find_sources(study.configs)) == [str(study_file)]
    assert find_sources([small_config()]) == {}
    measured = lab.measure(study.configs[0]).measured
    assert (measured.row_names, measured.relevant) == (("even", "odd"), ("even",))


@pytest.mark.process
def test_a_file_may_import_modules_and_packages_beside_it(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text("from .deep import EPOCHS\n")
    (tmp_path / "own" / "deep.py").write_text("EPOCHS = 1\n")
    file = with_helper(tmp_path, 3)
    file.write_text("from own import EPOCHS\n" + file.read_text().replace("=2)", "=EPOCHS)"))
    (study,) = read_study_file(file)
    (digests,) = find_sources(study.configs).values()
    names = {str(Path(name).relative_to(tmp_path)) for name in digests}
    assert names == {"study.py", "helper.py", "own/__init__.py", "own/deep.py"}
    assert not {"helper", "own"} & sys.modules.keys(), "another folder may have such modules"
    found = list(train_models(study.configs[:2], workers=1))
    assert [record.error for record in found] == [None, None]
    assert found[0].measurement == lab.measure(study.configs[0]).measurement
    assert not list(tmp_path.rglob("__pycache__")), "nothing is written beside a study"


def test_an_edited_file_or_module_counts_on_living_workers_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in (3, 4):
        file = with_helper(tmp_path, value)
        (study,) = read_study_file(file)
        assert rows_used(study.configs[0], monkeypatch) == {value}
    for edit in ("+ VALUE + 1", "+ VALUE + 2"):
        file.write_text(file.read_text().replace("+ VALUE", edit).replace("Halves", "Halves2"))
        (again,) = read_study_file(file)
        seen = rows_used(again.configs[0], monkeypatch)
    assert seen == {4 + 2 + 1}
    with pytest.raises(SourceError, match="its file was changed and read again"):
        find_sources(study.configs)


def test_a_file_that_changed_between_runs_is_named(
    tmp_path: Path, logged: Callable[[], list[str]]
) -> None:
    """By the run that continues, and by a model that is verified."""
    file = with_helper(tmp_path, 3)

    def named_by_a_run(models: int) -> list[str]:
        before = len(logged())
        lab.run(read_study_file(file)[0].configs[:models], tmp_path / "out", workers=0)
        return [re.findall("defines the (.*) has changed", text)[0] for text in logged()[before:]]

    assert named_by_a_run(1) == named_by_a_run(2) == []
    (tmp_path / "helper.py").write_text("VALUE = 4\n")
    assert named_by_a_run(3) == ["embedding halves, helper.py"]
    file.write_text(f"{file.read_text()}# edited\n")
    both = {"embedding halves", "embedding halves, helper.py"}
    assert {*named_by_a_run(4)} == both
    assert {*named_by_a_run(4)} == both, "also where all models are measured"
    (check,) = verify_records(lab.open(tmp_path / "out").records[:1], workers=0)
    assert {"file of the embedding halves", "file of the embedding halves, helper.py"} <= {
        *check.changed
    }
    assert check.source_differs
    file.write_text(re.sub(r"version(.*) = \d+", r"version\1 = 7", file.read_text()))
    assert named_by_a_run(4) == [], "no model with the new version is measured"


@pytest.mark.parametrize("where", ["at once", "later"])
def test_two_files_may_use_one_name_but_not_in_one_sweep(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor need modules beside them be imported before the rows are made."""
    files = [with_helper(tmp_path / name, n, where=where) for name, n in (("a", 3), ("b", 5))]
    (first,), (second,) = map(read_study_file, files)
    for study, value in ((first, 3), (second, 5), (first, 3)):
        assert rows_used(study.configs[0], monkeypatch) == {value}
    with pytest.raises(SourceError, match=r"two classes with the name 'halves', .*(a|b)/study\.py"):
        find_sources([first.configs[0], second.configs[1]])


def test_a_function_that_makes_classes_must_name_them(tmp_path: Path) -> None:
    file = tmp_path / "study.py"
    body = STUDY[STUDY.index("@lab") : STUDY.index("study =")]
    factory = "def make():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    file.write_text(STUDY[: STUDY.index("@lab")] + factory + "make()\nmake()\n")
    with pytest.raises(SourceError, match=r"the same lines define make\.\S+Halves twice"):
        read_study_file(file)


def test_a_worker_without_the_file_or_with_another_one_says_so(
    study_file: Path, tmp_path: Path
) -> None:
    (study,) = read_study_file(study_file)
    sources = find_sources(study.configs)
    study_file.write_text(study_file.read_text() + "\n# changed\n")
    require_sources(sources)  # which this process has loaded as they were
    elsewhere = {str(tmp_path / "copy.py"): {str(tmp_path / "copy.py"): "0"}}
    with pytest.raises(SourceError, match=r"it has no file .*copy\.py; all machines must share it"):
        require_sources(elsewhere)
    (tmp_path / "copy.py").write_text("x = 1")
    with pytest.raises(SourceError, match=r"copy\.py is not the one that the sweep began with"):
        require_sources(elsewhere)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x = 1", ValueError, r"must define study = lab.Study\(name, configs\), .* got NoneType"),
        ("study = 3", ValueError, "must define study .* got int"),
        ("raise KeyError('no')", SourceError, "line 1, cannot be run: KeyError: 'no'"),
        ("import sys; sys.exit(0)", SourceError, "line 1, cannot be run: SystemExit: 0"),
        ("def", SourceError, "cannot be run: SyntaxError"),
        ("import no_such_module", SourceError, "cannot be run: ModuleNotFoundError"),
        (
            'from primefourier import lab\nlab.run([], "somewhere")',
            SourceError,
            r"starts a sweep when it is imported; .*__main__",
        ),
        (None, ValueError, "not found; name a Python file with a study"),
    ],
)
def test_bad_files_are_clear_errors(
    text: str | None, error: type[Exception], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "study.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(error, match=message):
        read_study_file(file)


def test_a_file_that_changes_the_folder_leaves_it_as_it_was(study_file: Path) -> None:
    before = Path.cwd()
    study_file.write_text("import os\nos.chdir('/')\n" + STUDY)
    read_study_file(study_file)
    assert Path.cwd() == before


def test_parts_that_are_in_no_file_need_this_process(
    monkeypatch: pytest.MonkeyPatch, small_part: Callable[[], Any]
) -> None:
    monkeypatch.delattr(sys.modules[__name__], "__file__")
    part = lab.register(small_part())
    assert parts.sources[part] is None
    config = ModelConfig(embedding=part(), task=small_config().task)
    with pytest.raises(SourceError, match=r"is not defined in a file, .* workers=0"):
        find_sources([config])


@pytest.fixture
def small_part() -> Callable[[], Any]:
    """Make a class that is not registered."""
    space: dict[str, Any] = {"__name__": __name__}

    def make() -> Any:
        body = STUDY[: STUDY.index("study =")].replace("@lab.register\n", "")
        exec(body, space)
        return space["Halves"]

    return make


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"numpy": "0.1", "torch": "0.2"}, "has numpy .* instead of 0.1, torch .* instead of 0.2"),
        ({"python": "3.9.1"}, r"has python 3\.\d+ instead of 3\.9; install the same versions"),
        ({"torch": versions()["torch"].partition("+")[0] + "+other"}, None),
    ],
)
def test_a_worker_with_other_versions_refuses(changes: dict[str, str], message: str | None) -> None:
    config = small_config(epochs=1)
    task = {"config": config.to_dict(), "files": {}, "sources": {}, "device": "cpu"}
    task["versions"] = versions() | changes
    found = json.loads(train_task(json.dumps(task)))
    if message is None:
        assert found.get("error") is None
    else:
        assert set(found) == {"refused"}
        assert f"worker {os.getpid()} on " in found["refused"]
        assert re.search(message, found["refused"])
