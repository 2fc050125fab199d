"""Studies from a Python file, and parts that workers load from it."""

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from chaos.dask_cluster import DaskCluster
from primefourier.cluster import ClusterError, remote_client
from primefourier.lab.train_models import train_on

from primefourier import lab
from primefourier.lab import parts
from primefourier.lab.studies.study_file import (
    SourceError,
    find_sources,
    load_sources,
    read_study_file,
)
from small_models import small_config

STUDY = """
from dataclasses import dataclass
from typing import ClassVar
import torch
from primefourier import lab

@lab.register
@dataclass(frozen=True)
class Halves:
    name: ClassVar[str] = "halves-{name}"
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
    """A file whose parts have a name of their own in each test."""
    file = tmp_path / "study.py"
    file.write_text(STUDY.replace("{name}", tmp_path.name[-60:]))
    return file


def test_a_file_defines_parts_and_a_study(study_file: Path) -> None:
    (study,) = read_study_file(study_file)
    assert (study.name, len(study.configs)) == ("halves", 4)
    assert read_study_file(str(study_file))[0] is study, "a file is run once"
    sources = find_sources(study.configs)
    assert list(sources) == [str(study_file)]
    assert find_sources([small_config()]) == {}
    load_sources(sources)
    measured = lab.measure(study.configs[0]).measured
    assert (measured.row_names, measured.relevant) == (("even", "odd"), ("even",))


@pytest.mark.process
def test_workers_load_the_file_by_its_path(study_file: Path, tmp_path: Path) -> None:
    (study,) = read_study_file(study_file)
    here = {c.key: lab.measure(c).measurement for c in study.configs}
    outcome = lab.run(study, tmp_path / "out", workers=2)
    assert outcome.progress.done == 4
    run = lab.open(tmp_path / "out")
    assert {r.config.key: r.measurement for r in run.records} == here
    assert run.studies[0].name == "halves"


@pytest.mark.process
def test_a_worker_without_the_file_or_with_another_one_is_an_error(
    study_file: Path, tmp_path: Path
) -> None:
    (study,) = read_study_file(study_file)
    (sources,) = [find_sources(study.configs)]
    study_file.write_text(study_file.read_text() + "\n# changed\n")
    with pytest.raises(SourceError, match="of this worker differs; all machines must share it"):
        load_sources(sources)
    study_file.unlink()
    with pytest.raises(SourceError, match="this worker has no file"):
        load_sources(sources)


@pytest.mark.process
def test_a_cluster_whose_workers_cannot_run_the_file_ends_the_sweep(
    study_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study,) = read_study_file(study_file)
    gone = {str(study_file.with_name("gone.py")): "0"}
    monkeypatch.setattr("primefourier.lab.train_models.find_sources", lambda _configs: gone)
    with (
        DaskCluster(tmp_path, workers=1) as cluster,
        remote_client(cluster.address) as client,
        pytest.raises(ClusterError, match=r"worker cannot train models: .* has no file \S+gone.py"),
    ):
        list(train_on(client, list(study.configs), device="cpu"))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x = 1", ValueError, r"must define study = lab.Study\(name, configs\), .* got NoneType"),
        ("study = 3", ValueError, "must define study .* got int"),
        ("raise KeyError('no')", SourceError, "cannot be run: KeyError: 'no'"),
        ("def", SourceError, "cannot be run: SyntaxError"),
        ("import no_such_module", SourceError, "cannot be run: ModuleNotFoundError"),
    ],
)
def test_bad_files_are_clear_errors(
    text: str, error: type[Exception], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "study.py"
    file.write_text(text)
    with pytest.raises(error, match=message):
        read_study_file(file)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not found; name a Python file with a study"):
        read_study_file(tmp_path / "none.py")


def test_a_file_that_starts_a_sweep_when_imported_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "study.py"
    file.write_text(
        dedent(
            """
            from primefourier import lab
            lab.run([], "somewhere")
            """
        )
    )
    with pytest.raises(SourceError, match=r"starts a sweep when it is imported; .*__main__"):
        read_study_file(file)


def test_parts_that_are_in_no_file_need_this_process(
    study_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study,) = read_study_file(study_file)
    part: Any = type(study.configs[0].embedding)
    monkeypatch.delattr(sys.modules[part.__module__], "__file__")
    assert parts.source_of(part) is None
    with pytest.raises(SourceError, match=r"Halves is not defined in a file, .* workers=0"):
        find_sources(study.configs)
