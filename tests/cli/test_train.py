"""``pfe run``, with and without ``--plan``, and ``pfe demo``."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pfe_runs import SMALL, Pfe, plan_of
from primefourier.lab.store import read_store


def test_failed_models_exit_with_1(pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.cli.options._check_device", lambda device: None)
    words = ("run", "exp1", "--sizes", "1", "--ranges", "20", "--device", "nonsense", *SMALL)
    code, text, err = pfe(*words, "--out", "out")
    assert code == 1
    assert "FAILED: RuntimeError" in err
    assert "1 failed" in text
    assert "shows why; the same command tries failed models again" in text
    assert "nonsense" in pfe("status", "out")[1]
    assert json.loads(pfe("status", "out", "--json")[1])["failed"] == 1


def test_folder_with_other_files_is_refused(pfe: Pfe, here: Path) -> None:
    Path("notes.txt").write_text("mine")
    words = ("run", "exp1", "--sizes", "1", *SMALL, "--plan", "--out")
    code, _, err = pfe(*words, ".")
    assert (code, "holds other files, such as 'notes.txt'" in err) == (2, True)
    code, _, err = pfe(*words, "notes.txt")
    assert (code, "notes.txt cannot be used for a run" in err) == (2, True)


def test_missing_scheduler_exits_with_1(
    pfe: Pfe, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cli.options._CONNECT_SECONDS", 0.2)
    code, _, err = pfe("run", "exp1", "--sizes", "1", "--scheduler", "tcp://127.0.0.1:9")
    assert code == 1
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in err


def test_a_plan_counts_what_is_measured_and_writes_nothing(pfe: Pfe, here: Path) -> None:
    words = ("run", "exp1", "--sizes", "2", "--ranges", "20", *SMALL, "--out", "out")
    assert pfe(*words)[0] == 0
    files = {path: path.read_bytes() for path in (here / "out").iterdir()}
    assert [*plan_of(pfe, *words).values()] == [(2, 2, 0)]
    assert [*plan_of(pfe, *words, "--seeds", "42,43").values()] == [(4, 2, 2)]
    assert files == {path: path.read_bytes() for path in (here / "out").iterdir()}


STUDY = '''
from dataclasses import dataclass
from typing import ClassVar

import torch

from primefourier import lab


@lab.register
@dataclass(frozen=True)
class Digits:
    """Each digit of an integer is a row."""

    name: ClassVar[str] = "digits of a test"
    version: ClassVar[int] = 1
    base: int = 10

    def row_names(self):
        return [f"{self.base}^{i}" for i in range(2)]

    def rows(self, integers):
        digits = [[int(n) // self.base**i % self.base for i in range(2)] for n in integers]
        return torch.nn.functional.one_hot(torch.tensor(digits), self.base).float()

    def relevant(self, task):
        return ["10^0"] if (self.base, task.modulus) == (10, 5) else None


task, training = lab.ModularArithmetic(modulus=5, input_range=20), lab.Training(epochs=EPOCHS)
configs = [
    lab.ModelConfig(embedding=Digits(base), task=task, training=training, seed=seed)
    for base in (3, 10)
    for seed in range(3)
]
study = lab.Study("digits", configs)
'''


def write_study(epochs: int = 1, name: str = "mine.py") -> None:
    Path(name).write_text(STUDY.replace("EPOCHS", str(epochs)))


def test_a_study_in_a_file_is_run_and_named_by_it(pfe: Pfe, here: Path) -> None:
    write_study()
    assert plan_of(pfe, "run", "mine.py") == {"digits": (6, 0, 6)}
    assert [path.name for path in here.iterdir() if path.suffix] == ["mine.py"]
    code, text, err = pfe("run", "mine.py", "--workers", "0")
    assert code == 0
    assert text.startswith("Measured 6 of 6 models; records are in results/mine.\n")
    assert text.endswith(
        "pfe summary results/mine shows the results, pfe report results/mine --open a page.\n"
    )
    assert "a+b mod 5 r=20 digits of a test base=10 epochs=1 seed=0 accuracy " in err
    store = read_store(here / "results" / "mine")
    (study,) = store.studies
    records = store.records
    assert (study.name, len(study.configs)) == ("digits", 6)
    assert {record.config.row_names for record in records} == {("3^0", "3^1"), ("10^0", "10^1")}
    code, text, err = pfe("run", "mine.py", "--workers", "0")
    assert (code, err) == (0, "6 models, 6 of them measured before\n")


@pytest.mark.parametrize(
    ("content", "words", "code", "message"),
    [
        ("x = 1", [], 2, "must define study = lab.Study(name, configs), or a list studies"),
        ("study = [", [], 1, "mine.py cannot be run: SyntaxError: '[' was never closed"),
        ("1 / 0", [], 1, "mine.py, line 1, cannot be run: ZeroDivisionError: division by zero"),
        (STUDY, ["--epochs", "3"], 2, "Unknown option: --epochs"),
        (
            "from primefourier import lab\nlab.run([], 'out', workers=0)",
            [],
            1,
            'starts a sweep when it is imported; put that below if __name__ == "__main__":',
        ),
    ],
)
def test_files_without_a_study_and_wrong_options_are_refused(
    pfe: Pfe, here: Path, content: str, words: list[str], code: int, message: str
) -> None:
    Path("mine.py").write_text(content.replace("EPOCHS", "1"))
    found, text, err = pfe("run", "mine.py", *words)
    assert (found, text) == (code, "")
    assert message in err
    assert "Traceback" not in err
    assert [path.name for path in here.iterdir() if path.name != "__pycache__"] == ["mine.py"]


def test_plan_counts_models_that_studies_share_once(pfe: Pfe, here: Path) -> None:
    shared = STUDY.replace("EPOCHS", "1") + "studies = [study, lab.Study('some', configs[:2])]\n"
    Path("mine.py").write_text(shared)
    counts = {"digits": (6, 0, 6), "some": (2, 0, 2), "all": (6, 0, 6)}
    assert plan_of(pfe, "run", "mine.py") == counts


@pytest.mark.process
def test_a_killed_study_in_a_file_is_continued_and_trains_alike_on_workers(
    pfe: Pfe, here: Path
) -> None:
    write_study(epochs=100)
    words = [sys.executable, "-m", "primefourier", "run", "mine.py", "--workers", "2"]
    with subprocess.Popen(
        [*words, "--out", "out"], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        assert child.stderr is not None
        assert child.stderr.readline() == "6 models\n"
        assert child.stderr.readline().startswith("[1/6] ")
        os.killpg(child.pid, signal.SIGKILL)
    before = {r.config.key: (r.measured, r.provenance) for r in read_store(here / "out").records}
    assert 1 <= len(before) < 6
    code, text, err = pfe("run", "mine.py", "--workers", "0", "--out", "out")
    assert (code, "Measured 6 of 6 models" in text) == (0, True)
    assert err.startswith(f"6 models, {len(before)} of them measured before\n")
    after = {r.config.key: (r.measured, r.provenance) for r in read_store(here / "out").records}
    assert len(after) == 6
    assert before == {key: after[key] for key in before}, "nothing is trained twice"
    assert pfe("verify", "out", "--sample", "3", "--workers", "0")[0] == 0, (
        "workers measure what this process does"
    )


@pytest.mark.slow
def test_the_demo_says_why_a_small_range_teaches_no_network(pfe: Pfe, here: Path) -> None:
    """As JSON and with a picture; README's is run by the tests of the documentation."""
    words = ("--modulus", "105", "--range", "30", "--json", "--out", "cliff.png")
    code, out, _ = pfe("demo", "cheat", *words)
    found = json.loads(out)
    assert code == 0
    cheater, honest = found["networks"]
    assert (len(cheater["primes"]), honest["primes"]) == (8, [3, 5, 7])
    assert [*cheater["beyond"]] == [*honest["beyond"]]
    assert "No sum of inputs below 30 reaches 105, so none wraps around" in honest["verdict"]
    assert (found["repair"]["modulus"], found["repair"]["cause"]) == (105, None)
    certificate = found["certificate"]
    assert (certificate["status"], certificate["cases"]) == ("refuted", 105**2)
    assert (here / "cliff.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_demo_of_huge_integers_as_json(pfe: Pfe) -> None:
    code, out, _ = pfe("demo", "huge", "--steps", "100", "--width", "16", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["parameters"] == 4 * 16 + 16 + 16**2 + 16 + 2 * 16 + 2
    certificate = found["certificate"]
    assert (certificate["cases"], certificate["modulus"]) == (16752, 961380175077106319535)
    assert len(found["sums"]) == 1000
    for one in found["sums"]:
        total = (int(one["a"]) + int(one["b"])) % certificate["modulus"]
        assert (len(one["a"]), int(one["expected"])) == (100, total)
    cases = [one["cases"] for one in found["unseen"].values()]
    assert cases == [int(prime) ** 2 for prime in found["unseen"]]


@pytest.mark.process
def test_a_reader_that_ends_does_not_make_an_unfinished_sweep_a_success(here: Path) -> None:
    words = ["run", "exp1", "--sizes", "3", "--ranges", "20", *SMALL, "--out", "out"]
    command = [sys.executable, "-m", "primefourier", *words]
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(command, stdout=pipe, stderr=both, cwd=here) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"3 models\n"
        process.stdout.close()
        assert process.wait(timeout=200) == 1
    assert len(read_store(here / "out").measured) < 3
