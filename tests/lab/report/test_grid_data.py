from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab_records import EXP1, EXP2, PAPER, by_key, configs_of, plausible
from primefourier.cli.app import run
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import Experiment, models_of
from primefourier.lab.report.grid_data import command_words, grid_as_data
from primefourier.lab.report.page import Page
from primefourier.lab.results import Variant, find_variants, make_cells, paper_variant
from small_models import small_config

SIZES, RANGES = [4, 6, 8, 10, 12, 14, 16], [100, 500, 1000, 2000, 4000]
MODULI = [15, 21, 33, 35, 55, 77, 105, 165, 231, 385]
EVERYTHING: dict[str, Any] = {
    "depth": 2,
    "operation": "multiply",
    "epochs": 3,
    "batch_size": 64,
    "learning_rate": 1e-05,
    "pairs": 999,
    "trainer": "plain",
    "seeds": (1, 9),
}


def grid_of(variant: Variant, asked: Sequence[ModelConfig] = ()) -> dict[str, Any]:
    return grid_as_data(Page(variant, asked, by_key(plausible(asked)), []))


@pytest.mark.parametrize("name", ["exp1", "control", "exp2"])
@pytest.mark.parametrize("asked", [True, False])
def test_the_papers_grid_is_always_whole(name: str, asked: bool) -> None:
    models = [config for config in PAPER if config.experiment == name] if asked else []
    grid = grid_of(paper_variant(name), models)
    rows = MODULI if name == "exp2" else SIZES
    assert (grid["rows"], grid["ranges"], grid["seeds"]) == (rows, RANGES, [42])
    assert [(cell["row"], cell["range"]) for cell in grid["cells"]] == list(product(rows, RANGES))
    assert {cell["state"] for cell in grid["cells"]} == {"measured" if asked else "missing"}
    assert grid["paper"]
    cells = make_cells(models, by_key(plausible(models)))
    for shown in grid["cells"]:
        cell = cells.get((shown["row"], shown["range"]))
        assert (shown["on"] and shown["on"]["mean"]) == (cell and cell.on and cell.on.mean)
        assert shown["floor"] == pytest.approx(
            0.0316 if shown["range"] == 100 else 0.0112, abs=1e-4
        )


def test_each_experiment_names_its_axes_and_measures() -> None:
    grids = [grid_of(paper_variant(name)) for name in ("exp1", "control", "exp2")]
    assert [grid["title"] for grid in grids] == [
        "Experiment 1",
        "Control (PFE-Shuffled)",
        "Experiment 2",
    ]
    assert [grid["row_label"] for grid in grids] == [*["number of primes |P|"] * 2, "modulus N"]
    assert [(grid["row_name"], grid["row_option"]) for grid in grids] == [
        *[("|P|", "--sizes")] * 2,
        ("N", "--moduli"),
    ]
    assert [(grid["on_name"], grid["off_name"]) for grid in grids] == [
        *[("diagonal", "off-diagonal")] * 2,
        ("factor", "nonfactor"),
    ]
    assert [grid["threshold"] for grid in grids] == [0.85, 0.85, 0.70]


def test_what_was_asked_for_beyond_the_paper_joins_its_grid() -> None:
    asked = configs_of("exp1", sizes=(5,), ranges=(50, 100), seeds=(9, 3))
    grid = grid_of(paper_variant("exp1"), asked)
    assert grid["rows"] == [4, 5, 6, 8, 10, 12, 14, 16]
    assert grid["ranges"] == [50, *RANGES]
    assert grid["seeds"] == [3, 9]
    states = {(c["row"], c["range"]): c["state"] for c in grid["cells"]}
    measured = {place for place, state in states.items() if state == "measured"}
    assert measured == {(5, 50), (5, 100)}
    assert set(states.values()) == {"measured", "missing"}


def test_other_variants_have_what_was_asked_for_alone() -> None:
    asked = [
        *configs_of("exp2", moduli=(15, 45), ranges=(30,), depth=2),
        *configs_of("exp2", moduli=(45,), ranges=(60,), depth=2),
    ]
    ((variant, models),) = find_variants(asked).items()
    grid = grid_of(variant, models)
    assert (grid["rows"], grid["ranges"], grid["paper"]) == ([15, 45], [30, 60], False)
    assert [cell["state"] for cell in grid["cells"]] == [
        "measured", "missing", "measured", "measured",
    ]  # fmt: skip
    assert grid["title"] == "Experiment 2, depth 2"


def test_the_plain_trainer_is_a_grid_of_its_own() -> None:
    asked = [replace(config, trainer="plain") for config in EXP2[:2]]
    ((variant, models),) = find_variants(asked).items()
    grid = grid_of(variant, models)
    assert (grid["title"], grid["paper"]) == ("Experiment 2, plain trainer", True)
    assert grid["command"] == ["pfe", "run", "exp2", "--trainer", "plain"]
    assert (grid["rows"], grid["ranges"]) == ([15], [100, 500])


VARIANTS = {
    "paper exp1": configs_of("exp1", sizes=(4,), ranges=(100,)),
    "paper control": configs_of("control", sizes=(4,), ranges=(100,)),
    "paper exp2": configs_of("exp2", moduli=(15,), ranges=(100,)),
    "exp1": configs_of("exp1", primes=(2, 3, 7), sizes=(1, 3), ranges=(20, 30), **EVERYTHING),
    "control": configs_of(
        "control", primes=(2, 3, 7), sizes=(2,), ranges=(20,), embedding="shuffled-block",
        **EVERYTHING,
    ),
    "exp2": configs_of("exp2", primes=(2, 3), moduli=(6, 12), ranges=(20, 30), **EVERYTHING),
    "longer pool": configs_of("exp1", primes=(*EXP1[-1].primes, 61), sizes=(4, 17), ranges=(100,)),
    "paper's primes for exp2": configs_of("exp2", primes=EXP1[-1].primes, ranges=(100,)),
    "a rate with many digits": configs_of("exp2", learning_rate=0.1 + 0.2, ranges=(100,)),
    "plain": configs_of("exp1", sizes=(4,), ranges=(100,), trainer="plain"),
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_the_command_asks_for_exactly_the_models_of_a_cell(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Experiment] = []

    def remember(experiments: list[Experiment], *_: object, **__: object) -> object:
        asked.extend(experiments)
        return SimpleNamespace(interrupted=False, progress=SimpleNamespace(failed=0))

    monkeypatch.setattr("primefourier.cli.run.train", remember)
    for variant, models in find_variants(VARIANTS[name]).items():
        grid = grid_of(variant, models)
        for cell in grid["cells"]:
            asked.clear()
            row, r, seeds = cell["row"], cell["range"], grid["seeds"]
            given = [grid["row_option"], str(row), "--ranges", str(r)]
            words = [*grid["command"], *given, "--seeds", ",".join(map(str, seeds))]
            assert words[0] == "pfe"
            assert run([*words[1:], "--out", "somewhere"]) == 0
            wanted = [model for seed in seeds for model in variant.models(row, r, seed)]
            assert models_of(asked) == wanted
            assert set(wanted) <= set(find_variants([*models, *wanted])[variant])


def test_settings_of_the_paper_are_left_out_of_the_command() -> None:
    assert command_words(paper_variant("control")) == ["pfe", "run", "control"]
    asked = configs_of("exp2", primes=(2, 3), learning_rate=0.5, ranges=(100,))
    ((variant, _),) = find_variants(asked).items()
    assert command_words(variant) == [
        *("pfe", "run", "exp2", "--learning-rate", "0.5", "--primes", "2,3"),
    ]


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (small_config(embedding="shuffled-pair"), "is an option of control, not of exp1"),
        (small_config(experiment="control", embedding="pfe"), "'pfe' is that of exp1"),
    ],
)
def test_what_no_command_can_train_is_refused_with_a_sentence(
    model: ModelConfig, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for variant in find_variants([model]):
        assert run([*command_words(variant)[1:], "--out", str(tmp_path / "out")]) == 2
        assert told in capsys.readouterr().err
        assert not (tmp_path / "out").exists()
