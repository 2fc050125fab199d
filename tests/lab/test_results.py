"""A run: read once, everything derived computed once, files written to its folder."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from lab_records import (
    EXP1,
    also_ablated,
    configs_of,
    diverged,
    failed,
    measured,
    plausible,
    run_of,
    studies_of,
)
from prime_models import modulus
from primefourier import lab
from primefourier.lab import parts as lab_parts
from primefourier.lab import results
from primefourier.lab.config import ModelConfig
from primefourier.lab.export import COLUMNS
from primefourier.lab.figures import draw_figures
from primefourier.lab.results import newest_run
from primefourier.lab.store import STORE_NAME, StoreError, read_store, write_store
from primefourier.lab.study import find_axes
from primefourier_paper import judge, save_claims
from small_models import small_config, small_study

CONFIGS = EXP1[:4]


def write_run(folder: Path) -> Path:
    """Write a store with two measured models, one that failed and one that waits."""
    folder.mkdir(parents=True, exist_ok=True)
    with write_store(folder) as store:
        store.begin(studies_of(CONFIGS), "pfe run exp1 --sizes 4 --ranges 100")
        for record in plausible(CONFIGS[:2]):
            store.add(record)
        store.add(failed(CONFIGS[2]))
    return folder


def test_a_folder_is_opened_by_its_name(tmp_path: Path) -> None:
    run = lab.open(str(write_run(tmp_path)))
    assert run.planned == CONFIGS
    assert [record.config for record in run.records] == CONFIGS[:3]
    assert list(run.commands) == ["pfe run exp1 --sizes 4 --ranges 100"]
    assert run.counts == {"planned": 4, "measured": 2, "failed": 1, "waiting": 1}
    assert run.failures == [run.records[2]]
    assert repr(run) == f"Run({str(tmp_path)!r}: 2 of 4 models measured)"


def test_the_store_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(folder: Path) -> object:
        calls.append(folder)
        return read_store(folder)

    monkeypatch.setattr(results, "read_store", counted)
    run = lab.open(write_run(tmp_path))
    save_claims(run)
    run.report()
    assert calls == [tmp_path]


def test_files_go_to_the_folder_of_the_run(tmp_path: Path) -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100,))
    run = run_of(configs, plausible(configs), tmp_path)
    written = [*save_claims(run), run.report()]
    assert [path.name for path in written] == ["claims.json", "claims.md", "report.html"]
    assert {path.parent for path in written} == {tmp_path}
    assert len(json.loads(written[0].read_text())) == 21
    run.export(tmp_path / "records.csv")
    assert (tmp_path / "records.csv").read_text().startswith("key,status,study")
    with pytest.raises(ValueError, match="format must be 'jsonl', 'csv' or 'parquet', got 'xlsx'"):
        run.export(tmp_path / "records.xlsx")


def test_the_newest_run_is_found_here_and_in_results(tmp_path: Path) -> None:
    assert newest_run(tmp_path) is None
    older = write_run(tmp_path / "results" / "older")
    newer = write_run(tmp_path / "results" / "newer")
    os.utime(older / "records.jsonl", (1, 1))
    assert newest_run(tmp_path) == newer
    shutil.copy(older / "records.jsonl", tmp_path)
    os.utime(newer / "records.jsonl", (2, 2))
    assert newest_run(tmp_path) == tmp_path


@pytest.mark.process
def test_claims_are_read_without_torch_dask_and_matplotlib(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom primefourier import lab\nfrom primefourier_paper import judge\n"
        "lab.ModelConfig, hasattr(lab, 'nothing') and 1 / 0\n"
        "run = lab.open(sys.argv[1])\n"
        "judge(run), run.summary(), run.progress(), run.page_data()\n"
        "print(sorted({'torch', 'dask', 'distributed', 'matplotlib', 'duckdb'} & {*sys.modules}))"
    )
    words = [sys.executable, "-c", program, str(write_run(tmp_path))]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


# Studies that are not the paper's.


MINE = [
    small_config(modulus=n, input_range=r, seed=seed)
    for n in (3, 15)
    for r in (30, 40)
    for seed in (1, 2)
]


def test_a_summary_has_one_row_for_each_configuration() -> None:
    drops = {3: [0.5, 0.25, 0.0], 15: [0.75, 0.25, 0.25]}
    records = [measured(config, drops[modulus(config)]) for config in MINE]
    rows = lab.Run([lab.Study("mine", MINE)], records).summary()
    assert [(row["study"], row["modulus"], row["input range"]) for row in rows] == [
        ("mine", 3, 30), ("mine", 3, 40), ("mine", 15, 30), ("mine", 15, 40),
    ]  # fmt: skip
    assert {(row["seeds"], row["models"], row["accuracy"]) for row in rows} == {(2, 2, 1.0)}
    relevant = [row["relevant_drop"] for row in rows]
    assert relevant == pytest.approx([0.5, 0.5, 0.5, 0.5], abs=1 / 180)  # (0.75 + 0.25) / 2
    other = [row["other_drop"] for row in rows]
    assert other == pytest.approx([0.125, 0.125, 0.25, 0.25], abs=1 / 180)
    assert [row["beyond"] for row in rows] == [{}] * 4
    assert json.loads(json.dumps(rows)) == rows


def test_a_summary_leaves_out_what_is_not_measured_and_names_further_axes() -> None:
    configs = [replace(config, network=network) for config in MINE[:4]
               for network in (lab.RowClassifier(), lab.Linear())]  # fmt: skip
    records = plausible(config for config in configs if config.seed == 1)
    run = lab.Run([lab.Study("mine", configs)], [*records[1:], failed(records[0].config)])
    assert [axis.path for axis in find_axes(configs)] == ["network", "task.input_range"]
    rows = run.summary()
    assert [(row["network"], row["input range"], row["seeds"]) for row in rows] == [
        ("linear", 30, 1), ("row-classifier", 40, 1), ("linear", 40, 1),
    ]  # fmt: skip
    deep = [small_config(modulus=n, input_range=r, depth=d)
            for n in (3, 5) for r in (30, 40) for d in (1, 2)]  # fmt: skip
    rows = lab.Run([lab.Study("deep", deep)], plausible(deep)).summary()
    places = [(row["depth"], row["modulus"], row["input range"]) for row in rows]
    assert places == [(d, n, r) for d in (1, 2) for n in (3, 5) for r in (30, 40)]
    assert lab.Run([lab.Study("deep", deep)], []).summary() == []


def test_a_summary_may_be_of_another_kind_of_ablation() -> None:
    run = run_of(CONFIGS, map(also_ablated, plausible(CONFIGS)))
    zero, permuted = run.summary(), run.summary("permute")
    assert [row["|P|"] for row in zero] == [row["|P|"] for row in permuted] == [4]
    assert permuted[0]["other_drop"] == 0.0 != zero[0]["other_drop"]
    assert run_of(CONFIGS, plausible(CONFIGS)).summary("permute") == []


def test_progress_is_that_of_each_study_and_shared_models_count_once() -> None:
    one, two = lab.Study("one", MINE[:3]), lab.Study("two", MINE[2:6])
    records = [*plausible(MINE[:3]), failed(MINE[3])]
    run = lab.Run([one, two], records)
    assert run.progress() == {
        "one": {"planned": 3, "measured": 3, "failed": 0, "waiting": 0},
        "two": {"planned": 4, "measured": 1, "failed": 1, "waiting": 2},
    }
    assert run.planned == MINE[:6]
    assert run.counts == {"planned": 6, "measured": 3, "failed": 1, "waiting": 2}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_has_one_row_per_model_and_the_columns_of_an_export(
    library: Literal["pandas", "polars"], tmp_path: Path
) -> None:
    one, two = lab.Study("one", MINE[:3]), lab.Study("two", MINE[2:6])
    run = lab.Run([one, two], [*plausible(MINE[:3]), failed(MINE[3], "why")])
    frame = run.frame(library)
    assert type(frame).__module__.partition(".")[0] == library
    assert (list(frame.columns), len(frame)) == (list(COLUMNS), 4)
    assert list(frame["study"]) == ["one", "one", "one, two", "two"]
    assert list(frame["key"]) == [config.key for config in MINE[:4]]
    assert list(frame["modulus"]) == [3, 3, 3, 3]
    assert list(frame["accuracy"])[:3] == [r.measured.accuracy for r in run.records[:3]]
    assert [list(drops) for drops in list(frame["drops"])[:3]] == [
        list(record.measured.drops) for record in run.records[:3]
    ]
    run.export(tmp_path / "models.jsonl")
    lines = (tmp_path / "models.jsonl").read_text().splitlines()
    assert [json.loads(line)["study"] for line in lines] == list(frame["study"])


def test_an_unknown_or_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    run = lab.Run([small_study()], [])
    with pytest.raises(ValueError, match="library must be 'pandas' or 'polars', got 'panda'"):
        run.frame("panda")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="a polars frame needs polars: pip install polars"):
        run.frame("polars")


# Parts that are not known here.


def somebody_elses(kind: str, config: ModelConfig = MINE[0], **fields: Any) -> ModelConfig:
    """Return a model with a part that nothing here defines."""
    recipe = json.loads(json.dumps(config.to_dict()))
    recipe[kind] = {"name": "somebody-elses", "version": 3, **fields}
    return ModelConfig.from_dict(recipe)


def write_unknown(folder: Path) -> list[ModelConfig]:
    """Write a store with models of which one part each is unknown: measured, failed, waiting."""
    configs = [somebody_elses(kind, size=size) for size in (1, 2, 3) for kind in lab_parts.PARTS]
    with write_store(folder) as store:
        store.begin([lab.Study("theirs", configs)], "python theirs.py")
        for config in configs[:4]:
            known = measured(MINE[0], [0.5, 0.25, 0.0])
            store.add(replace(known, config=config))
        for config in configs[4:8]:
            store.add(failed(config))
    return configs


def test_models_with_unknown_parts_can_be_opened_summarised_and_exported(tmp_path: Path) -> None:
    configs = write_unknown(tmp_path)
    run = lab.open(tmp_path)
    assert run.planned == configs
    assert not any(config.known for config in run.planned)
    assert run.progress() == {"theirs": {"planned": 12, "measured": 4, "failed": 4, "waiting": 4}}
    rows = run.summary()
    assert len(rows) == 4
    assert {row["accuracy"] for row in rows} == {1.0}
    assert {tuple(row["rows"]) for row in rows} == {("3", "5", "7")}, "as they were measured"
    assert {row["relevant_drop"] for row in rows} == {rows[0]["relevant_drop"]}
    run.export(tmp_path / "models.jsonl")
    lines = (tmp_path / "models.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert [json.loads(row["config"]) for row in found] == [c.to_dict() for c in configs[:8]]
    assert found[0]["embedding"] == "somebody-elses"
    assert len(run.frame("polars")) == 8
    assert "somebody-elses" in run.report().read_text()
    figures = {file.name.rpartition("-")[2]: file for file in draw_figures(run.grids)}
    assert {"accuracy", "relevant", "other", "profiles"} <= figures.keys()
    figures["profiles"].draw()
    assert {found.verdict for claim, found in judge(run).items() if claim.name != "T.1"} == {
        "not measured yet"
    }


@pytest.mark.parametrize("number", ["NaN", "1e999"])
def test_numbers_of_unknown_parts_are_finite(number: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    config = somebody_elses("task", size=1)
    with write_store(tmp_path / "run") as store:
        store.begin([lab.Study("theirs", [config])], "python theirs.py")
    text = json.dumps(config.to_dict()).replace('"size": 1', f'"size": {number}')
    fact = f'{{"kind":"model","key":"a","data":{{"studies":["theirs"],"config":{text}}}}}'
    digest = hashlib.sha256(fact.encode()).hexdigest()
    with (tmp_path / "run" / STORE_NAME).open("a") as file:
        file.write(f'{{"sha256":"{digest}","fact":{fact}}}\n')
    with pytest.raises(StoreError, match="is damaged: line 4, Out of range float values"):
        lab.open(tmp_path / "run")


def compared_run() -> lab.Run:
    """Return a run of two embeddings and two moduli, with two seeds; one network diverged."""
    configs = [
        replace(small_config(modulus=n, seed=seed, beyond=(60,)), embedding=embedding)
        for embedding in (lab.PrimeFourier((3, 5), depth=1), lab.Planned())
        for n in (3, 15)
        for seed in (1, 2)
    ]
    records = []
    for i, config in enumerate(configs):
        record = measured(config, [0.0] * len(config.row_names), accuracy=1 - i / 10, test_size=100)
        counts = replace(record.measured, beyond={"60": (10 * i, 100)})
        records.append(replace(record, measurement=counts))
    return lab.Run([lab.Study("mine", configs)], [*records[:-1], diverged(records[-1])])


def test_embeddings_are_compared_with_a_column_each() -> None:
    run = compared_run()
    found = run.compare("embedding")
    assert (found.axes, found.values) == (("modulus",), ("planned", "|P|=2 depth=1"))
    assert found.means == {(3,): (pytest.approx(0.55), 0.95), (15,): (0.4, pytest.approx(0.75))}
    assert str(found).splitlines()[2:] == ["| 3 | 0.550 | 0.950 |", "| 15 | 0.400 | 0.750 |"]
    assert found.frame("polars").columns == ["modulus", "planned", "|P|=2 depth=1"]
    frame = found.frame()
    assert list(frame.columns) == ["modulus", "planned", "|P|=2 depth=1"]
    assert frame["planned"].tolist() == [pytest.approx(0.55), 0.4]
    beyond = run.compare("embedding", beyond="2r").means
    assert beyond == run.compare("embedding", beyond="60").means
    assert beyond[15,] == pytest.approx((0.6, 0.25))
    assert run.compare("task.modulus").values == (3, 15)
    with pytest.raises(ValueError, match=r"no model of this run was tested beyond .* on '70'"):
        run.compare("embedding", beyond="70")
    with pytest.raises(ValueError, match="no model of this run has the part or field 'embeding'"):
        run.compare("embeding")
