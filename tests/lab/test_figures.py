"""The figures of studies that are not the paper's: file names, heatmaps, profiles, beyond r."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from drawn import around, assert_readable, hatched, inside, key
from lab_records import PROVENANCE, failed, measured, plausible
from prime_models import modulus
from primefourier.lab import Axis, LearnedTable, ModelConfig, Periods, Run, Study
from primefourier.lab.figures import draw_figures
from primefourier.lab.record import Record
from small_models import small_config

MINE = [small_config(modulus=n, input_range=r) for n in (3, 15) for r in (30, 40)]


def files(studies: list[Study], records: list[Record]) -> list[str]:
    found = [file.name for file in draw_figures(Run(studies, records).grids)]
    assert len(set(found)) == len(found), "two figures in one file"
    return found


def figures(study: Study, records: list[Record]) -> dict[str, Figure]:
    found = list(draw_figures(Run([study], records).grids))
    return {file.name: file.draw() for file in found}


def beyond(config: ModelConfig, accuracy: float, shares: dict[str, float]) -> Record:
    """Return a record of a model with test sets beyond its range, and the accuracy on each."""
    task = config.to_dict()["task"]
    plain = small_config(modulus=task["modulus"], input_range=task["input_range"], seed=config.seed)
    sizes = config.task.beyond_sizes()
    counts = {name: (round(share * sizes[name]), sizes[name]) for name, share in shares.items()}
    found = measured(plain, [0.0] * 3, accuracy=accuracy).measured
    return Record(config=config, provenance=PROVENANCE, measurement=replace(found, beyond=counts))


# Which files there are.


def test_a_study_has_heatmaps_and_one_page_of_profiles_for_each_column() -> None:
    assert files([Study("mine", MINE)], plausible(MINE)) == [
        "mine-accuracy",
        "mine-relevant",
        "mine-other",
        "mine-profiles-1",
        "mine-profiles-2",
    ]
    one = [config for config in MINE if config.task.sizes() == MINE[0].task.sizes()]
    assert files([Study("mine", one)], plausible(one))[-1] == "mine-profiles"


def test_figures_without_values_are_left_out() -> None:
    config = replace(small_config(), embedding=LearnedTable(size=30, width=4, row_count=2))
    record = measured(config, [0.5, 0.25])
    names = files([Study("mine", [config])], [record])
    assert names == ["mine-accuracy", "mine-other", "mine-profiles"]
    assert files([Study("mine", MINE)], []) == ["mine-profiles-1", "mine-profiles-2"]


@pytest.mark.parametrize(
    "name", ["a/../../b", "a..", "x" * 200, "étude ü", "a b/c\\d:e*f", "CON?<>|", "名"]
)
def test_file_names_are_harmless_and_different(name: str, tmp_path: Path) -> None:
    studies = [Study(name, MINE[:1]), Study(f"{name[:199]}!", MINE[1:2])]
    names = files(studies, plausible(MINE[:2]))
    for found in names:
        assert len(found) < 120
        assert set(found) <= set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
        )
        assert not found.startswith((".", "-"))
        assert (tmp_path / found).resolve().parent == tmp_path.resolve()


# What they show.


def test_a_heatmap_has_the_axes_of_the_study() -> None:
    study = Study("mine", MINE, "My study", [Axis("task.modulus", "N", "my modulus"),
                                             Axis("task.input_range")])  # fmt: skip
    records = [measured(config, [0.5, 0.25, 0.0]) for config in MINE[:3]]
    drawn = figures(study, [*records, failed(MINE[3])])
    relevant = drawn["mine-relevant"]
    axes = relevant.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["3", "15"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["30", "40"]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("my modulus", "input range")
    assert [float(text) for text in inside(axes)] == pytest.approx([0.5, 0.5, 0.375], abs=0.006)
    assert len(hatched(axes)) == 1
    assert_readable(relevant)
    text = around(relevant)
    assert text.startswith("My study: mean drop of relevant rows")
    assert "Rows are zeroed in trained networks, on test examples." in text
    assert "3 models, 1 seed (42) per configuration" in text
    assert "1 model failed; pfe status shows why." in text


def test_rows_without_a_prediction_are_left_out_of_the_heatmap_of_relevant_rows() -> None:
    table = replace(small_config(), embedding=LearnedTable(size=30, width=4, row_count=2))
    records = [measured(small_config(), [0.0, 0.5, 0.0]), measured(table, [0.5, 0.25])]
    drawn = figures(Study("mine", [small_config(), table]), records)
    assert sorted(inside(drawn["mine-relevant"].axes[0])) == ["0.50", "×"]
    assert "Left out where there are no such rows." in around(drawn["mine-relevant"])


def test_profiles_name_the_rows_of_their_models() -> None:
    periods = replace(small_config(), embedding=Periods((2, 5, 10.5)))
    table = replace(small_config(), embedding=LearnedTable(size=30, width=4, row_count=2))
    records = [measured(periods, [0.25, 0.75, 0.0]), measured(table, [0.5, 0.125])]
    figure = figures(Study("mine", [periods, table]), records)["mine-profiles"]
    ticks = [[t.get_text() for t in axes.get_xticklabels()] for axes in figure.axes]
    assert sorted(ticks) == [["2", "5", "10.5"], ["row 1", "row 2"]]
    headings = [axes.get_title("left") for axes in figure.axes]
    assert sorted(headings)[0].startswith("embedding = learned-table")
    assert_readable(figure)


def test_models_of_one_cell_may_have_different_rows() -> None:
    configs = [small_config(primes=(3, 5)), small_config(), small_config(primes=(5, 11))]
    drops = ([0.1, 0.5], [0.3, 0.7, 0.0], [0.6, 0.2])
    records = [measured(config, some) for config, some in zip(configs, drops, strict=True)]
    study = Study("mine", configs, axes=[Axis("task.modulus")])
    figure = figures(study, records)["mine-profiles"]
    (axes,) = figure.axes
    assert [t.get_text() for t in axes.get_xticklabels()] == ["3", "5", "7", "11"]
    assert inside(axes) == [".20", ".60", ".00", ".20"], "each over the models that have the row"
    assert_readable(figure)


def test_a_row_is_marked_as_relevant_if_all_models_of_a_cell_need_it() -> None:
    configs = [small_config(modulus=n) for n in (15, 3)]
    records = [measured(config, [0.5, 0.25, 0.0]) for config in configs]
    study = Study("mine", configs, axes=[Axis("task.input_range")])
    (axes,) = figures(study, records)["mine-profiles"].axes
    colours = {}
    for container in axes.containers:
        for bar in container:
            x = getattr(bar, "get_x", None)
            if x is not None:
                colours[round(x() + 0.36)] = bar.get_facecolor()
    assert colours[0] != colours[1] == colours[2]


# Accuracy beyond the input range.


def test_accuracy_beyond_the_range_is_one_line_for_each_configuration() -> None:
    configs = [
        small_config(modulus=n, seed=seed, beyond=(100, 10**30), beyond_samples=100)
        for n in (3, 5)
        for seed in (1, 2)
    ]
    records = [
        beyond(config, 1.0, {"100": 0.1 * modulus(config), str(10**30): 0.1 * config.seed})
        for config in configs
    ]
    figure = figures(Study("mine", configs), records)["mine-beyond"]
    assert key(figure)[:2] == ["modulus = 3", "modulus = 5"]
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    lines = [line for line in axes.lines if len(np.asarray(line.get_xdata())) == 3]
    found = [np.asarray(line.get_xydata(), dtype=float).tolist() for line in lines]
    assert found[0] == [[30.0, 1.0], [100.0, pytest.approx(0.3)], [1e30, pytest.approx(0.15)]]
    assert found[1] == [[30.0, 1.0], [100.0, pytest.approx(0.5)], [1e30, pytest.approx(0.15)]]
    assert "The first point of a line is the test accuracy below the input range" in around(figure)
    assert_readable(figure)


def test_at_most_twelve_lines_are_drawn_and_the_others_counted() -> None:
    configs = [small_config(modulus=n, beyond=(100,), beyond_samples=10) for n in range(2, 16)]
    records = [beyond(config, 1.0, {"100": 0.5}) for config in configs]
    figure = figures(Study("mine", configs), records)["mine-beyond"]
    assert sum(text.startswith("modulus = ") for text in key(figure)) == 12
    assert "2 more configurations are not shown." in around(figure)
    assert_readable(figure)


def test_test_sets_that_are_not_numbers_have_no_place_on_the_axis() -> None:
    recipe = dict(small_config().to_dict())
    recipe["task"] = {"name": "somebody-elses", "version": 1}
    config = ModelConfig.from_dict(recipe)
    counts = replace(
        measured(small_config(), [0.0] * 3).measured,
        beyond={"hard ones": (1, 2), "1" * 400: (1, 2), "1000": (1, 4)},
    )
    record = Record(config=config, provenance=PROVENANCE, measurement=counts)
    (axes,) = figures(Study("mine", [config]), [record])["mine-beyond"].axes
    drawn = [np.asarray(line.get_xdata(), dtype=float).tolist() for line in axes.lines]
    assert [1.0, 1000.0] in drawn
    assert max(x for xs in drawn for x in xs) == 1000.0
