"""Run ``pfe`` in this process and catch what it prints; and one folder with a real sweep."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab_records import (
    EXP1,
    EXP2,
    PAPER,
    STUDIES,
    also_ablated,
    configs_of,
    failed,
    maker_of,
    plausible,
    records_of,
    studies_of,
)
from primefourier.cli.app import run
from primefourier.lab.config import ModelConfig
from primefourier.lab.store import read_store, write_store
from primefourier.lab.studies import SinglePrime, models_of, profile

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")
PAPER_RUN = Path(__file__).parents[2] / "results" / "paper"


@pytest.fixture
def pfe(capsys: pytest.CaptureFixture[str]) -> Pfe:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def is_trained_here(config: ModelConfig) -> bool:
    task = config.to_dict()["task"]
    return isinstance(maker_of(config), SinglePrime) and task["input_range"] == 100


@pytest.fixture(scope="session")
def smoke(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The smoke profile, continued as a user runs it: its folder and what it printed.

    The published records of 17 models are there before; the command trains the other four.
    """
    folder = tmp_path_factory.mktemp("smoke")
    keys = {config.key for config in models_of(profile("smoke"))}
    with write_store(folder) as store:
        planned = [experiment.study() for experiment in profile("smoke")]
        store.begin(planned, "pfe reproduce --profile smoke --out smoke")
        for record in read_store(PAPER_RUN).records:
            if record.config.key in keys and not is_trained_here(record.config):
                store.add(record)
    done = subprocess.run(
        [str(PFE), "reproduce", "--profile", "smoke", "--out", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return folder, done


@pytest.fixture(scope="session")
def ablated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with made-up records of all kinds of ablation: of the paper, and of others."""
    folder = tmp_path_factory.mktemp("ablated")
    configs = configs_of("exp1", sizes=(4,), ranges=(100,))
    configs += configs_of("exp1", sizes=(2,), ranges=(30,))
    with write_store(folder) as store:
        store.begin(studies_of(configs), "pfe run exp1 --sizes 4 --ranges 100")
        for record in records_of(configs, off=0.1):
            store.add(also_ablated(record))
    return folder


@pytest.fixture(scope="session")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all models of the paper, with two models failed and two waiting."""
    folder = tmp_path_factory.mktemp("sweeps") / "paper"
    folder.mkdir()
    with write_store(folder) as store:
        store.begin(STUDIES, "pfe reproduce --profile paper --out x")
        for record in plausible(PAPER[4:]):
            store.add(record)
        for config in PAPER[:2]:
            store.add(failed(config))
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a few models."""
    folder = tmp_path_factory.mktemp("sweeps") / "small"
    folder.mkdir()
    configs = [*EXP1[:4], *EXP2[:1]]
    with write_store(folder) as store:
        store.begin(studies_of(configs), "pfe run")
        for record in plausible(configs):
            store.add(record)
    return folder
