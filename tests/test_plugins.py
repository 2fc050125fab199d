"""Plugins: what another package may add, and what it cannot do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab_records import plausible
from primefourier import plugins
from primefourier.cli import app
from primefourier.cli.app import run as pfe
from primefourier.lab import Run, Study
from primefourier.lab.figures import FigureFile, draw_figures, study_figures
from primefourier.lab.grid import Grid
from primefourier.lab.record import Record
from primefourier.plugins import Plugin, installed
from small_models import small_config

CALLED: list[str] = []


class Mine(Plugin):
    """A plugin as another package would write it."""

    kinds = ("mine",)
    heading = "Mine"

    def commands(self) -> Mapping[str, Callable[..., object]]:
        return {
            "judge": lambda: CALLED.append("judge"),
            "run mine": lambda: CALLED.append("run mine"),
        }

    def rank(self, grid: Grid) -> int | None:
        return None if grid.study.settings else -len(grid.planned)

    def about(self, grid: Grid, more: Sequence[Record]) -> dict[str, Any]:
        return {"expectation": f"{grid.study.name} and {len(more)} more"}

    def model_name(self, config: Any) -> str:
        return f"seed {config.seed}"

    def figures(self, grids: Sequence[Grid]) -> Iterator[FigureFile]:
        return (file for grid in grids for file in [*study_figures(grid)][:1])

    def sections(self, run: Run) -> dict[str, Any]:
        return {"title": f"{len(run.records)} models of mine"}


SEEDS = [small_config(seed=seed) for seed in range(3)]
OTHER = Study("other", SEEDS[:1])
SMALL, LARGE = (Study(f"{n} models", SEEDS[:n], kind="mine") for n in (2, 3))
FALSE = replace(SMALL, name="false", settings={"not": "mine"})


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run with studies of the plugin and others, while it alone is installed."""
    mine = Mine()
    for module in (plugins, app):
        monkeypatch.setattr(module, "installed", lambda: (mine,))
    return Run([OTHER, SMALL, FALSE, LARGE], plausible(SEEDS), more=plausible(SEEDS[:1]))


def test_grids_of_a_plugin_come_first_in_its_order(run: Run) -> None:
    assert [grid.study.name for grid in run.grids] == ["3 models", "2 models", "other", "false"]


def test_a_plugin_says_what_the_page_shows_of_its_grids(run: Run) -> None:
    data = run.page_data()
    assert data["title"] == "3 models of mine"
    assert [grid["expectation"] for grid in data["grids"]] == [
        *("3 models and 1 more", "2 models and 1 more", "", ""),
    ]
    names = [grid["cells"][0]["runs"][0]["name"] for grid in data["grids"]]
    assert names == ["seed 0", "seed 0", *[SEEDS[0].describe()] * 2]


def test_a_plugin_draws_its_grids_and_no_others(run: Run) -> None:
    names = [file.name for file in draw_figures(run.grids)]
    assert names[:2] == ["3-models-accuracy", "2-models-accuracy"]
    assert {name.partition("-")[0] for name in names[2:]} == {"other", "false"}
    assert len(names) > 4


def test_a_plugin_adds_commands(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert (pfe(["judge"]), pfe(["run", "mine"])) == (0, 0)
    assert CALLED == ["judge", "run mine"]
    assert pfe(["--help"]) == 0
    assert "─ Mine ─" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["reproduce", "claims", "run exp1", "run control", "run exp2"])
def test_without_the_papers_package_its_commands_say_what_to_install(
    run: Run, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert pfe([*name.split(), "--out", "x"]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert f"pfe {name} needs the package primefourier-paper, which is not installed" in error
    assert "pip install ./paper" in error


def test_without_plugins_a_run_of_any_kind_can_be_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(plugins, "installed", lambda: ())
    plain = replace(run, folder=tmp_path)
    assert [grid.study.name for grid in plain.grids] == ["other", "2 models", "false", "3 models"]
    data = plain.page_data()
    assert (data["claims"], {grid["expectation"] for grid in data["grids"]}) == ([], {""})
    assert plain.report().is_file()


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The entry points that a test names, instead of those of installed packages."""
    found: list[Any] = []
    monkeypatch.setattr(plugins, "entry_points", lambda group: found)
    installed.cache_clear()
    yield found
    installed.cache_clear()


class Entry:
    """An entry point of a package."""

    def __init__(self, value: object) -> None:
        self.value = value

    def load(self) -> object:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def test_a_plugin_that_cannot_be_loaded_is_named_and_left_out(
    entries: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    mine = Mine()
    entries += [Entry(ImportError("no module")), Entry(mine), Entry("a text")]
    assert installed() == (mine,)
    assert "the plugin no module cannot be loaded: no module" in caplog.text
    assert "the plugin a text is not a Plugin" in caplog.text


def test_the_papers_package_is_a_plugin() -> None:
    assert [(type(plugin).__name__, plugin.kinds) for plugin in installed()] == [
        ("Paper", ("exp1", "control", "exp2"))
    ]
