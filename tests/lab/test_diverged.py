"""Networks that are really trained until their logits are NaN: marked, wrong, and in no mean."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lab_records import EXP1, configs_of, diverged, measured, plausible, records_of
from primefourier import lab
from primefourier.cli.app import run as run_command
from primefourier.cli.output import describe_model
from primefourier.lab import Run, measure
from primefourier.lab.export import record_rows
from primefourier.lab.fast_training import train_fast
from primefourier.lab.figures import draw_figures
from primefourier.lab.grid import Grid
from primefourier.lab.record import Measurement
from primefourier.lab.row_ablation import ablate_rows
from primefourier.lab.store import write_store
from primefourier.lab.training import make_data
from small_models import small_config, small_study

EXPLODES = 1e30
"""A learning rate with which the first step makes all weights infinite, and the second NaN."""


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])  # both loops
@pytest.mark.parametrize("modulus", [2, 5])
def test_a_network_that_diverged_is_marked_and_never_right(
    weight_decay: float, modulus: int
) -> None:
    kinds: Any = ("zero", "mean", "permute")
    found = measure(
        small_config(
            learning_rate=EXPLODES,
            weight_decay=weight_decay,
            modulus=modulus,
            epochs=3,
            beyond=(100,),
            beyond_samples=50,
            ablations=kinds,
        )
    )
    m = found.measured
    assert (found.diverged, m.diverged, m.nan_answers) == (True, True, m.test_size)
    assert (m.correct, m.correct_by_epoch[-1], m.accuracy) == (0, 0, 0.0)
    assert m.beyond == {"100": (0, 50)}
    for kind in kinds:
        counts = m.counts(kind)
        assert counts is not None
        assert (counts.correct, {*counts.lost, *counts.gained}) == (0, {0})


def test_rows_and_blocks_of_nan_networks_are_neither_lost_nor_gained() -> None:
    config = small_config(epochs=1)
    data = make_data(config)
    model: Any = train_fast(config, data).model
    torch.nn.init.constant_(model.classifier[-1].bias, math.nan)
    labels = torch.zeros_like(data.test.labels)  # the class that the argmax of NaN names
    found = ablate_rows(model, data.test.values, labels, batch_size=100)
    assert (found.correct, {*found.lost, *found.gained}) == (0, {0})


@pytest.fixture(scope="module")
def five() -> Run:
    """Return a study of five seeds, of which the third has really diverged."""
    configs = [
        small_config(seed=seed, epochs=3, beyond=(100,), beyond_samples=50) for seed in range(5)
    ]
    configs[2] = replace(configs[2], training=replace(configs[2].training, learning_rate=EXPLODES))
    records = [measure(config) for config in configs]
    assert [record.diverged for record in records] == [False, False, True, False, False]
    study = lab.Study("five", configs, axes=())
    return Run([study], records)


def test_means_leave_diverged_networks_out_and_count_them(five: Run) -> None:
    (row,) = five.summary()
    kept = [record.measured for record in five.records if not record.diverged]
    assert (row["models"], row["seeds"], row["diverged"]) == (4, 4, 1)
    assert row["accuracy"] == pytest.approx(sum(m.accuracy for m in kept) / 4)
    assert row["beyond"]["100"] == pytest.approx(sum(m.accuracy_beyond["100"] for m in kept) / 4)
    assert five.diverged == [five.records[2]]
    (cell,) = five.grids[0].cells.values()
    assert (cell.seeds, cell.accuracy.count) == ((0, 1, 3, 4), 4)


def test_a_mean_over_a_frame_leaves_diverged_networks_out(five: Run) -> None:
    frame = five.frame("polars")
    assert frame["diverged"].to_list() == [False, False, True, False, False]
    kept = [record.measured.accuracy for record in five.records if not record.diverged]
    assert frame["accuracy"].mean() == pytest.approx(sum(kept) / 4)
    row = record_rows([five.records[2]], {})[0]
    empty = {name for name, value in row.items() if value is None}
    assert {"accuracy", "accuracy_beyond", "drops", "p_values", "relevant_drop"} <= empty
    assert (row["lost"], row["accuracy_by_epoch"][-1]) == ([0, 0, 0], 0.0)


def store_of(run: Run, folder: Path) -> Path:
    with write_store(folder) as store:
        store.begin(run.studies, "a command")
        for record in run.records:
            store.add(record)
    return folder


def test_the_command_line_says_how_many_diverged(
    five: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(store_of(five, tmp_path / "run"))
    assert run_command(["summary", folder]) == 0
    shown = capsys.readouterr().out
    assert "1 of 5" in shown
    assert "Networks that diverged (NaN logits) are left out." in " ".join(shown.split())
    assert run_command(["status", folder]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 of 5 measured models diverged: logits are NaN. Means leave them out." in shown
    whole = Run([small_study()], plausible([small_config()]))
    assert run_command(["summary", str(store_of(whole, tmp_path / "whole"))]) == 0
    assert "diverged" not in capsys.readouterr().out


def test_a_run_in_which_all_diverged_says_so_and_has_no_means(
    five: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = Run([lab.Study("lost", [five.records[2].config], axes=())], [five.records[2]])
    (row,) = lost.summary()
    assert (row["diverged"], row["models"], row["seeds"], row["accuracy"]) == (1, 0, 0, None)
    assert lost.grids[0].cells == {}
    (cell,) = lost.page_data()["grids"][0]["cells"]
    assert (cell["state"], cell["diverged"], cell["accuracy"], cell["runs"]) == (
        *("diverged", 1),
        *(None, []),
    )
    assert run_command(["summary", str(store_of(lost, tmp_path / "run"))]) == 0
    assert "1 of 1" in capsys.readouterr().out


def test_a_seed_is_a_mean_over_its_networks_that_did_not_diverge() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100,), seeds=(1, 2))
    records = records_of(configs, on=0.5)
    broken = [diverged(records[0]), *records[1:]]
    run = Run([lab.Study("mine", configs, axes=())], broken)
    (cell,) = run.grids[0].cells.values()
    assert (cell.seeds, len(cell.records)) == ((1, 2), 7)
    assert cell.relevant is not None
    assert cell.relevant.mean == 0.5
    assert cell.converged == 1
    lost = [diverged(r) if r.config.seed == 1 else r for r in records]
    (cell,) = Run([lab.Study("mine", configs, axes=())], lost).grids[0].cells.values()
    assert (cell.seeds, len(cell.records)) == ((2,), 4)
    page = run.page_data()
    assert page["diverged"] == page["grids"][0]["cells"][0]["diverged"] == 1
    assert len(page["grids"][0]["cells"][0]["runs"]) == 7


def captions(grid: Grid) -> dict[str, str]:
    found = {}
    for file in draw_figures([grid]):
        figure = file.draw()
        found[file.name] = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    return found


def test_figures_leave_diverged_networks_out_and_say_so(five: Run) -> None:
    written = captions(five.grids[0])
    assert {*written} == {f"five-{name}" for name in ("accuracy", "relevant", "other", "profiles",
                                                      "beyond")}  # fmt: skip
    for text in written.values():
        assert "1 of 5 models diverged and left out." in text
        assert "4 models, 4 seeds (0, 1, 3, 4) per configuration" in text
    whole = Run(five.studies, [record for record in five.records if not record.diverged])
    assert not any("diverged" in text for text in captions(whole.grids[0]).values())


def test_records_that_did_not_diverge_are_stored_as_before(five: Run) -> None:
    kept, lost = five.records[0], five.records[2]
    assert "nan_answers" not in kept.measured.as_data()
    assert lost.measured.as_data()["nan_answers"] == lost.measured.nan_answers
    for record in (kept, lost):
        again = Measurement.from_data(json.loads(json.dumps(record.measured.as_data())))
        assert again == record.measured
    assert "DIVERGED: logits are NaN on 180 of 180 test examples" in describe_model(lost)


def test_nan_answers_are_wrong_ones() -> None:
    record = measured(EXP1[0], [0.0] * 4, accuracy=0.75)
    data = record.measured.as_data()
    wrong = record.measured.test_size - record.measured.correct
    assert Measurement.from_data(data | {"nan_answers": wrong}).diverged
    for count in (wrong + 1, -1, 1.0):
        with pytest.raises(ValueError, match=r"NaN as wrong|made of counts"):
            Measurement.from_data(data | {"nan_answers": count})
