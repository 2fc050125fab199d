"""Fixtures: ``pfe`` in this process with what it prints, and folders with made-up records."""

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
    plausible,
    records_of,
    studies_of,
)
from primefourier.cli.app import run
from primefourier.lab.store import write_store

Pfe = Callable[..., tuple[int, str, str]]
SMALL = ("--epochs", "1", "--pairs", "200", "--depth", "2", "--workers", "0")


def plan_of(pfe: Pfe, *words: str) -> dict[str, tuple[int, ...]]:
    """Return what --plan prints: for each study, its models, those measured, those to train."""
    code, text, err = pfe(*words, "--plan")
    assert (code, err) == (0, "")
    head, _, *lines = text.splitlines()
    assert head.split() == ["study", "models", "measured", "to", "train"]
    rows = [line.rsplit(maxsplit=3) for line in lines]
    return {name.strip(): tuple(map(int, counts)) for name, *counts in rows}


@pytest.fixture
def pfe(capsys: pytest.CaptureFixture[str]) -> Pfe:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


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


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path
