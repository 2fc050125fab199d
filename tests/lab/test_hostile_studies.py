"""Study files that do harm: none hangs, each error names its model or file, no other is lost."""

import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from hostile_studies import FILES, METHODS, REPRESENTATIVE, Case, write
from primefourier.lab.store import read_store

pytestmark = pytest.mark.process
Ended = tuple[int, str, dict[str, str | None]]
"""Exit code, standard error, and the error of each model that has a record."""


def run(cases: dict[str, Case], folder: Path) -> Ended:
    """Run a study file on two workers, and make sure that no process of it is left."""
    for case in cases.values():
        for name, text in case.beside.items():
            (folder / name).write_text(text)
    study = folder / "study.py"
    study.write_text(write(cases), errors="surrogateescape")
    mark = uuid.uuid4().hex
    words = ["run", str(study), "--out", str(folder / "out"), "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "primefourier", *words],
        cwd=folder,
        env={**os.environ, "PFE_TEST": mark},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=240,
    )
    assert [p for p in psutil.process_iter() if _mark_of(p) == mark] == []
    assert "Measured" in done.stdout or done.returncode, done.stderr
    errors = {}
    if (folder / "out").exists():
        for record in read_store(folder / "out").records:
            config = record.config.to_dict()
            errors[f"{config['embedding']['evil']}, {config['seed']}"] = record.error
    return done.returncode, done.stderr, errors


def _mark_of(process: psutil.Process) -> str:
    try:
        return str(process.environ().get("PFE_TEST"))
    except psutil.Error:
        return ""


def judge(cases: dict[str, Case], ended: Ended) -> None:
    code, said, errors = ended
    assert code == any(case.says for case in cases.values()), said
    assert {"mine, 1", ", 1", ", 2"} & errors.keys() == {", 1", ", 2"}
    assert (errors[", 1"], errors[", 2"]) == (None, None), "another model is lost"
    for name, case in cases.items():
        error = errors[f"{name}, 0"]
        if not case.says:
            assert error is None
            continue
        assert error is not None, name
        assert re.search(case.says, error), (name, error)
        assert f"mine {name} " in said or case.place == "describe", "the model is named"


def test_hostile_models_of_a_sweep_lose_no_other_model(tmp_path: Path) -> None:
    judge(REPRESENTATIVE, run(REPRESENTATIVE, tmp_path))


@pytest.mark.faults
@pytest.mark.parametrize("name", METHODS)
def test_a_hostile_model_loses_no_other_model(name: str, tmp_path: Path) -> None:
    cases = {name: METHODS[name]}
    ended = run(cases, tmp_path)
    if name in ("deletes", "edits") and ended[0]:  # before the other worker had read the file
        assert re.search(r"(has no file|its file) \S*study.py", ended[1])
    else:
        judge(cases, ended)


@pytest.mark.faults
@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_ends_with_an_error_that_names_it(name: str, tmp_path: Path) -> None:
    case = FILES[name]
    code, said, errors = run({name: case}, tmp_path)
    everything = " ".join([said, *map(str, errors.values())])
    if case.says:
        assert code in (1, 2)
        assert re.search(case.says, " ".join(everything.split())), everything
    else:
        assert (code, [*errors.values()]) == (0, [None] * 3)
